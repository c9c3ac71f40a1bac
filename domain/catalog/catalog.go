// Package catalog lists every category of events that Parley knows, and finds one. It owns
// nothing else: a context is added here, with its one line, when it gets events.
package catalog

import (
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/domain/waitinglines"
)

// Categories lists them; the first one's topic gives the log its id.
func Categories() []*event.Category {
	return []*event.Category{
		access.Tenants.Category,
		access.Scopes.Category,
		agents.Agents.Category,
		calls.Calls.Category,
		campaigns.Campaigns.Category,
		campaigns.Registers.Category,
		completions.Completions.Category,
		connections.Connections.Category,
		connections.Identifiers.Category,
		contactlists.Lists.Category,
		contacts.Contacts.Category,
		contacts.Identities.Category,
		conversations.Conversations.Category,
		dashboards.Dashboards.Category,
		deployables.Docks.Category,
		deployables.Jobs.Category,
		disclosures.Disclosures.Category,
		erasures.Jobs.Category,
		exports.Jobs.Category,
		flows.Flows.Category,
		humanagents.Desks.Category,
		humanagents.Organisations.Category,
		texts.Texts.Category,
		threads.Threads.Category,
		pacing.Pacing.Category,
		modelproviders.Providers.Category,
		projectsettings.ProjectSettings.Category,
		queues.Queues.Category,
		registrations.Registrations.Category,
		registrations.Replays.Category,
		retention.Rules.Category,
		runs.Runs.Category,
		sdkchannels.Channels.Category,
		searchindexes.Indexes.Category,
		memories.Memories.Category,
		secrets.Secrets.Category,
		sessions.Sessions.Category,
		deployments.Deployments.Category,
		staff.Staff.Category,
		testruns.Runs.Category,
		testsuites.Suites.Category,
		transfers.Transfers.Category,
		trunks.Trunks.Category,
		voicemails.Voicemails.Category,
		waitinglines.Lines.Category,
		deliveries.Deliveries.Category,
	}
}
