package acts

import (
	"cmp"
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// DialOut places calls: what the operation asks for, and what campaigns do.
type DialOut struct {
	Log
	Setups callSetups
	// SealHeaders seals the headers of notifications for their way through the log.
	SealHeaders func(tenantID string, headers map[string]string) (string, error)
	SealURL     SealURL
	// CheckURL refuses a URL that would never be called: literal private addresses and
	// other schemes.
	CheckURL func(raw string) error
	// Room keeps a place for the sound of a call, until leave, and refuses it while no node has room; nil: never.
	Room func(ctx context.Context, provider, call string) (leave func(), err error)
}

// callSetups knows what a call needs to begin.
type callSetups interface {
	CallSetup(ctx context.Context, tenant, project, trunk, number string) (projections.CallSetup, error)
}

// Do places a call through the trunk that ask names, or the default one; the caller's
// number chooses the flow. It refuses all fields that are wrong at once, together with
// those that whoever calls it found wrong already.
func (d DialOut) Do(ctx context.Context, by Caller, ask calls.DialOut, wrong fault.Fields) (out eventstore.Result[calls.State],
	failed error) {
	var none eventstore.Result[calls.State]
	wrong = append(wrong, ask.Validate()...)
	d.checkNotifyURL(&wrong, ask.NotifyURL)
	setup, err := d.Setups.CallSetup(ctx, by.Tenant, by.Project, ask.Trunk, ask.OurNumber)
	if err != nil {
		return none, err
	}
	if setup.Trunk == "" && ask.Trunk != "" {
		wrong.Add("trunk", "is not a trunk of the account")
	}
	if err := wrong.InOrder().Err(); err != nil {
		return none, err
	}
	ask.CallID = d.CallID(by)
	if d.Room != nil {
		leave, err := d.Room(ctx, setup.Provider, ask.CallID)
		if err != nil {
			return d.placed(ctx, by, err)
		}
		defer func() {
			if out.Replayed || failed != nil && !fault.Is(failed, fault.OutcomeUnknown) {
				leave()
			}
		}()
	}
	if ask.NotifyURL, ask.NotifyURLSealed, err = d.SealURL(by.Tenant, ask.NotifyURL); err != nil {
		return none, err
	}
	if len(ask.NotifyHeaders) > 0 {
		if ask.NotifyHeadersSealed, err = d.SealHeaders(by.Tenant, ask.NotifyHeaders); err != nil {
			return none, err
		}
	}
	return d.Place(ctx, by, ask, setup)
}

// placed is the call of an earlier try of the request, which is there whatever room there is now.
func (d DialOut) placed(ctx context.Context, by Caller, full error) (eventstore.Result[calls.State], error) {
	var none eventstore.Result[calls.State]
	if by.RequestID == "" {
		return none, full
	}
	res, err := Execute(ctx, d.Log, by, calls.Calls, calls.Calls.Stream(d.CallID(by)), func(calls.State) ([]event.Payload, error) {
		return nil, nil
	})
	if err != nil || !res.Replayed {
		return none, cmp.Or(err, full)
	}
	return res, nil
}

// checkNotifyURL refuses an address that would never be called, unless the URL is
// known to be wrong already.
func (d DialOut) checkNotifyURL(wrong *fault.Fields, url string) {
	named := func(f fault.Detail) bool { return f.Field == "notifyurl" }
	if url == "" || slices.ContainsFunc(*wrong, named) {
		return
	}
	if err := d.CheckURL(url); err != nil {
		wrong.Add("notifyurl", "%s", err)
	}
}

// Place places a call whose setup is known: its carrier (a tenant without any trunk is
// served by the simulated one) and its experience flow, with what its agent says at
// answer. It notifies nobody but whom ask names in sealed form.
func (d DialOut) Place(ctx context.Context, by Caller, ask calls.DialOut, setup projections.CallSetup) (eventstore.Result[calls.State],
	error) {
	if ask.SID = d.ID(by, "leg").String(); ask.CallID == "" {
		ask.CallID = d.CallID(by)
	}
	ask.TenantID, ask.AccountID, ask.ProjectID = by.Tenant, by.Tenant, by.Project
	ask.Trunk, ask.Provider = setup.Trunk, setup.Provider
	if ask.At.IsZero() {
		ask.At = d.Now()
	}
	if flow := setup.Flow; flow.ID != "" {
		begins := read.of(setup.AgentDSL)
		ask.Flow = calls.Flow{ID: flow.ID, Name: flow.Name, AgentName: flow.AgentName, Language: flow.Language,
			StartText: begins.text, Talks: begins.talks, Recorded: flow.Recording}
	}
	return Create(ctx, d.Log, by, calls.Calls, calls.Calls.Stream(ask.CallID), ask.Decide)
}

// CallID is the id of the call that the caller places, or has placed.
func (d DialOut) CallID(by Caller) string { return d.ID(by, "call").String() }
