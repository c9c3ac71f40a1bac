package voice

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

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
	l.journal.add("completed", calls.Complete{By: by, Cause: cause, At: l.when(at)}.Decide)
	l.over = true
}

// shutDown ends the call because this node stops.
func (l *leg) shutDown() {
	l.hangUp()
	l.gone(calls.ByGateway, "the node shut down", 0, "", time.Now())
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
	l.journal.add("lease", func(s calls.State) ([]event.Payload, error) {
		now := l.d.cfg.Now()
		return calls.RenewLease{At: now, LeaseUntil: now.Add(l.d.cfg.Lease)}.Decide(s)
	})
}
