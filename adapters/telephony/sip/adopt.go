package sip

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Adopt goes on with an answered leg of another node, by its dialog: the peer is told to send its sound
// here. 481 says that it is over. A peer that is there and will not have it so is hung up.
func (a *Agent) Adopt(ctx context.Context, r calls.LegRequest, q calls.LegQuery) (*Leg, calls.LegStatus, error) {
	if q.Dialog == nil {
		return nil, calls.LegUntold, errNoDialog
	}
	t, err := a.cfg.Trunk(ctx, q.TenantID, q.Trunk)
	if err != nil {
		return nil, calls.LegUntold, err
	}
	d, err := a.resume(ctx, t, *q.Dialog)
	if err != nil {
		return nil, calls.LegUntold, err
	}
	l := newLeg(a, r)
	l.trunk = t
	if l.media, err = a.openMedia(t.RTPNAT); err != nil {
		l.end(d)
		l.facts.close()
		return nil, calls.LegUntold, err
	}
	l.describe(t)
	l.awaits(q)
	done := l.waits() // it has no history before it is ours
	defer done()
	status, err := l.takeOver(ctx, d)
	if status != calls.LegTalking {
		l.silence()
		l.facts.close()
		if status != calls.LegOver {
			l.end(d)
		}
		return nil, status, err
	}
	l.history = a.book.Enter(r.SID, l)
	a.limits.takeOver(r.SID, t)
	l.begins(time.Now())
	l.establish()
	l.holds()
	if q.Referred {
		l.enquire(d)
	}
	a.later(func(context.Context) {
		defer a.book.Over(l.history)
		defer l.facts.close()
		defer l.silence()
		defer l.gives(r.SID, t)
		defer l.leave()
		l.talk()
	})
	return l, calls.LegTalking, nil
}

// takeOver moves the sound of a dialog here.
func (l *Leg) takeOver(ctx context.Context, d *dialog) (calls.LegStatus, error) {
	l.enter(d) // that it is over may be told meanwhile
	res, _, err := l.reinvite(ctx, d)
	switch {
	case err != nil:
		return l.forget(calls.LegUntold, fmt.Errorf("asking the peer of a call for its sound: %w", err))
	case res.StatusCode == 481 || res.StatusCode == 408:
		return l.forget(calls.LegOver, nil)
	case !res.IsSuccess():
		return l.forget(calls.LegUntold, fmt.Errorf("asking the peer of a call for its sound: %d %s", res.StatusCode, res.Reason))
	}
	return calls.LegTalking, nil
}

func (l *Leg) forget(status calls.LegStatus, err error) (calls.LegStatus, error) {
	l.leave()
	return status, err
}
