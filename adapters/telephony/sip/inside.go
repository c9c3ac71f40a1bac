package sip

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// handle takes what peers send. A request that meets a defect of ours is answered 500, and ends nothing but itself.
func (a *Agent) handle(s *sipgo.Server) {
	surviving := func(do sipgo.RequestHandler) sipgo.RequestHandler {
		return func(r *sip.Request, tx sip.ServerTransaction) {
			defer a.survive(func() { answer(r, tx, 500, "Server Internal Error") })
			do(r, tx)
		}
	}
	refused := func(code int, reason string) sipgo.RequestHandler {
		return func(r *sip.Request, tx sip.ServerTransaction) { a.turnAway(r, tx, code, reason) }
	}
	for method, do := range map[sip.RequestMethod]sipgo.RequestHandler{
		sip.INVITE:   a.invite,
		sip.ACK:      a.ack,
		sip.CANCEL:   a.cancel,
		sip.BYE:      a.ofOurs((*waiting).bye, (*Leg).bye),
		sip.UPDATE:   a.ofOurs((*waiting).updated, (*Leg).reinvited),
		sip.INFO:     a.inside((*Leg).info),
		sip.PRACK:    a.inside(func(_ *Leg, r *sip.Request, tx sip.ServerTransaction) { answer(r, tx, 200, "OK") }),
		sip.NOTIFY:   a.inside((*Leg).notified),
		sip.OPTIONS:  a.options,
		sip.REGISTER: refused(403, "Forbidden"),
		sip.REFER:    refused(603, "Decline"), // we call nobody at a peer's word
	} {
		s.OnRequest(method, surviving(do))
	}
	s.OnNoRoute(surviving(func(r *sip.Request, tx sip.ServerTransaction) {
		a.turnAway(r, tx, 405, "Method Not Allowed", sip.NewHeader("Allow", allowed))
	}))
}

// invite begins a call, or changes one.
func (a *Agent) invite(r *sip.Request, tx sip.ServerTransaction) {
	defer a.invites.comes(r, tx)()
	if l := a.leg(r); l != nil {
		l.reinvited(r, tx)
		return
	}
	a.mu.Lock()
	invited := a.invited
	a.mu.Unlock()
	switch {
	case r.To() == nil || r.From() == nil || r.CallID() == nil || r.CSeq() == nil:
		a.turnAway(r, tx, 400, "Bad Request")
	case tagOf(r.To().Value()) != "":
		a.turnAway(r, tx, 481, refusals[481])
	case r.GetHeader("Replaces") != nil: // that is no other call
		a.replaces(r, tx)
	case invited == nil:
		a.turnAway(r, tx, 403, "Forbidden")
	case !a.ready(): // a trunk may be one that is not known yet
		a.turnAway(r, tx, 503, refusals[503], retrySoon())
	default:
		invited(r, tx)
	}
}

func (a *Agent) ack(r *sip.Request, _ sip.ServerTransaction) {
	if l := a.leg(r); l != nil {
		l.acked(r)
	}
}

// inside is for requests that only a call can have.
func (a *Agent) inside(do func(*Leg, *sip.Request, sip.ServerTransaction)) sipgo.RequestHandler {
	return func(r *sip.Request, tx sip.ServerTransaction) {
		l := a.leg(r)
		if l == nil {
			a.turnAway(r, tx, 481, refusals[481])
			return
		}
		do(l, r, tx)
	}
}

// ofOurs is for requests that a call can have while we are placing it, too.
func (a *Agent) ofOurs(placing func(*waiting, *sip.Request, sip.ServerTransaction),
	do func(*Leg, *sip.Request, sip.ServerTransaction)) sipgo.RequestHandler {
	inside := a.inside(do)
	return func(r *sip.Request, tx sip.ServerTransaction) {
		if w := a.calling(r); w != nil {
			placing(w, r, tx)
			return
		}
		inside(r, tx)
	}
}

// options says whether a call could be taken now; within a call, whether that is still there.
func (a *Agent) options(r *sip.Request, tx sip.ServerTransaction) {
	switch within := r.To() != nil && tagOf(r.To().Value()) != ""; {
	case within && a.leg(r) == nil:
		a.turnAway(r, tx, 481, refusals[481])
		return
	case within: // whether the call is, and not whether another may come
	case !a.ready():
		a.turnAway(r, tx, 503, refusals[503], retrySoon())
		return
	case !a.knows(r):
		a.turnAway(r, tx, 403, "Forbidden")
		return
	}
	answer(r, tx, 200, "OK", sip.NewHeader("Allow", allowed), sip.NewHeader("Accept", sdpType))
}

