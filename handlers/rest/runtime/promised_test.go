package runtime_test

import (
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	api "github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/attachments"
	"github.com/parley-platform/parley/handlers/rest/runtime/callbacks"
	"github.com/parley-platform/parley/handlers/rest/runtime/exports"
	"github.com/parley-platform/parley/handlers/rest/runtime/memory"
	"github.com/parley-platform/parley/handlers/rest/runtime/sdk"
	"github.com/parley-platform/parley/handlers/rest/runtime/settings"
	"github.com/parley-platform/parley/handlers/rest/runtime/suites"
	"github.com/parley-platform/parley/handlers/rest/runtime/traces"
)

func TestTheOperationsAreThoseOfTheDocument(t *testing.T) {
	resttest.Promised(t, func(a *rest.API) {
		api.DeclareAgents(a, api.AgentsAPI{})
		api.DeclareAgentSources(a, api.AgentsAPI{})
		api.DeclareAgentVersions(a, api.AgentsAPI{})
		api.DeclareSecrets(a, api.SecretsAPI{})
		api.DeclareContacts(a, api.ContactsAPI{})
		api.DeclareContactWrites(a, api.ContactsAPI{})
		exports.Declare(a, exports.API{})
		callbacks.Declare(a, callbacks.API{})
		api.DeclareDocks(a, api.Docks{})
		api.DeclareDeployments(a, api.DeploymentsAPI{})
		api.DeclareChat(a, api.ChatAPI{})
		api.DeclareDoors(a, api.DoorsAPI{})
		traces.Declare(a, traces.API{})
		settings.Declare(a, settings.API{})
		memory.Declare(a, memory.API{})
		suites.Declare(a, suites.API{})
		api.DeclareSessions(a, api.ChatAPI{})
		api.DeclareTranscripts(a, api.ChatAPI{})
		attachments.Declare(a, attachments.API{})
		sdk.DeclareChannels(a, sdk.ChannelsAPI{})
		sdk.DeclareWidgets(a, sdk.WidgetAPI{})
	})
}
