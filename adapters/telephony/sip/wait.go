package sip

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
)

// waiting is one INVITE and what comes back.
type waiting struct {
	leg    *Leg
	of     *try
	invite *sip.Request
	tx     sip.ClientTransaction
	heard  bool // there was any answer

	mu     sync.Mutex
	early  map[string]*dialog // of provisional answers that want to be acknowledged, by their tag
	newest map[string]string  // their last number
	pracks atomic.Int32       // acknowledgements of them that are on their way
	tag    string             // of who answered; empty: nobody yet
	again  func()             // acknowledges once more
	forks  map[string]bool    // others who answered, too
	sounds map[string][]byte  // how each has described its sound before an answer, by its tag
	byed   map[string]bool    // who has hung up before we had heard that they answered, by their tag
}

// wait sends the INVITE and gives the final answer. nil: there is none, and the leg has been told.
func (w *waiting) wait() *sip.Response {
	l := w.leg
	ctx, cancel := context.WithTimeout(l.agent.working, firstWord) // of the connection
	tx, err := w.of.by.begin(ctx, w.invite)
	cancel()
	if err != nil {
		l.agent.cfg.Log.Warn("a trunk cannot be reached", "trunk", w.of.trunk.Name, "error", err)
		l.agent.tellSilent(w.of.trunk)
		l.rejected(503, "")
		return nil
	}
	w.tx, w.early, w.newest, w.forks = tx, map[string]*dialog{}, map[string]string{}, map[string]bool{}
	tx.OnRetransmission(w.repeated)
	patience := time.NewTimer(firstWord)
	defer patience.Stop()
	for {
		select {
		case res := <-tx.Responses():
			patience.Stop()
			if !res.IsProvisional() {
				return res
			}
			w.heard = true
			w.provisional(res)
		case <-patience.C:
			l.agent.cfg.Log.Warn("a trunk has not answered in time, and is given up", "trunk", w.of.trunk.Name)
			l.agent.tellSilent(w.of.trunk)
			w.abandon()
			l.rejected(503, "")
			return nil
		case <-tx.Done():
			l.rejected(503, "")
			return nil
		case <-l.hungUp:
			w.abandon()
			return nil
		}
	}
}

// Silent has somebody told of each trunk that has said nothing to a call.
func (a *Agent) Silent(told func(tenant, name string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent = told
}

func (a *Agent) tellSilent(t Trunk) {
	a.mu.Lock()
	told := a.silent
	a.mu.Unlock()
	if told != nil {
		told(t.TenantID, t.Name)
	}
}

// provisional takes an answer that is not the last: ringing, or sound before anybody picks up.
func (w *waiting) provisional(res *sip.Response) {
	l := w.leg
	switch {
	case res.StatusCode == 100 && !l.rang: // answers that come at once may change places
		l.tell(calls.Fact{Kind: calls.FactTrying})
	case (res.StatusCode == 180 || res.StatusCode == 183) && !l.rang:
		l.rang = true
		l.tell(calls.Fact{Kind: calls.FactRinging})
	}
	if to := res.To(); len(res.Body()) > 0 && to != nil {
		if err := w.describes(tagOf(to.Value()), res.Body()); err != nil {
			l.agent.cfg.Log.Info("sound before an answer is not heard", "trunk", w.of.trunk.Name, "error", err)
		}
	}
	w.confirm(res)
}

// confirm acknowledges a provisional answer whose sender wants that (RFC 3262), in the early dialog that it makes.
func (w *waiting) confirm(res *sip.Response) {
	number := res.GetHeader("RSeq")
	if number == nil || !requires(res, "100rel") || res.To() == nil {
		return
	}
	tag, _ := res.To().Params.Get("tag")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.newest[tag] == number.Value() || w.pracks.Load() >= mostForks { // who is not acknowledged says it again
		return
	}
	d := w.early[tag]
	if d == nil {
		if len(w.early) >= mostForks {
			return
		}
		var err error
		if d, err = w.leg.agent.dialogOf(w.of.by, w.of.trunk, w.of.first, w.invite, res); err != nil {
			return
		}
		w.early[tag] = d
	}
	w.newest[tag] = number.Value()
	w.pracks.Add(1)
	of := w.invite.CSeq().Value()
	w.leg.agent.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, byePatience)
		defer cancel()
		defer w.pracks.Add(-1)
		if _, err := d.ask(ctx, sip.PRACK, "", nil, sip.NewHeader("RAck", number.Value()+" "+of)); err != nil {
			w.leg.agent.cfg.Log.Info("a provisional answer could not be acknowledged", "trunk", w.of.trunk.Name, "error", err)
		}
	})
}