// elsewhere answers who goes on with a call that this node has not. Another node may have it, and they are told where that is: the
// address names the call once more, since not everybody who is sent on says it again.
func (a *Agent) elsewhere(r *sip.Request, tx sip.ServerTransaction, of replacement) {
	at, err := a.keeper(of.to)
	switch {
	case err != nil:
		a.cfg.Log.Warn("whose call somebody goes on with is not known", "error", err)
		a.turnAway(r, tx, 503, refusals[503], retrySoon())
	case !at.IsValid():
		a.turnAway(r, tx, 481, refusals[481])
	default:
		to := contactAt(at.Addr().String(), int(at.Port()), unescaped(r.Recipient.User), over(r))
		to.Address.Headers = sip.NewParams()
		to.Address.Headers.Add("Replaces", escapedHeader(r.GetHeader("Replaces").Value()))
		answer(r, tx, 302, "Moved Temporarily", &to)
	}
}

// Invited hands the calls that come in to somebody; without one they are refused.
func (a *Agent) Invited(take func(*sip.Request, sip.ServerTransaction)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.invited = take
}

func answer(r *sip.Request, tx sip.ServerTransaction, code int, reason string, more ...sip.Header) {
	res := sip.NewResponseFromRequest(r, code, reason, nil)
	for _, h := range more {
		res.AppendHeader(h)
	}
	_ = tx.Respond(res) // who does not hear it asks again
}

// leg is the one in whose dialog a request is. Our tag is in the dialogs of all who answered one INVITE: what somebody else of them
// asks is not of the leg.
func (a *Agent) leg(r *sip.Request) *Leg {
	if r.CallID() == nil || r.To() == nil || r.From() == nil {
		return nil
	}
	a.mu.Lock()
	l := a.dialogs[dialogKey(r.CallID().Value(), tagOf(r.To().Value()))]
	a.mu.Unlock()
	if l == nil || tagOf(l.spoken().now().Remote) != tagOf(r.From().Value()) {
		return nil
	}
	return l
}

func (l *Leg) bye(r *sip.Request, tx sip.ServerTransaction) {
	answer(r, tx, 200, "OK")
	l.leaves()
}

func (l *Leg) over() bool {
	select {
	case <-l.byed:
		return true
	case <-l.hungUp:
		return true
	default:
		return false
	}
}

// info takes a digit.
func (l *Leg) info(r *sip.Request, tx sip.ServerTransaction) {
	kind := ""
	if h := r.ContentType(); h != nil {
		kind = h.Value()
	}
	digit, ok := infoDigit(kind, r.Body())
	if !ok && len(r.Body()) > 0 {
		answer(r, tx, 415, "Unsupported Media Type", sip.NewHeader("Accept", "application/dtmf-relay, application/dtmf"))
		return
	}
	if line := l.Line(); ok && line != nil {
		line.Digit(digit, time.Now())
	}
	answer(r, tx, 200, "OK") // behind that: with the answer they may press the next key, whose request is another goroutine's
}

// reinvited takes an INVITE or an UPDATE in the dialog: hold, resume, another address, or a sign of life of the session.
func (l *Leg) reinvited(r *sip.Request, tx sip.ServerTransaction) {
	l.mu.Lock()
	d, asking := l.dialog, l.asking
	l.mu.Unlock()
	switch {
	case d == nil || l.over():
		answer(r, tx, 481, "Call/Transaction Does Not Exist")
		return
	case d.late(r):
		answer(r, tx, 500, "Server Internal Error")
		return
	case asking > 0 || l.elsewhere(): // the node that has it asks for its sound in a moment
		answer(r, tx, 491, "Request Pending")
		return
	}
	moved := d.learn(r)
	body, changed, err := l.described(r.Body(), d.first.Addr())
	if err != nil {
		l.agent.cfg.Log.Info("a peer described sound that this node cannot take", "trunk", d.trunk.Name, "error", err)
		answer(r, tx, 488, "Not Acceptable Here")
		return
	}
	res := sip.NewResponseFromRequest(r, 200, "OK", nil)
	contact := l.agent.contact(d.trunk.Username, trunks.Transport(d.now().Transport))
	res.AppendHeader(&contact)
	res.AppendHeader(sip.NewHeader("Allow", allowed))
	offers := body == nil && r.IsInvite() // it asks for a description, and answers that in its acknowledgement
	if offers {
		body = l.offersAnew()
	}
	if body != nil {
		res.AppendHeader(sip.NewHeader("Content-Type", sdpType))
	}
	l.refreshed(r, res)
	res.SetBody(body)
	if offers {
		done := make(chan struct{})
		l.agent.later(func(ctx context.Context) { // the library waits for the end of its handler
			defer close(done)
			l.answersLate(ctx, d, r, tx, res, moved)
		})
		<-done
		return
	}
	_ = tx.Respond(res)
	l.holds()
	if moved || changed {
		l.establish()
	}
}

