package sip

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// refresh is the session's timer (RFC 4028). The zero value runs for ever.
type refresh struct {
	interval time.Duration
	ours     bool // we refresh it; else the peer does, and without it the session is over
	since    time.Time
	late     bool // the peer would not have it refreshed; it is asked once more before the end
}

// due is when something has to be done; zero: never.
func (r refresh) due() time.Time {
	switch {
	case r.interval == 0:
		return time.Time{}
	case r.ours && !r.late:
		return r.since.Add(r.interval / 2)
	}
	return r.since.Add(r.interval - min(r.interval/3, 32*time.Second))
}

// sessionOf reads what an answer to us says of the session's timer.
func sessionOf(m headed, at time.Time) refresh {
	h := m.GetHeader("Session-Expires")
	if h == nil {
		return refresh{}
	}
	value, params, _ := strings.Cut(h.Value(), ";")
	seconds, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || seconds < 1 || seconds > 7*86_400 {
		return refresh{}
	}
	return refresh{interval: time.Duration(max(seconds, 2)) * time.Second, since: at, ours: !strings.Contains(params, "refresher=uas")}
}

const (
	aliveEvery  = 20 * time.Second // a peer that sends nothing for so long is asked whether it is there
	alivePeriod = 5 * time.Second
)

// answered takes a 2xx: it is acknowledged, the sound begins, and the leg is followed to its end. known is called when requests of
// the peer find the leg.
func (l *Leg) answered(of *try, w *waiting, res *sip.Response, known func()) {
	at := time.Now()
	d, err := w.established(res)
	known()
	if err != nil {
		l.agent.cfg.Log.Warn("an answer cannot be acknowledged", "trunk", of.trunk.Name, "error", err)
		if d == nil {
			l.rejected(500, "")
			return
		}
	}
	defer l.leave()
	if body := w.soundOf(res); len(body) > 0 {
		err = l.hear(body, of.first.Addr())
	} else if !l.media.started() { // it may have another tag by now
		err = errNoSound
	}
	if err != nil {
		l.agent.cfg.Log.Warn("a call was answered with sound that this node cannot take", "trunk", of.trunk.Name, "error", err)
		l.end(d)
		l.rejected(488, "")
		return
	}
	l.mu.Lock()
	l.expires = sessionOf(res, at)
	l.mu.Unlock()
	l.begins(at)
	l.establish()
	l.holds()
	l.talk()
}

// begins tells that somebody is there. From then on others may go on with the call.
func (l *Leg) begins(at time.Time) {
	l.mu.Lock()
	l.talks = true
	l.mu.Unlock()
	l.tell(calls.Fact{Kind: calls.FactAnswered, At: at})
	l.media.line.Answered(at)
}

// establish tells what the dialog is now. It is nothing yet before its sound is described: a peer may move before that.
func (l *Leg) establish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.theirs.codecs) == 0 {
		return
	}
	of := l.dialog.now()
	of.Trunk = l.dialog.trunk.Name
	of.Codec = l.theirs.codecs[0]
	of.Secure, of.RTP = l.mine != nil, ""
	if l.theirs.at.IsValid() { // else its packets will tell
		of.RTP = l.theirs.at.String()
	}
	of.Routes = slices.Clone(of.Routes)
	l.tell(calls.Fact{Kind: calls.FactEstablished, Dialog: &of})
}

// talk waits for the end of an answered leg.
func (l *Leg) talk() {
	timer := time.NewTicker(min(alivePeriod, l.agent.cfg.Quiet/2))
	defer timer.Stop()
	silent := time.Now()
	failed := 0
	for {
		l.mu.Lock()
		expires, d := l.expires, l.dialog
		l.mu.Unlock()
		var due <-chan time.Time
		if at := expires.due(); !at.IsZero() {
			due = time.After(time.Until(at))
		}
		select {
		case <-l.hungUp:
			l.end(l.spoken())
			return
		case <-l.moved: // and so have its timers
		case <-l.left:
			return
		case <-l.byed:
			l.hungUpThere()
			return
		case <-due:
			if d != l.spoken() {
				continue
			}
			if !expires.ours {
				l.lost(d, "the peer did not refresh the session")
				return
			}
			if err := l.again(d); err != nil && d == l.spoken() {
				l.lost(d, err.Error())
				return
			}
		case <-timer.C:
			if l.media.heardSince(silent) {
				silent, failed = time.Now(), 0
			} else if time.Since(silent) >= l.agent.cfg.Quiet {
				silent = time.Now()
				d = l.spoken()
				if failed = l.alive(d, failed); failed > 1 && d == l.spoken() {
					l.lost(d, "the peer is gone")
					return
				}
			}
		}
	}
}

