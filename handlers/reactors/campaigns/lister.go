package campaigns

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

const listerName = "campaign-lister"

// lister writes down whom a pass reaches. A listing that broke off goes on where it
// was, with the same contacts: those of the lists at the version that the pass names.
func (c Engine) lister() reactors.Reactor {
	return reactors.Reactor{Name: listerName, Categories: []*event.Category{campaigns.Campaigns.Category, pacing.Pacing.Category},
		Events: []event.Payload{campaigns.Started{}, pacing.PassDue{}}, Side: reactors.AtLeastOnce, Handle: c.list}
}

func (c Engine) list(ctx context.Context, e reactors.Event) error {
	switch p := e.Payload.(type) {
	case campaigns.Started:
		s, err := c.onRun(ctx, e, p.RunID, runs.Open{Started: p}.Decide)
		if err != nil {
			return err
		}
		return c.listPass(ctx, e, p.RunID, s, 1)
	case pacing.PassDue:
		s, err := c.run(ctx, e.Tenant, p.RunID)
		if err != nil {
			return err
		}
		return c.listPass(ctx, e, p.RunID, s, p.Pass)
	}
	return nil
}

// onRun sends a command to a run's stream, and gives what the stream then says.
func (c Engine) onRun(ctx context.Context, e reactors.Event, runID string,
	decide func(runs.State) ([]event.Payload, error)) (runs.State, error) {
	res, err := eventstore.Execute(ctx, c.Store, runs.Runs, runs.Stream(e.Tenant, runID), after(listerName, e), decide)
	return res.State, err
}

func (c Engine) run(ctx context.Context, tenant, runID string) (runs.State, error) {
	run, err := eventstore.Read(ctx, c.Store, runs.Runs, runs.Stream(tenant, runID))
	if err != nil {
		return runs.State{}, fmt.Errorf("folding the run %s: %w", runID, err)
	}
	return run.State, nil
}

func (c Engine) listPass(ctx context.Context, e reactors.Event, runID string, s runs.State, pass int) error {
	if s.Pass < pass {
		lists, err := eventstore.Read(ctx, c.Store, contactlists.Lists, contactlists.Stream(e.Tenant, s.Terms.ProjectID))
		if err != nil {
			return fmt.Errorf("folding the contact lists: %w", err)
		}
		begin := runs.BeginPass{Pass: pass, Lists: lists.Version, At: c.Now()}
		if s, err = c.onRun(ctx, e, runID, begin.Decide); err != nil { // which version counts is what the stream says
			return err
		}
	}
	if s.Pass != pass || s.Complete {
		return nil
	}
	lists, err := c.Runs.Lists(ctx, e.Tenant, s.Terms.ProjectID, s.Lists)
	if err != nil {
		return err
	}
	return c.listContacts(ctx, e, s, runs.Members(s.Terms.ContactLists, lists))
}

// listContacts adds what is missing of the pass's contacts, and ends the listing.
func (c Engine) listContacts(ctx context.Context, e reactors.Event, s runs.State, members []contactlists.Contact) error {
	for listed := s.Contacts - s.From; listed < len(members); {
		chunk := runs.Chunk(members[listed:])
		list := runs.ListContacts{Pass: s.Pass, From: s.From + listed, Contacts: chunk}
		if _, err := c.onRun(ctx, e, s.Terms.RunID, list.Decide); err != nil {
			return err
		}
		listed += len(chunk)
	}
	_, err := c.onRun(ctx, e, s.Terms.RunID, runs.EndPass{Pass: s.Pass, Contacts: s.From + len(members), At: c.Now()}.Decide)
	return err
}
