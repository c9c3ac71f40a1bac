package voice

import (
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// when is a moment of this machine's clock on the clock that all nodes share: the leg
// lives by monotonic time, its events tell the shared one.
func (l *leg) when(here time.Time) time.Time { return l.shared.Add(here.Sub(l.here)) }

// scaled is a duration of the call in the carrier's time.
func (l *leg) scaled(d time.Duration) time.Duration {
	if l.carrier == nil {
		return d
	}
	return d / time.Duration(max(l.carrier.Speed(), 1))
}

// lagging is a line that may be late with what it tells. Nothing of before Until is still to come.
type lagging interface {
	Until(now time.Time) time.Time
}

// now is how far the line has come: no timer goes before a fact that happened earlier, also where it is told late.
func (l *leg) now() time.Time {
	if line, can := l.line.(lagging); can {
		return line.Until(time.Now())
	}
	return time.Now()
}

// soon is how long it is until a deadline. One that has passed waits for a line that is late.
func soon(deadline time.Time) time.Duration {
	if in := time.Until(deadline); in > 0 {
		return in
	}
	return time.Millisecond
}

// nextDeadline is the earliest of the timers that run.
func (l *leg) nextDeadline() time.Time {
	if l.answeredAt.IsZero() {
		return l.answerBy
	}
	next := l.maxUntil
	if !l.hangUpAt.IsZero() && l.hangUpAt.Before(next) {
		next = l.hangUpAt
	}
	if at, ok := l.detectionDue(); ok && at.Before(next) {
		next = at
	}
	for _, at := range []time.Time{l.pendingAt, l.keys.At(), l.texts.At(), l.hold.At(), l.dialog.At()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

func (l *leg) detectionDue() (time.Time, bool) {
	if l.detector == nil {
		return time.Time{}, false
	}
	elapsed, ok := l.detector.Deadline()
	return l.answeredAt.Add(elapsed), ok
}

// expire does what is due.
func (l *leg) expire(now time.Time) {
	if l.answeredAt.IsZero() {
		if !now.Before(l.answerBy) {
			l.hangUp()
			l.fail(487, "Request Terminated", now)
		}
		return
	}
	if at, ok := l.detectionDue(); ok && !now.Before(at) {
		l.detected(l.detector.Advance(now.Sub(l.answeredAt)), now)
	}
	l.settle(now)
	switch {
	case l.over:
	case !l.hangUpAt.IsZero() && !now.Before(l.hangUpAt):
		l.hangUp()
		l.complete(calls.ByBot, "no agent takes the call", now)
	case !now.Before(l.maxUntil):
		l.hangUp()
		l.complete(calls.ByBot, "the longest call is over", now)
	}
}
