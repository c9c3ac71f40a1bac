package voice

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// gone ends a call whose leg exists no more: completed by somebody when it was
// answered, failed with a code otherwise.
func (l *leg) gone(by calls.Party, cause string, code int, phrase string, at time.Time) {
	if l.answeredAt.IsZero() {
		l.fail(code, phrase, at)
		return
	}
	l.complete(by, cause, at)
}

// fail ends a call that was not answered.
func (l *leg) fail(code int, phrase string, at time.Time) {
	l.journal.add("failed", calls.Fail{SIPCode: code, Phrase: phrase, At: l.when(at)}.Decide)
	l.over = true
}

// complete ends an answered call, after the last result of its detection.
func (l *leg) complete(by calls.Party, cause string, at time.Time) {
	l.cutOff(at)
	if l.detector != nil {
		for _, r := range l.detector.Stop(at.Sub(l.answeredAt)) {
			l.journal.add(string(r.Result), calls.Detect{Detection: r.Detection, At: l.when(l.answeredAt.Add(r.Elapsed))}.Decide)
		}
	}
	l.journal.add("completed", l.unasked(overBefore, calls.Complete{By: by, Cause: cause, At: l.when(at)}.Decide))
	l.over = true
}

// shutDown ends the call because this node stops, or leaves it to a node that goes on with it.
func (l *leg) shutDown() {
	if l.letGo() {
		return
	}
	l.hangUp()
	l.gone(calls.ByGateway, "the node shut down", 0, "", time.Now())
}

// abandon leaves the leg to the node that has the call now. Nothing is hung up: that would end the
// call of another.
func (l *leg) abandon() {
	l.d.cfg.Log.Warn("a call was taken over by another node, because this one gave no sign of life", "call", l.order.request.CallID)
	if line, ok := l.line.(abandoned); ok {
		line.Abandon()
		l.letGone = true
	} else {
		l.hangUp()
	}
	l.over = true
}

// letGo leaves an answered call to another node, at once, if there is one that has room. On the log it is
// nobody's before the leg ends here, and the other side is told nothing.
func (l *leg) letGo() bool {
	line, can := l.line.(abandoned)
	if !can || l.answeredAt.IsZero() || !l.d.takesOther() {
		return false
	}
	l.established(l.dialog.Rest()) // who goes on has to know
	gone, at := make(chan bool, 1), l.when(time.Now())
	l.journal.addThen("let go", calls.LetGo{At: at}.Decide, func(res eventstore.Result[calls.State]) {
		gone <- res.State.Adoptable(at)
	})
	select {
	case is := <-gone:
		if !is {
			return false
		}
	case <-time.After(hangUpLimit): // if the log takes it later, who goes on finds nobody
		return false
	}
	l.d.cfg.Log.Info("a call is left to another node, because this one shuts down", "call", l.order.request.CallID)
	line.Abandon()
	l.over, l.letGone = true, true
	return true
}

// takesOther takes one of the places for calls at other nodes.
func (d *Dialer) takesOther() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.elsewhere--
	return d.elsewhere >= 0
}

// abandoned is a leg that others may go on with.
type abandoned interface {
	// Abandon ends the leg on this node, and tells the other side nothing.
	Abandon()
}

// hangUp takes its time, at most, and never fails the call: what the carrier does not
// end now, it ends when the callee hangs up.
func (l *leg) hangUp() {
	ctx, cancel := context.WithTimeout(l.d.writing, hangUpLimit)
	defer cancel()
	if err := l.line.HangUp(ctx); err != nil {
		l.d.cfg.Log.Warn("hanging up failed", "call", l.order.request.CallID, "error", err)
	}
}

// renewLease is a sign of life, with the time at which it is written. One that still
// waits in the journal is enough.
func (l *leg) renewLease() {
	if !l.journal.idle() {
		return
	}
	l.journal.add("lease", l.lease())
}

func (l *leg) lease() callDecision {
	return func(s calls.State) ([]event.Payload, error) {
		now := l.d.cfg.Now()
		return calls.RenewLease{At: now, LeaseUntil: now.Add(l.d.cfg.Lease)}.Decide(s)
	}
}
