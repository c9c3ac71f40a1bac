package sip

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

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
		if status == calls.LegOver {
			a.limits.over(r.SID, t)
		} else {
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

// mostPutDown is how many are hung up at once who answered a call that is no more.
const mostPutDown = 100

// tooLate hangs up on who answers a call of this node that is none any more: its process died while it rang, or its trunk did not take
// it back in all the time that it had. Without it they hear nothing, until their side gives up. Whoever has the dialog goes on with it.
func (a *Agent) tooLate(ctx context.Context, res *sip.Response) {
	ours := tagOf(res.From().Value())
	at, err := netip.ParseAddrPort(res.Source())
	if err != nil || !strings.HasPrefix(ours, markOf(a.cfg.Node)) || contactOf(res) == "" {
		return
	}
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	of := a.trunksAt(ctx, at.Addr(), "")
	if len(of) == 0 { // nobody is spoken to at a stranger's word
		return
	}
	if keeper, err := a.keeper(ours); err != nil || keeper.IsValid() {
		return
	}
	t := of[0]
	if opened, err := a.cfg.Trunk(ctx, t.TenantID, t.Name); err == nil { // with its password
		t = opened
	}
	by, err := a.sender(t, t.Transport)
	if err != nil {
		return
	}
	invite := sip.NewRequest(sip.INVITE, sip.Uri{})
	sip.CopyHeaders("From", res, invite)
	sip.CopyHeaders("Call-ID", res, invite)
	sip.CopyHeaders("CSeq", res, invite)
	d, err := a.dialogOf(by, t, at, invite, res)
	if err != nil {
		return
	}
	d.of.CSeq += adoptedAhead // what its process counted is not known
	if err = d.acknowledge(ctx, invite.CSeq().SeqNo, nil); err != nil || !a.putDown.begin(ours) {
		return
	}
	defer a.putDown.end(ours)
	a.cfg.Log.Info("somebody answered a call that is no more, and is hung up", "trunk", t.Name, "tenant", t.TenantID, "error", d.bye(ctx))
}

// adoptedAhead is how many requests of a dialog a process may have sent that nobody counted.
const adoptedAhead = 1000

// underway are those who are being hung up, by our tags: they repeat their answer until they hear of it.
type underway struct {
	mu  sync.Mutex
	all map[string]bool
}

func (u *underway) begin(tag string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all[tag] || len(u.all) >= mostPutDown {
		return false
	}
	if u.all == nil {
		u.all = map[string]bool{}
	}
	u.all[tag] = true
	return true
}

func (u *underway) end(tag string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, tag)
}
