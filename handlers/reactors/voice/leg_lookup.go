package voice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// lookupLimit bounds one question to a carrier: other timers wait for their turn.
const lookupLimit = 2 * time.Second

// Expire is called when the deadline of a call has passed, at a time of the shared
// clock. A call in which people talk goes on here if it can (see adopt). Else, if an
// attempt was started, its carrier is asked what became of it, and the answer is
// recorded; nothing is ever dialled again. Several nodes may do so at once:
// the stream's decision takes the first. What the carrier still has then is hung up
// by the node whose command ended the call, after that is on the log, so that no call
// is cut whose node has come back meanwhile.
func (d *Dialer) Expire(ctx context.Context, callID string, now time.Time) error {
	was, err := d.read(ctx, callID)
	if err != nil {
		return err
	}
	provider, query := was.Provider, was.Query()
	expire := calls.ExpireLease{At: now}
	if was.Attempt.Lapsed(now) {
		if d.follows(callID, was.Attempt.ID) {
			return d.renew(ctx, callID, was.Attempt.ID)
		}
		if done, err := d.adopt(ctx, callID, was, now); done || err != nil {
			return err
		}
		expire.SessionID = uuid.Must(uuid.NewV7()).String()
		expire.Report = d.lookup(ctx, callID, provider, query)
	}
	cmd := eventstore.Command{Actor: leaseActor}
	stream := calls.Calls.Stream(callID)
	ended, err := eventstore.Execute(ctx, d.cfg.Store, calls.Calls, stream, cmd, func(s calls.State) ([]event.Payload, error) {
		if s.SID != query.SID { // not what was asked about
			return nil, nil
		}
		return expire.Decide(s)
	})
	if err != nil {
		return fmt.Errorf("ending call %s: %w", callID, err)
	}
	if len(ended.Events) > 0 && expire.Report.Status.Running() {
		d.cut(ctx, callID, provider, query.SID)
	}
	if q, there := was.PersonQuery(); there && len(ended.Events) > 0 {
		d.cutPerson(ctx, callID, provider, q)
	}
	return nil
}

// Who writes the end of a call that they carry, or of one whose node is gone, which they hang up then.
const (
	dialerActor = "reactor:dialer"
	leaseActor  = "timer:lease"
)

// endedByOthers reports whether a call was ended by somebody else, as with its session.
func endedByOthers(r *eventstore.Record) bool {
	return strings.HasPrefix(r.Type, "parley.calls.completed.") && r.Actor != dialerActor && r.Actor != leaseActor
}

// ended is called for a call whose end somebody else wrote than who carries it. That one meets it on the log, and hangs up; but if it
// is gone, nobody has the call any more, and no timer. So whoever may still be on the line is looked for when it would have been
// given up, and hung up.
func (d *Dialer) ended(callID string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return
	}
	d.looks.Go(func() {
		select {
		case <-time.After(min(d.cfg.Lease, at.Add(d.cfg.Lease).Sub(d.cfg.Now()))):
		case <-d.stopping: // nobody looks for them later
		}
		s, err := d.read(d.writing, callID)
		if err != nil {
			d.cfg.Log.Warn("whether somebody is still on the line of a call that is over cannot be found out", "call", callID, "error", err)
			return
		}
		if _, outlives := d.carriers[s.Provider].(Adopter); !outlives || s.Dialog == nil {
			return
		}
		if q := s.Query(); d.lookup(d.writing, callID, s.Provider, q).Status.Running() {
			d.cut(d.writing, callID, s.Provider, q.SID)
		}
		if q, there := s.PersonQuery(); there {
			d.cutPerson(d.writing, callID, s.Provider, q)
		}
	})
}

// cutPerson hangs up the leg of a person whom nobody follows, if there is one.
func (d *Dialer) cutPerson(ctx context.Context, callID, provider string, q calls.LegQuery) {
	if by := d.callsPeople(provider); d.lookup(ctx, callID, by, q).Status.Running() {
		d.cut(ctx, callID, by, q.SID)
	}
}

// renew is for a leg of this very node that could not write its own renewals.
func (d *Dialer) renew(ctx context.Context, callID, try string) error {
	_, err := d.execute(ctx, callID, "", func(s calls.State) ([]event.Payload, error) {
		if s.Attempt.ID != try {
			return nil, nil
		}
		now := d.cfg.Now()
		return calls.RenewLease{At: now, LeaseUntil: now.Add(d.cfg.Lease)}.Decide(s)
	})
	if err != nil {
		return fmt.Errorf("renewing the lease of call %s: %w", callID, err)
	}
	return nil
}

// lookup asks the carrier. One that is away or not configured here cannot tell.
func (d *Dialer) lookup(ctx context.Context, callID, provider string, q calls.LegQuery) calls.LegReport {
	carrier := d.carriers[provider]
	if carrier == nil {
		return calls.LegReport{}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	report, err := carrier.Lookup(ctx, q)
	if err != nil {
		d.cfg.Log.Warn("the carrier cannot be asked what became of a call", "call", callID, "provider", provider, "error", err)
		return calls.LegReport{}
	}
	d.cfg.Log.Info("a call without a sign of life was looked up at its carrier", "call", callID, "provider", provider, "status", report.Status)
	here, shared := time.Now(), d.cfg.Now()
	when := func(at time.Time) time.Time {
		if at.IsZero() {
			return at
		}
		return shared.Add(at.Sub(here))
	}
	facts := make([]calls.Fact, len(report.Facts)) // the carrier's own stay as they are
	for i, f := range report.Facts {
		f.At = when(f.At)
		facts[i] = f
	}
	report.Facts, report.EndedAt = facts, when(report.EndedAt)
	return report
}

func (d *Dialer) cut(ctx context.Context, callID, provider, sid string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpLimit)
	defer cancel()
	if err := d.carriers[provider].Cut(ctx, sid); err != nil {
		d.cfg.Log.Warn("hanging up a call that nobody follows failed", "call", callID, "provider", provider, "error", err)
	}
}