// answersLate goes by the description in the acknowledgement of an INVITE that had none: where the sound goes from then on, and whether we
// are on hold. One that has none, or that never comes, or cannot be taken, leaves all as it was. What the peer wants to change meanwhile
// has to wait: ours is not answered yet.
func (l *Leg) answersLate(ctx context.Context, d *dialog, r *sip.Request, tx sip.ServerTransaction, res *sip.Response, moved bool) {
	defer l.waits()()
	l.mu.Lock()
	was := l.theirs
	l.mu.Unlock()
	ack, over := l.acknowledges(ctx, r, tx, res)
	if over {
		return
	}
	if ack != nil && len(ack.Body()) > 0 {
		if err := l.hear(ack.Body(), d.first.Addr()); err != nil {
			l.agent.cfg.Log.Info("a peer described sound that this node cannot take", "trunk", d.trunk.Name, "error", err)
		}
	}
	l.holds()
	l.mu.Lock()
	changed := !was.same(l.theirs)
	l.mu.Unlock()
	if moved || changed {
		l.establish()
	}
}

// acknowledges tells the answer to an INVITE in the dialog again and again until it is heard; nil: it never was. over says that the
// leg is.
func (l *Leg) acknowledges(ctx context.Context, r *sip.Request, tx sip.ServerTransaction, res *sip.Response) (ack *sip.Request, over bool) {
	again, end := firstAgain, time.After(ackPatience)
	_ = tx.Respond(res)
	for {
		select {
		case ack = <-l.acks:
		case ack = <-tx.Acks():
		case <-time.After(again):
			again = min(2*again, longestAgain)
			_ = tx.Respond(res)
			continue
		case <-l.byed:
			return nil, true
		case <-l.left:
			return nil, true
		case <-ctx.Done():
			return nil, false
		case <-end:
			return nil, false
		}
		if ack != nil && ack.CSeq() != nil && ack.CSeq().SeqNo == r.CSeq().SeqNo { // else of an answer before
			return ack, false
		}
	}
}

// holds tells when the peer has put us on hold by its last description, or has taken us back.
func (l *Leg) holds() {
	l.mu.Lock()
	defer l.mu.Unlock() // behind the fact: another description may be next
	held := l.theirs.held()
	switch {
	case held && !l.held:
		l.tell(calls.Fact{Kind: calls.FactHeld})
	case l.held && !held:
		l.tell(calls.Fact{Kind: calls.FactResumed})
	}
	l.held = held
	if l.media.started() {
		l.media.line.Hold(held)
	}
}

// described goes by the peer's new description, and gives ours. Both are nil when it has none.
func (l *Leg) described(offer []byte, peer netip.Addr) (body []byte, changed bool, err error) {
	if len(offer) == 0 {
		return nil, false, nil
	}
	d, err := readSDP(offer)
	if err != nil {
		return nil, false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.theirs
	ours := l.mine
	if ours != nil && d.key != nil && !slices.Equal(d.key, was.key) {
		ours = newKey() // a key is never used from its beginning twice
	}
	if err := l.accept(d, peer, ours); err != nil {
		return nil, false, err
	}
	if l.mine != nil {
		l.offer.keyTag = d.keyTag
	}
	reply := l.offer
	reply.version++
	reply.codecs, reply.direction, reply.events = l.theirs.codecs, mirror(d.direction), d.events
	reply.secure = d.secure
	l.offer.version = reply.version
	return reply.text(), !was.same(l.theirs), nil
}

// offersAnew describes our sound to a peer that asks for that.
func (l *Leg) offersAnew() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offer.version++
	return l.offer.text()
}

// refreshed takes what the peer says of the session's timer, and says it back.
func (l *Leg) refreshed(r *sip.Request, res *sip.Response) {
	asked := sessionOf(r, time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked.interval == 0 {
		l.expires = refresh{}
		return
	}
	// Who asks is the client of this transaction; "uas" are we, and a peer that says nothing does it itself.
	who := "uac"
	asked.ours = !asked.ours
	if asked.ours {
		who = "uas"
		res.AppendHeader(sip.NewHeader("Require", "timer"))
	}
	l.expires = asked
	res.AppendHeader(sip.NewHeader("Session-Expires", strconv.Itoa(int(asked.interval.Seconds()))+";refresher="+who))
}

// noPart is the answer to a description by which we take no part in the sound.
func (a *Agent) noPart(t Trunk, offer []byte) []byte {
	o := offered{at: netip.AddrPortFrom(netip.MustParseAddr(a.host), 9), id: 1, version: 1, codecs: t.Codecs, direction: inactive}
	if d, err := readSDP(offer); err == nil {
		o.codecs, o.secure = d.codecs, d.secure
		if d.key != nil {
			o.key, o.keyTag = newKey(), d.keyTag
		}
	}
	return o.text()
}
