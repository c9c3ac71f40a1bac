// Package catalog lists every category of events that Parley knows. It owns
// nothing else: a context is added here, with its one line, when it gets events.
package catalog

import (
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/reactors"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/domain/webhooks"
)

// Categories lists them; the first one's topic gives the log its id.
func Categories() []*event.Category {
	return []*event.Category{
		access.Tenants.Category,
		access.Scopes.Category,
		agents.Agents.Category,
		calls.Calls.Category,
		flows.Flows.Category,
		reactors.Registrations.Category,
		reactors.Replays.Category,
		sessions.Sessions.Category,
		trunks.Trunks.Category,
		webhooks.Deliveries.Category,
	}
}