func requires(m headed, option string) bool {
	for _, h := range m.GetHeaders("Require") {
		for one := range strings.SplitSeq(h.Value(), ",") {
			if strings.TrimSpace(one) == option {
				return true
			}
		}
	}
	return false
}

// established is the dialog that an answer has made. What comes of the same INVITE behind it is acknowledged, and hung up if
// it is somebody else's.
func (w *waiting) established(res *sip.Response) (*dialog, error) {
	d, err := w.leg.agent.dialogOf(w.of.by, w.of.trunk, w.of.first, w.invite, res)
	if err != nil {
		return nil, err
	}
	invite := w.invite.CSeq().SeqNo
	tag := tagOf(d.of.Remote)
	w.mu.Lock()
	defer w.mu.Unlock()
	if early := w.early[tag]; early != nil { // requests were counted in it already
		d.of.CSeq = early.now().CSeq
	}
	w.tag = tag
	w.again = func() { _ = d.acknowledge(w.leg.agent.working, invite, nil) }
	w.leg.enter(d)   // whoever has the acknowledgement may hang up at once
	if w.byed[tag] { // or did so before
		w.leg.leaves()
	}
	return d, d.acknowledge(w.leg.agent.working, invite, nil)
}

// repeated takes a 2xx behind the first.
func (w *waiting) repeated(res *sip.Response) {
	to := res.To()
	if to == nil || !res.IsSuccess() {
		return
	}
	tag, _ := to.Params.Get("tag")
	w.mu.Lock()
	own, again, known, most := w.tag, w.again, w.forks[tag], len(w.forks) >= mostForks
	if own != "" && tag != own && !most {
		w.forks[tag] = true
	}
	w.mu.Unlock()
	switch {
	case own == "":
	case tag == own:
		again()
	case !known && !most: // of more the trunk itself has to give up
		w.leg.agent.later(func(ctx context.Context) { w.decline(ctx, res) })
	}
}

// decline hangs up on somebody whom we do not want any more.
func (w *waiting) decline(ctx context.Context, res *sip.Response) {
	ctx, cancel := context.WithTimeout(ctx, byePatience)
	defer cancel()
	d, err := w.leg.agent.dialogOf(w.of.by, w.of.trunk, w.of.first, w.invite, res)
	if err == nil {
		err = d.acknowledge(ctx, w.invite.CSeq().SeqNo, nil)
	}
	if err == nil {
		err = d.bye(ctx)
	}
	if err != nil {
		w.leg.agent.cfg.Log.Warn("somebody who answered too late could not be hung up on", "trunk", w.of.trunk.Name, "error", err)
	}
}

// abandon cancels the INVITE, behind the leg's back. It can be cancelled when there was any answer; who picks up all the same
// is hung up on.
func (w *waiting) abandon() {
	w.leg.agent.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, farewell)
		defer cancel()
		defer w.tx.Terminate()
		if w.heard {
			w.cancel(ctx)
		}
		for {
			select {
			case res := <-w.tx.Responses():
				switch {
				case res.IsSuccess():
					if to := res.To(); to != nil {
						w.mu.Lock()
						w.tag, w.again = tagOf(to.Value()), func() {}
						w.mu.Unlock()
						w.decline(ctx, res)
					}
					return
				case !res.IsProvisional():
					return
				case !w.heard:
					w.heard = true
					w.cancel(ctx)
				}
			case <-w.tx.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	})
}

// cancel takes the INVITE back. The answer to that says nothing: that to the INVITE does.
func (w *waiting) cancel(ctx context.Context) {
	req := sip.NewRequest(sip.CANCEL, w.invite.Recipient)
	req.SetTransport(w.invite.Transport())
	req.AppendHeader(sip.HeaderClone(w.invite.Via()))
	req.AppendHeader(sip.NewHeader("From", w.invite.From().Value()))
	req.AppendHeader(sip.NewHeader("To", w.invite.To().Value()))
	req.AppendHeader(sip.NewHeader("Call-ID", w.invite.CallID().Value()))
	req.AppendHeader(&sip.CSeqHeader{SeqNo: w.invite.CSeq().SeqNo, MethodName: sip.CANCEL})
	forwards := sip.MaxForwardsHeader(70)
	req.AppendHeader(&forwards)
	sip.CopyHeaders("Route", w.invite, req)
	req.SetDestination(w.invite.Destination())
	w.leg.agent.later(func(context.Context) {
		if _, err := w.of.by.once(ctx, req); err != nil && ctx.Err() == nil {
			w.leg.agent.cfg.Log.Info("a call was taken back, and its peer did not say so", "trunk", w.of.trunk.Name, "error", err)
		}
	})
}

