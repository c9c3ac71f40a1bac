package platform_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareKeys(a, api.Keys{})
		api.DeclareStaff(a, api.StaffAPI{})
		api.DeclareFiles(a, api.FilesAPI{})
		api.DeclareAdmin(a, api.Admin{})
	})
}
