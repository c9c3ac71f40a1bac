package voice

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

const (
	adoptWithin = 5 * time.Second // for the other side to say that it is still there

	// othersIn is when a call is looked at again that cannot be taken over here. Any node may be the one that
	// looks then: within a lease there are so many turns that one that can has it, if it is one of a few.
	othersIn = 500 * time.Millisecond
)

// adopt takes over a call in which people talk and whose node is gone, if its carrier can go on with
// the leg and there is room. That it is ours is on the log before the other side is asked whether it is
// still there, so no two nodes ask. done is false where the call is to be ended instead.
func (d *Dialer) adopt(ctx context.Context, callID string, was calls.State, now time.Time) (done bool, err error) {
	if !was.Adoptable(now) {
		return false, nil
	}
	carrier, can := d.carriers[was.Provider].(Adopter)
	if !can {
		return d.others(was, now, 2*d.cfg.Lease) // behind those that have no room, and can hang it up
	}
	if d.reserve(adopted) != nil {
		return d.others(was, now, d.cfg.Lease)
	}
	take := calls.Adopt{Try: uuid.NewString(), Node: d.cfg.Node, At: now, LeaseUntil: now.Add(d.cfg.Lease)}
	taken, err := eventstore.Execute(ctx, d.cfg.Store, calls.Calls, calls.Calls.Stream(callID), eventstore.Command{Actor: leaseActor},
		func(s calls.State) ([]event.Payload, error) {
			if s.SID != was.SID {
				return nil, nil
			}
			return take.Decide(s)
		})
	if err != nil || taken.State.Attempt.ID != take.Try {
		d.release(adopted)
		if err != nil {
			err = fmt.Errorf("taking over call %s: %w", callID, err)
		}
		return true, err
	}
	d.cfg.Log.Info("a call is taken over whose node gives no sign of life", "call", callID, "node", was.Node)
	d.note(callID, take.Try)
	go func() {
		defer d.release(adopted)
		defer d.note(callID, "")
		l := newLeg(d, *orderOf(taken.State))
		l.adopted = true
		l.journal.named = callID + "/" + take.Try // the node before had names of its own
		l.recorded(func() { l.goOn(carrier, taken) })
	}()
	return true, nil
}

// others leaves a call that cannot be taken over here to nodes that can, for a while: they have its
// carrier, or room.
func (d *Dialer) others(was calls.State, now time.Time, patience time.Duration) (done bool, err error) {
	if now.Before(was.Attempt.LeaseUntil.Add(patience)) {
		return true, reactors.Later(othersIn)
	}
	return false, nil
}

// goOn asks the other side whether it is still there, and goes on where the node before had to stop:
// the session stands on the log, and so does what was said and heard. The detection does not: it ends.
func (l *leg) goOn(carrier Adopter, taken eventstore.Result[calls.State]) {
	s := taken.State
	ctx, cancel := context.WithTimeout(l.d.writing, adoptWithin)
	defer cancel()
	line, status, err := carrier.Adopt(ctx, l.order.request, s.Query())
	if line == nil {
		cause := "node lost, and the call was over"
		if status != calls.LegOver {
			cause = "node lost"
			l.d.cfg.Log.Warn("a call could not be taken over", "call", l.order.request.CallID, "error", err)
		}
		l.endsForAll(s, l.unasked(calls.TakerLost, calls.Complete{By: calls.ByGateway, Cause: cause, At: s.LastSeen}.Decide))
		return
	}
	l.line, l.facts, l.heard = line, line.Facts(), s.Heard
	if s.Referral == calls.ReferralDone { // it had to be hung up still
		l.hangUp()
		l.endsForAll(s, calls.Complete{By: calls.ByBot, Cause: atTheTrunk, At: l.when(time.Now())}.Decide)
		return
	}
	l.rejoin(ctx, carrier, s)
	if p, wanted := s.WantsPerson(); wanted && s.Referral == calls.Referred {
		l.callPerson(wantedPerson{PersonCalled: p, referral: s.Referral}) // before anything is told
	}
	l.journal.add("lease", l.lease()) // which tells of whoever was on the line and is not again, or about to be
	if l.order.plan != nil {
		l.journal.add(string(calls.AmdStopped), calls.Detect{Detection: calls.Detection{Result: calls.AmdStopped}, At: l.when(time.Now())}.Decide)
	}
	l.pickUp(taken)
}

// endsForAll ends a call that cannot be gone on with. The person whom the node before had on the line, if there is one, is hung up when
// that is on the log: nobody else would do it.
func (l *leg) endsForAll(s calls.State, end callDecision) {
	l.over = true
	l.journal.addThen("completed", end, func(res eventstore.Result[calls.State]) {
		if q, there := s.PersonQuery(); there && res.State.Attempt.ID == l.order.try {
			go l.d.cutPerson(l.d.writing, l.order.request.CallID, s.Provider, q)
		}
	})
}

// unanswered are what the callee had said when the node before was lost, behind the last of it that the
// session knows. It may have said something since.
func (c *conversation) unanswered(ctx context.Context) {
	call := c.leg.order.request.CallID
	told, err := eventstore.History(ctx, c.turns.Store, calls.Calls, calls.Calls.Stream(call))
	if err == nil {
		err = c.untaken(ctx, told.Events)
	}
	if err != nil {
		c.leg.d.cfg.Log.Warn("what was heard before a call was taken over is not answered", "call", call, "error", err)
	}
}

func (c *conversation) untaken(ctx context.Context, told []eventstore.Recorded) error {
	session, err := eventstore.History(ctx, c.turns.Store, sessions.Sessions, c.stream)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, e := range session.Events {
		taken[e.CausationID] = true
	}
	var heard []utterance
	for _, e := range told {
		u, is := utteranceOf(e.Payload)
		switch {
		case taken[e.ID]: // and so were those before
			heard = nil
		case is:
			u.cause = e.ID
			heard = append(heard, u)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(heard, c.heard...)
	return nil
}

// resumed is the session as it stands; its agent picks up only where it has not yet.
func (c *conversation) resumed(ctx context.Context, call calls.State) (sessions.State, []eventstore.Recorded, error) {
	c.known = call.Spoken
	c.unanswered(ctx)
	read, err := eventstore.Read(ctx, c.turns.Store, sessions.Sessions, c.stream)
	if err != nil || read.State.Status == "" || read.State.Talk.Messages == 0 {
		return c.pickUp(ctx, call)
	}
	return read.State, nil, nil
}
