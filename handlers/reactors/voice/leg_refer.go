package voice

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
)

// referring is a leg whose other side may be asked to call people, so that the call leaves this node.
type referring interface {
	// Refers reports whether that is how people come onto the call.
	Refers() bool
	// Refer asks for it, in whose name what came of it is told. A code of 2xx says that it is tried; facts say what came of it.
	// One that was asked already, and has not told, is not asked again.
	Refer(ctx context.Context, target, of string) (code int, phrase string, err error)
}

// mostTold is how much the other side has to tell of one request: that it rings, and what came of it.
const mostTold = 4

// attending is a leg whose other side takes a person over whom this node has on another leg.
type attending interface {
	// Attends reports whether that is how people come onto the call, when they know what it is about.
	Attends() bool
	// ReferTo asks for it, as Refer does.
	ReferTo(ctx context.Context, other any, of string) (code int, phrase string, err error)
}

// handOver has the other side talk with a person without us, and tells whether it does; nil: it is not asked.
func (l *leg) handOver(p wantedPerson, other Leg, told <-chan calls.Fact) <-chan bool {
	trunk, can := l.line.(attending)
	if !can || !trunk.Attends() || told == nil {
		return nil
	}
	taken := make(chan bool, 1)
	go func() {
		noting, cancel := context.WithTimeout(l.d.writing, hangUpLimit) // the two are not to wait for the log
		defer cancel()
		is := l.noted(noting, p, calls.Referred) &&
			l.asks(p, func(ctx context.Context) (int, string, error) { return trunk.ReferTo(ctx, other, p.TransferID) }) && l.handsOver(p, told)
		if !is {
			l.journal.add("referred", calls.ReferPerson{TransferID: p.TransferID, Over: true, At: l.when(time.Now())}.Decide)
		}
		taken <- is
	}()
	return taken
}

// handsOver waits for what came of that. Whom the other side does not take over, we have on the line still.
func (l *leg) handsOver(p wantedPerson, told <-chan calls.Fact) bool {
	patience := time.NewTimer(personPatience)
	defer patience.Stop()
	for {
		select {
		case f := <-told:
			switch {
			case f.Code >= 200 && f.Code < 300:
				l.referredTo(p, f)
				return true
			case f.Code == 0 || f.Code >= 300:
				return false
			}
		case <-patience.C:
			return false
		case <-p.replaced:
			return false
		case <-l.ended:
			return false
		}
	}
}

const atTheTrunk = "the trunk has the call, for a person"

// transferTold hands on what the other side tells of having been asked to call a person. Nothing takes such a request back (RFC 3515):
// of one whom somebody else was wanted in place of since, what it tells decides nothing, and the call is the other person's.
func (l *leg) transferTold(f calls.Fact) {
	if f.ID != l.askedFor {
		l.d.cfg.Log.Info("a trunk tells of a person who is not wanted on a call any more", "call", l.order.request.CallID, "code", f.Code)
		return
	}
	select {
	case l.referred <- f:
	default: // nobody asked, or it repeats itself
	}
}

// refer has the other side call a person: when they have taken it, the call is over here. Where it does
// not do so, or does not tell, this node calls them; one who was rung by it is not rung again. Somebody
// who takes it later still takes the call, unless they were let go.
func (l *leg) refer(p wantedPerson, trunk referring, told <-chan calls.Fact) {
	if l.tooLate(p) || !l.noted(l.d.writing, p, calls.Referred) {
		return
	}
	if l.asks(p, func(ctx context.Context) (int, string, error) { return trunk.Refer(ctx, p.Target, p.TransferID) }) {
		l.awaitPerson(p, told, false)
	} else if l.noted(l.d.writing, p, calls.ReferralOver) {
		l.bridge(p, nil)
	}
}

// awaitPerson waits for what the other side tells of a person whom it was asked to call. rang says that they may have been rung: by
// a request of the node that had the call before, of which nobody knows what it was told. Who is wanted no more is not called here,
// and nothing counts of what is told of them.
func (l *leg) awaitPerson(p wantedPerson, told <-chan calls.Fact, rang bool) {
	patience := time.NewTimer(personPatience)
	defer patience.Stop()
	settled := false
	settle := func(f calls.Fact) {
		settled = true
		switch {
		case f.Code == 0 && rang:
			l.referredTo(p, calls.Fact{Code: 487})
		case f.Code == 0:
			if l.noted(l.d.writing, p, calls.ReferralOver) {
				l.bridge(p, nil)
			}
		default:
			l.referredTo(p, f)
		}
	}
	for {
		select {
		case f := <-told:
			switch {
			case f.Code >= 200 && f.Code < 300:
				l.referredTo(p, f)
				return
			case f.Code > 100 && f.Code < 200:
				rang = true
			case f.Code != 100 && !settled:
				settle(f)
			}
		case <-patience.C:
			if !settled {
				settle(calls.Fact{})
			}
		case <-p.replaced:
			return
		case <-l.ended:
			return
		}
	}
}

// referredTo tells what came of a person at the other side. If they have taken the call there, it is over here, unless the log says that
// they were let go before: a trunk that has the call all the same hangs up.
func (l *leg) referredTo(p wantedPerson, f calls.Fact) {
	l.caller.Came(p.TransferID)
	tell := calls.TransferLeg{TransferID: p.TransferID, Code: f.Code, Phrase: f.Phrase, By: calls.ByRefer, At: l.when(time.Now())}
	l.journal.addThen("transferred", tell.Decide, func(res eventstore.Result[calls.State]) {
		s := res.State
		if f.Code >= 200 && f.Code < 300 && s.LeftFor(p.TransferID) && s.Attempt.ID == l.order.try {
			l.left(atTheTrunk)
		}
	})
}

// asks asks the other side for a person, and reports whether it does what it was asked for. That it is asked is on the log before.
func (l *leg) asks(p wantedPerson, ask func(ctx context.Context) (code int, phrase string, err error)) bool {
	ctx, cancel := context.WithTimeout(l.d.writing, dialLimit)
	defer cancel()
	code, phrase, err := ask(ctx)
	if err == nil && code < 300 {
		return true
	}
	l.d.cfg.Log.Info("a trunk does not take a person, and this node does", "call", l.order.request.CallID, "transfer", p.TransferID,
		"code", code, "phrase", phrase, "error", err)
	return false
}

// noted has it on the log how far it is that the other side calls a person, and reports whether it is so: it is not where the call is
// another node's by now, or nobody is wanted any more.
func (l *leg) noted(ctx context.Context, p wantedPerson, is calls.Referral) bool {
	accepted := make(chan bool, 1)
	l.journal.addThen("referred", calls.ReferPerson{TransferID: p.TransferID, Over: is == calls.ReferralOver, At: l.when(time.Now())}.Decide,
		func(res eventstore.Result[calls.State]) {
			who, wanted := res.State.WantsPerson()
			accepted <- wanted && who.TransferID == p.TransferID && res.State.Referral == is && res.State.Attempt.ID == l.order.try
		})
	select {
	case is := <-accepted:
		return is
	case <-l.ended:
		return false
	case <-ctx.Done():
		return false
	}
}