// listens takes what a peer asks before its answer is known: that its sound is described anew (RFC 3311), and that it hangs up.
// Until stop.
func (w *waiting) listens() (stop func()) {
	a, key := w.leg.agent, dialogKey(w.invite.CallID().Value(), tagOf(w.invite.From().Value()))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ringing[key] = w
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.ringing, key)
	}
}

// calling is the INVITE in whose early dialog a request is; nil: none.
func (a *Agent) calling(r *sip.Request) *waiting {
	if r.CallID() == nil || r.To() == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ringing[dialogKey(r.CallID().Value(), tagOf(r.To().Value()))]
}

// updated takes an UPDATE in an early dialog. One that describes sound before our own description was answered has to wait.
func (w *waiting) updated(r *sip.Request, tx sip.ServerTransaction) {
	l := w.leg
	l.mu.Lock()
	described := len(l.theirs.codecs) > 0
	l.mu.Unlock()
	if !described && len(r.Body()) > 0 {
		answer(r, tx, 491, "Request Pending")
		return
	}
	body, _, err := l.described(r.Body(), w.of.first.Addr())
	if err != nil {
		l.agent.cfg.Log.Info("a peer described sound that this node cannot take", "trunk", w.of.trunk.Name, "error", err)
		answer(r, tx, 488, "Not Acceptable Here")
		return
	}
	if len(r.Body()) > 0 && r.From() != nil {
		w.notes(tagOf(r.From().Value()), r.Body())
	}
	res := sip.NewResponseFromRequest(r, 200, "OK", nil)
	contact := l.agent.contact(w.of.trunk.Username, w.of.trunk.Transport)
	res.AppendHeader(&contact)
	res.AppendHeader(sip.NewHeader("Allow", allowed))
	if body != nil {
		res.AppendHeader(sip.NewHeader("Content-Type", sdpType))
		res.SetBody(body)
	}
	_ = tx.Respond(res)
}

// mostForks is to how many callees a call forks. What more of them say is not remembered, and theirs is not the call: tags cost a trunk
// nothing.
const mostForks = 32

// bye takes that somebody hangs up of whom it is not known yet that they answered: over UDP the two may change places.
func (w *waiting) bye(r *sip.Request, tx sip.ServerTransaction) {
	answer(r, tx, 200, "OK")
	if r.From() == nil {
		return
	}
	tag := tagOf(r.From().Value())
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tag == tag { // meanwhile it is
		w.leg.leaves()
		return
	}
	if w.byed == nil {
		w.byed = map[string]bool{}
	}
	if len(w.byed) < mostForks {
		w.byed[tag] = true
	}
}

var errManyForks = errors.New("more callees than a call forks to describe their sound")

// describes goes by how one of those who may pick up describes its sound, and notes that. Its answer need not say it again.
func (w *waiting) describes(tag string, body []byte) error {
	w.mu.Lock()
	most := w.sounds[tag] == nil && len(w.sounds) >= mostForks
	w.mu.Unlock()
	if most {
		return errManyForks
	}
	err := w.leg.hear(body, w.of.first.Addr())
	if err == nil {
		w.notes(tag, body)
	}
	return err
}

// notes keeps how one of them has described its sound last.
func (w *waiting) notes(tag string, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sounds == nil {
		w.sounds = map[string][]byte{}
	}
	if w.sounds[tag] != nil || len(w.sounds) < mostForks {
		w.sounds[tag] = body
	}
}

// soundOf is the description by which somebody who has answered is heard: that of the answer, else the last one before it.
func (w *waiting) soundOf(res *sip.Response) []byte {
	if body := res.Body(); len(body) > 0 || res.To() == nil {
		return body
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sounds[tagOf(res.To().Value())]
}
