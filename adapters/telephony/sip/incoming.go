package sip

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
)

const (
	firstAgain   = 500 * time.Millisecond // until an answer is told again that was not acknowledged
	longestAgain = 4 * time.Second
	ackPatience  = 32 * time.Second
)

// Incoming is a leg that rings here. It is a leg as any other once it is answered.
type Incoming struct {
	*Leg
	request   *sip.Request
	tx        sip.ServerTransaction
	tag       string // ours
	source    netip.AddrPort
	full      bool          // the trunk has as many calls as it may have
	counts    string        // the id by which it counts on its trunk; empty: it does not
	named     chan struct{} // closed when it counts by that id; nil: from its first ring
	told      bool          // its last answer; of who takes the call
	cancelled chan struct{}
	ended     chan struct{} // closed when the answered leg is over; nil: it was not answered
}

// prepare takes what the call needs, and refuses sound that this node cannot take.
func (in *Incoming) prepare(t Trunk, at netip.AddrPort) error {
	in.tag, in.source, in.trunk = in.agent.tag(), at, t
	var err error
	if in.full, err = in.agent.limits.takeIn(in.agent.working, in.tag, t, time.Now()); err != nil {
		return err
	}
	if !in.full {
		in.counts = in.tag // it is no call's leg yet, and another node may have the same request
	}
	if in.media, err = in.agent.openMedia(t.RTPNAT); err != nil {
		return err
	}
	in.describe(t)
	body := in.request.Body()
	if len(body) == 0 { // we describe ourselves first
		return nil
	}
	d, err := readSDP(body)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	_, err = in.judged(d, at.Addr())
	return err
}

// offered lets somebody have the call. Who gives up before an answer has hung up. No caller is left without a last
// answer, whatever becomes of who has the call.
func (in *Incoming) offered(take func()) {
	defer func() {
		if !in.told && !in.gaveUp() {
			_ = in.Reject(context.Background(), 500, "Server Internal Error")
		}
	}()
	givesUp := sync.OnceFunc(func() {
		close(in.cancelled)
		in.facts.put(calls.Fact{Kind: calls.FactHungUp, At: time.Now()})
	})
	if !in.tx.OnCancel(func(*sip.Request) { givesUp() }) { // they have already
		givesUp()
	}
	take()
	if in.ended != nil {
		<-in.ended
	}
}

// gaveUp reports whether the caller has cancelled the request, by which it has its last answer: 487. Any other, and that it rings, would
// go out in place of that when it is told again.
func (in *Incoming) gaveUp() bool {
	select {
	case <-in.cancelled:
		return true
	default:
		return false
	}
}

// still ends what the leg hears and tells.
func (in *Incoming) still() {
	in.silence()
	in.facts.close()
}

// release gives back what the call had.
func (in *Incoming) release() {
	in.still()
	if in.named != nil {
		<-in.named
	}
	if in.counts != "" {
		in.gives(in.counts, in.trunk)
	}
}

// respond makes an answer to the request, in the dialog that it makes.
func (in *Incoming) respond(code int, reason string) *sip.Response {
	res := sip.NewResponseFromRequest(in.request, code, reason, nil)
	if to := res.To(); to != nil {
		if to.Params == nil {
			to.Params = sip.NewParams()
		}
		to.Params.Remove("tag")
		to.Params.Add("tag", in.tag)
	}
	contact := in.agent.contact(in.trunk.Username, over(in.request))
	res.AppendHeader(&contact)
	return res
}

// Ring tells the caller that somebody is being called.
func (in *Incoming) Ring(context.Context) error {
	if in.gaveUp() {
		return nil
	}
	return in.tx.Respond(in.respond(180, "Ringing"))
}

// Reject refuses the call.
func (in *Incoming) Reject(_ context.Context, code int, phrase string) error {
	in.told = true
	if in.gaveUp() {
		return nil
	}
	res := in.respond(code, phrase)
	if code == 503 {
		res.AppendHeader(retrySoon())
	}
	return in.tx.Respond(res)
}

// Drop says nothing.
func (in *Incoming) Drop() {
	in.told = true
	in.tx.Terminate()
}

var errGone = errors.New("the caller has given up")

