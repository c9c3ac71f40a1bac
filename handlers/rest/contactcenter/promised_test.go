package contactcenter_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareConversations(a, api.ConversationsAPI{})
		api.DeclareHooks(a, api.Hooks{})
		api.DeclareHumanAgents(a, api.HumanAgents{})
		api.DeclareTransfers(a, api.Transfers{})
		api.DeclareVoicemail(a, api.VoicemailAPI{})
	})
}
