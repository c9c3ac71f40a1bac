package sip

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
)

// replacement is what an INVITE names that goes on with a call of ours in place of who is on it (RFC 3891).
type replacement struct {
	callID, to, from string
	early            bool // only while it rings
}

// replacementOf reads it. There has to be one, and it has to name a dialog.
func replacementOf(r *sip.Request) (of replacement, ok bool) {
	all := r.GetHeaders("Replaces")
	if len(all) != 1 || strings.Contains(all[0].Value(), ",") {
		return of, false
	}
	id, params, _ := strings.Cut(all[0].Value(), ";")
	of.callID = strings.TrimSpace(id)
	for one := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "to-tag":
			of.to = strings.TrimSpace(value)
		case "from-tag":
			of.from = strings.TrimSpace(value)
		case "early-only":
			of.early = true
		}
	}
	return of, of.callID != "" && of.to != "" && of.from != ""
}

// replaces takes an INVITE of somebody who goes on with a call: the peer of the call's trunk has joined the other side with them. It
// is no other call, and who carries it is told nothing but where it is now.
func (a *Agent) replaces(r *sip.Request, tx sip.ServerTransaction) {
	at, ok := from(r)
	of, names := replacementOf(r)
	tag := tagOf(r.From().Value())
	a.mu.Lock()
	l := a.dialogs[dialogKey(of.callID, of.to)]
	a.mu.Unlock()
	if l != nil && l.elsewhere() { // it is not forgotten at once
		l = nil
	}
	refuse := func(code int) { a.turnAway(r, tx, code, refusals[code]) }
	switch {
	case !ok || r.Via() == nil:
		refuse(400)
	case a.cfg.Gate != nil && a.cfg.Gate() != nil: // whose peer it is, is not known yet
		a.turnAway(r, tx, 503, refusals[503], retrySoon())
	case !a.knowsAt(at.Addr()):
		refuse(403)
	case !names || tag == "" || contactOf(r) == "" || len(r.CallID().Value()) > calls.LongestProviderID || len(tag) > calls.LongestProviderID:
		refuse(400)
	case required(r) != "":
		answer(r, tx, 420, refusals[420], sip.NewHeader("Unsupported", required(r)))
	case a.sources.flooding(at.Addr(), time.Now()):
		answer(r, tx, 503, refusals[503], retrySoon())
	case l == nil:
		a.elsewhere(r, tx, of)
	default:
		if code := l.replaced(of, at, r, tx); code != 0 {
			refuse(code)
		}
	}
}

// replaced goes on with who sends the INVITE, or says why not. Whose dialog is another's hears what somebody hears who names none.
func (l *Leg) replaced(of replacement, at netip.AddrPort, r *sip.Request, tx sip.ServerTransaction) (code int) {
	l.mu.Lock()
	was, talks, busy := l.dialog, l.talks, l.asking > 0
	l.asking++ // two that come at once are one
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asking--
	}()
	switch {
	case !talks || tagOf(was.now().Remote) != of.from || !l.agent.isOf(was.trunk, at.Addr()):
		return 481
	case l.over():
		return 603
	case of.early:
		return 486
	case busy:
		return 491
	}
	in := &Incoming{Leg: l, request: r, tx: tx, tag: l.agent.tag(), source: at}
	d, err := l.agent.dialogHere(r, was.trunk, in)
	if err != nil {
		return 503
	}
	body, offers := []byte(nil), len(r.Body()) == 0
	if offers {
		body = l.offersAnew()
	} else if body, _, err = l.described(r.Body(), at.Addr()); err != nil {
		l.agent.cfg.Log.Info("somebody who goes on with a call described sound that this node cannot take", "trunk", was.trunk.Name,
			"error", err)
		return 488
	}
	in.goesOn(was, d, body, offers)
	return 0
}

// goesOn answers, has the leg spoken to in the dialog of the INVITE, and lets go who was on it. offers: the sound is described by us
// first, and by the acknowledgement then.
func (in *Incoming) goesOn(was, d *dialog, body []byte, offers bool) {
	l := in.Leg
	select {
	case <-l.acks: // of an answer before
	default:
	}
	l.moves(d)
	res := in.ok(body)
	select {
	case l.moved <- struct{}{}:
	default:
	}
	ack, err := in.acknowledged(res)
	l.partsWith(was)
	if err == nil && offers {
		err = l.hear(ack.Body(), in.source.Addr())
	}
	if err != nil { // whether they are there is asked later
		l.agent.cfg.Log.Warn("somebody goes on with a call, and is not heard", "trunk", was.trunk.Name, "error", err)
	}
	l.holds()
	l.establish()
}

// partsWith tells a peer that somebody else goes on with its call.
func (l *Leg) partsWith(was *dialog) {
	l.agent.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, byePatience)
		defer cancel()
		if err := was.bye(ctx); err != nil && ctx.Err() == nil {
			l.agent.cfg.Log.Info("a peer was not told that somebody else goes on with its call", "trunk", was.trunk.Name, "error", err)
		}
	})
}

// isOf reports whether an address is one of a trunk's.
func (a *Agent) isOf(t Trunk, addr netip.Addr) bool {
	return slices.ContainsFunc(a.inbound(a.working), func(in inboundTrunk) bool {
		return trunkKey(in.Trunk) == trunkKey(t) && in.bits(addr) >= 0
	})
}