// Answer picks up, for the leg of a call. What comes of it is told as facts.
func (in *Incoming) Answer(_ context.Context, r calls.LegRequest) error {
	d, err := in.agent.dialogHere(in.request, in.trunk, in)
	if err != nil {
		return err
	}
	l := in.Leg
	l.request = r
	l.history = l.agent.book.Enter(r.SID, l)
	body, offers := l.offer.text(), len(in.request.Body()) == 0
	if !offers {
		if body, _, err = l.described(in.request.Body(), in.source.Addr()); err != nil {
			l.agent.book.Over(l.history)
			return err
		}
	}
	l.enter(d)
	in.told = true
	if was := in.counts; was != "" {
		in.counts, in.named = r.SID, make(chan struct{})
		in.agent.later(func(ctx context.Context) { // whoever goes on with the call counts it by that id
			defer close(in.named)
			in.agent.limits.named(ctx, was, r.SID, in.trunk)
		})
	}
	res := in.ok(body)
	in.ended = make(chan struct{})
	in.agent.later(func(context.Context) {
		defer close(in.ended)
		defer l.agent.book.Over(l.history)
		defer in.still()
		defer l.leave()
		in.follow(d, res, offers)
	})
	return nil
}

// ok is the answer by which the leg goes on in the dialog of the request.
func (in *Incoming) ok(body []byte) *sip.Response {
	res := in.respond(200, "OK")
	res.AppendHeader(sip.NewHeader("Allow", allowed))
	res.AppendHeader(sip.NewHeader("Supported", "timer, replaces"))
	in.refreshed(in.request, res)
	res.AppendHeader(sip.NewHeader("Content-Type", sdpType))
	res.SetBody(body)
	return res
}

// follow tells the answer until it is acknowledged, and follows the leg to its end.
func (in *Incoming) follow(d *dialog, res *sip.Response, offers bool) {
	l := in.Leg
	ack, err := in.acknowledged(res)
	switch {
	case errors.Is(err, errGone):
		select {
		case <-l.byed:
			l.tell(calls.Fact{Kind: calls.FactHungUp})
		default: // that was told
		}
		return
	case err != nil:
		l.lost(d, err.Error())
		return
	}
	if offers {
		if err = l.hear(ack.Body(), in.source.Addr()); err != nil {
			l.agent.cfg.Log.Warn("a call came in with sound that this node cannot take", "trunk", d.trunk.Name, "error", err)
			l.lost(d, "the caller described no sound that this node can take")
			return
		}
	}
	l.begins(time.Now())
	l.establish()
	l.holds()
	l.talk()
}

var errUnheard = errors.New("the answer was not acknowledged")

// acknowledged tells the answer again and again until it is heard. Who hangs up, or gave up before it,
// is gone; that is told as a fact already, or here.
func (in *Incoming) acknowledged(res *sip.Response) (*sip.Request, error) {
	again, end := firstAgain, time.After(ackPatience)
	for {
		if in.gaveUp() {
			return nil, errGone
		}
		if err := in.tx.Respond(res); err != nil {
			if in.gaveUp() {
				return nil, errGone
			}
			return nil, err
		}
		select {
		case r := <-in.acks:
			return r, nil
		case r := <-in.tx.Acks():
			return r, nil
		case <-in.cancelled:
			return nil, errGone
		case <-in.byed:
			return nil, errGone
		case <-end:
			return nil, errUnheard
		case <-time.After(again):
			again = min(2*again, longestAgain)
		}
	}
}

// acked takes the acknowledgement of an answer of ours. The newest waits for who wants it: not every answer is waited for to be
// acknowledged.
func (l *Leg) acked(r *sip.Request) {
	for {
		select {
		case l.acks <- r:
			return
		default:
		}
		select {
		case <-l.acks:
		default:
		}
	}
}

// Abandon ends the leg on this node and tells the peer nothing: another node has the call.
func (l *Leg) Abandon() {
	l.quietly.Do(func() { close(l.left) })
}

// elsewhere reports whether another node has the call.
func (l *Leg) elsewhere() bool {
	select {
	case <-l.left:
		return true
	default:
		return false
	}
}