// alive asks a peer that sends nothing whether the dialog still is.
func (l *Leg) alive(d *dialog, failed int) int {
	ctx, cancel := context.WithTimeout(l.agent.working, firstWord)
	defer cancel()
	res, err := d.ask(ctx, sip.OPTIONS, "", nil)
	switch {
	case err != nil:
		return failed + 1
	case res.StatusCode == sip.StatusCallTransactionDoesNotExists:
		return failed + 2
	}
	return 0
}

// lost ends a leg that is no more; the peer is told, if it is there.
func (l *Leg) lost(d *dialog, why string) {
	l.tell(calls.Fact{Kind: calls.FactLost, Error: why})
	l.end(d)
}

// end tells the peer that it is over, behind the leg's back.
func (l *Leg) end(d *dialog) {
	l.agent.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, byePatience)
		defer cancel()
		select {
		case <-l.byed: // both hung up
			return
		default:
		}
		if err := d.bye(ctx); err != nil && ctx.Err() == nil {
			l.agent.cfg.Log.Info("a peer was not told that a call is over", "trunk", d.trunk.Name, "error", err)
		}
	})
}

var (
	errInward    = errors.New("the description names an address that this node does not send to")
	errOwnPort   = errors.New("the description names the port of another call")
	errUnsecured = errors.New("the description has no key, and the trunk wants the sound to be encrypted")
	errSecured   = errors.New("the description wants the sound to be encrypted, and the trunk does not")
)

// hear takes the peer's answer to our description, early or final.
func (l *Leg) hear(body []byte, peer netip.Addr) error {
	d, err := readSDP(body)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accept(d, peer, l.mine)
}

// judged is a description as it would be gone by: of one codec, and of an address that this node sends to. The caller holds the
// lock.
func (l *Leg) judged(d description, peer netip.Addr) (description, error) {
	i := slices.IndexFunc(d.codecs, func(codec string) bool { return slices.Contains(l.offer.codecs, codec) })
	if i < 0 {
		return d, errNoCodec
	}
	d.codecs = d.codecs[i : i+1 : i+1]
	switch at := d.at; {
	case at.Addr().IsUnspecified(): // on hold, as it was said once
	case at.Addr() == netip.MustParseAddr(l.agent.host) && l.agent.ports.ours(int(at.Port())):
		return d, errOwnPort
	case at.Addr() != peer && !l.agent.cfg.Allow(at.Addr()):
		if !l.trunk.RTPNAT {
			return d, errInward
		}
		d.at = netip.AddrPort{} // its packets will tell
	}
	switch {
	case l.mine == nil && d.secure:
		return d, errSecured
	case l.mine != nil && d.key == nil && (d.secure || l.trunk.SRTP == trunks.SRTPRequire):
		return d, errUnsecured
	}
	return d, nil
}

// accept goes by a description of the peer's, with a key of ours if it has one; an error has changed nothing. The caller
// holds the lock.
func (l *Leg) accept(d description, peer netip.Addr, ours []byte) error {
	d, err := l.judged(d, peer)
	if err != nil {
		return err
	}
	if err := l.agree(d, ours); err != nil {
		return err
	}
	law := laws[d.codecs[0]]
	l.begin(law)
	way := d
	if d.at.IsValid() && d.at.Addr().IsUnspecified() {
		way.at = netip.AddrPort{}
	}
	l.media.toward(way, law)
	l.theirs = d
	return nil
}

// agree takes the peer's key, and ours with it, or goes on without. The caller holds the lock.
func (l *Leg) agree(d description, ours []byte) error {
	switch {
	case l.mine == nil:
		return nil
	case d.key == nil:
		l.mine, l.offer.key = nil, nil
		l.media.open()
		return nil
	case slices.Equal(d.key, l.theirs.key):
		return nil
	}
	if err := l.media.secure(ours, d.key); err != nil {
		return err
	}
	l.mine, l.offer.key = ours, ours
	return nil
}
