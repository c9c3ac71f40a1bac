package campaigns

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// runReads is what the campaign engine reads of the read models.
type runReads interface {
	// Lists are the contact lists of a project at a version of their stream, by name.
	Lists(ctx context.Context, tenant, project string, version int64) (map[string][]contactlists.Contact, error)
	// Terms finds what a run reaches its contacts with, and the contacts with these
	// indexes whose turn it is.
	Terms(ctx context.Context, tenant, runID string, indexes []int) (campaignmodels.RunTerms, error)
}

// Engine makes started campaigns run. It is five reactors on four categories,
// which are one way round:
//
//	campaigns.started                   -> lister    -> the run's stream: whom it reaches
//	runs.pass-listed                    -> pacer     -> the pacing stream: the run is let in
//	pacing.contacts-taken               -> placer    -> a call, or a text
//	calls and texts, when they end   -> outcomes  -> the pacing stream: the line is free,
//	                                                    and the next contacts are taken
//	pacing.run-finished                 -> completer -> the campaign: Completed
//
// Each step is a command that says nothing when its effect is there, or whose stream has
// an id derived from run and contact; so whatever is handled again, by whichever node, a
// contact is reached once. Pauses and changes of the campaign go to the pacing stream as
// well; calling hours and further passes are the pacing stream's timer.
type Engine struct {
	acts.Log
	DialOut       acts.DialOut
	Runs          runReads
	CampaignLines pacing.Lines // of each tenant
	// Room keeps places for calls by a carrier, and refuses them while no node takes one more: they are placed when one does. Nil:
	// never.
	Room func(ctx context.Context, provider string, calls ...string) error

	endings *endings // of the outcomes that are on their way to the lines
}

// Reactors declares all of it.
func (c Engine) Reactors() []reactors.Reactor {
	c.endings = newEndings()
	return []reactors.Reactor{c.lister(), c.pacer(), c.placer(), c.outcomes(), c.completer()}
}

func (c Engine) clock() pacing.Clock { return c.clockAt(c.Now()) }

func (c Engine) clockAt(now time.Time) pacing.Clock {
	return pacing.Clock{Now: now, Lines: c.CampaignLines}
}

// Wake is what the timer of a tenant's lines does.
func (c Engine) Wake(ctx context.Context, t projections.Timer, now time.Time) error {
	wake := pacing.Wake{Clock: c.clockAt(now)}
	cmd := eventstore.Command{Tenant: t.Tenant, Actor: "timer:" + campaignmodels.OpeningTimer}
	return eventstore.Do(ctx, c.Store, pacing.Pacing, t.Stream, cmd, wake.Decide)
}

// pace sends a command to the lines of the event's tenant. Nobody looks at what they then
// are, and their state is large.
func (c Engine) pace(ctx context.Context, cmd eventstore.Command, decide func(pacing.State) ([]event.Payload, error)) error {
	return eventstore.Do(ctx, c.Store, pacing.Pacing, pacing.Stream(cmd.Tenant), cmd, decide)
}

// after is because without a request id, for commands that say nothing once the state
// shows their effect.
func after(reactor string, e reactors.Event) eventstore.Command {
	cmd := reactors.Because(reactor, "", e)
	cmd.RequestID = ""
	return cmd
}

// completer reports the end of a run to its campaign. One that was stopped has been
// ended by its campaign already.
func (c Engine) completer() reactors.Reactor {
	const name = "campaign-completer"
	return reactors.Reactor{Name: name, Categories: []*event.Category{pacing.Pacing.Category}, Events: []event.Payload{pacing.RunFinished{}},
		Side: reactors.AtLeastOnce,
		Handle: func(ctx context.Context, e reactors.Event) error {
			finished := e.Payload.(pacing.RunFinished)
			if finished.Stopped {
				return nil
			}
			complete := campaigns.Complete{RunID: finished.RunID, At: finished.At}
			return eventstore.Do(ctx, c.Store, campaigns.Campaigns, campaigns.Stream(e.Tenant, finished.CampaignID), after(name, e),
				complete.Decide)
		}}
}
