package sip

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

const (
	firstWord     = 4 * time.Second // without any answer for so long, the trunk is given up
	mostRedirects = 3
	farewell      = 32 * time.Second // for which somebody who was cancelled may still answer
	byePatience   = 10 * time.Second
)

// try is a call over one trunk: what is sent, and where.
type try struct {
	trunk     Trunk
	by        sender
	first     netip.AddrPort
	invite    *sip.Request
	redirects map[string]bool // URIs that were tried
}

var (
	errNumberRefused = errors.New("the trunk does not dial numbers that begin so")
	errNoHost        = errors.New("the callee's URI has no host")
)

// prepare makes what is to be sent over a trunk, and takes what the call needs of it. An error means that nothing was
// sent; what was taken is given back.
func (l *Leg) prepare(ctx context.Context, t Trunk) (*try, error) {
	if prefix := t.refuses(l.request.Target); prefix != "" {
		return nil, fmt.Errorf("%w: %s", errNumberRefused, prefix)
	}
	by, err := l.agent.sender(t, t.Transport)
	if err != nil {
		return nil, err
	}
	first, err := l.agent.locate(ctx, t.hop(), t.Transport)
	if err != nil {
		return nil, fmt.Errorf("finding the trunk %s: %w", t.Name, err)
	}
	if err := l.agent.limits.take(ctx, l.request.SID, t, time.Now()); err != nil {
		return nil, err
	}
	if l.media == nil {
		if l.media, err = l.agent.openMedia(t.RTPNAT); err != nil {
			l.agent.limits.give(l.request.SID, t)
			return nil, err
		}
	}
	l.media.behind(t.RTPNAT)
	l.mu.Lock()
	l.trunk = t
	l.mu.Unlock()
	l.describe(t)
	of := &try{trunk: t, by: by, first: first, redirects: map[string]bool{}}
	if of.invite, err = l.invite(of, l.uri(t)); err != nil {
		l.agent.limits.give(l.request.SID, t)
		return nil, err
	}
	return of, nil
}

// refuses is the prefix for which the trunk does not call a target: a number, or a SIP URI whose user is one as the trunk writes it.
func (t Trunk) refuses(target string) string {
	if user, is := strings.CutPrefix(target, "sip:"); is {
		user, _, _ = strings.Cut(user, "@")
		target = t.Plan().Stored(unescaped(user))
	}
	return numbers.Refused(target, t.Refuse)
}

// describe makes our description of the sound.
func (l *Leg) describe(t Trunk) {
	at := netip.AddrPortFrom(netip.MustParseAddr(l.agent.host), uint16(l.media.port))
	l.offer = offered{at: at, id: uint64(rand.Uint32()), version: 1, codecs: t.Codecs, events: ourEvents, direction: both}
	l.mine = nil
	if t.SRTP == trunks.SRTPOffer || t.SRTP == trunks.SRTPRequire {
		l.mine = newKey()
		l.offer.key, l.offer.keyTag, l.offer.secure = l.mine, "1", t.SRTP == trunks.SRTPRequire
	}
}

// uri is whom the trunk is asked for.
func (l *Leg) uri(t Trunk) string { return uriOf(t, l.request.Target) }

func uriOf(t Trunk, target string) string {
	if strings.HasPrefix(target, "sip:") {
		return target
	}
	return "sip:" + t.Plan().Wire(target) + "@" + t.Address + ";user=phone"
}

// invite makes the first request.
func (l *Leg) invite(of *try, to string) (*sip.Request, error) {
	t := of.trunk
	var target sip.Uri
	if err := sip.ParseUri(to, &target); err != nil {
		return nil, fmt.Errorf("the callee's URI cannot be read: %w", err)
	}
	if target.Host == "" {
		return nil, errNoHost
	}
	of.redirects[target.String()] = true
	req := sip.NewRequest(sip.INVITE, target)
	req.SetTransport(strings.ToUpper(string(t.Transport)))
	ours := t.Plan().Caller(l.request.OurNumber)
	if ours == "" {
		ours = "anonymous"
	}
	name := ours
	if t.CallerIDHeader == trunks.CallerAsserted && t.Username != "" {
		name = t.Username
	}
	req.AppendHeader(sip.NewHeader("From", fmt.Sprintf("<sip:%s@%s>;tag=%s", escaped(name), t.domain(), l.agent.tag())))
	req.AppendHeader(sip.NewHeader("To", "<"+strings.TrimSuffix(target.String(), ";user=phone")+">"))
	req.AppendHeader(sip.NewHeader("Call-ID", l.callID()))
	req.AppendHeader(&sip.CSeqHeader{SeqNo: 1 + rand.Uint32N(10_000), MethodName: sip.INVITE})
	forwards := sip.MaxForwardsHeader(70)
	req.AppendHeader(&forwards)
	contact := l.agent.contact(name, t.Transport)
	req.AppendHeader(&contact)
	if t.CallerIDHeader != trunks.CallerFrom {
		req.AppendHeader(sip.NewHeader("P-Asserted-Identity", fmt.Sprintf("<sip:%s@%s>", escaped(ours), t.domain())))
	}
	req.AppendHeader(sip.NewHeader("Allow", allowed))
	req.AppendHeader(sip.NewHeader("Supported", "timer, 100rel, replaces"))
	req.AppendHeader(sip.NewHeader("User-Agent", "Parley"))
	req.AppendHeader(sip.NewHeader("Content-Type", sdpType))
	req.SetBody(l.offer.text())
	req.SetDestination(of.first.String())
	return req, nil
}

// callID is another one for each trunk that is tried.
func (l *Leg) callID() string { return sip.GenerateTagN(24) + "@" + l.agent.host }

// escaped is a name as the user of a URI.
func escaped(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-_.!~*'()&=+$,;?/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// unescaped is the name that the user of a URI is: a request has it as it came over the wire.
func unescaped(user string) string {
	if name, err := url.PathUnescape(user); err == nil {
		return name
	}
	return user
}

// ring sends the INVITE, and follows what comes of it to the end of the leg: rejected, given up, or talked and hung up.
func (l *Leg) ring(of *try) {
	for given := (proofs{}); ; {
		w := &waiting{leg: l, of: of, invite: of.invite}
		stop := w.listens()
		res := w.wait()
		if res != nil && res.IsSuccess() {
			l.answered(of, w, res, stop)
			return
		}
		if stop(); res == nil {
			return
		}
		switch {
		case challenged(res):
			next := of.invite.Clone()
			again, err := given.give(next, res, of.trunk)
			if err != nil {
				l.agent.cfg.Log.Warn("a trunk wants a proof", "trunk", of.trunk.Name, "error", err)
			}
			if again {
				of.invite = next
				continue
			}
		case res.StatusCode == 422:
			if next := withLongerSession(of.invite, res); next != nil {
				of.invite = next
				continue
			}
		case res.StatusCode >= 300 && res.StatusCode < 400:
			if next := l.redirected(of, res); next != nil {
				of.invite = next
				continue
			}
		}
		l.rejected(res.StatusCode, res.Reason)
		return
	}
}

// rejected ends the leg before an answer. What a trunk did not take, before anybody was rung, another may: it is told
// when none does.
func (l *Leg) rejected(code int, phrase string) {
	f := calls.Fact{Kind: calls.FactRejected, Code: code, Phrase: phrase, At: time.Now()}
	if code == 503 && !l.rang && len(l.more) > 0 {
		l.spared = &f
		return
	}
	l.tell(f)
}

// redirected is the request to whom an answer names, if it is somebody else at the trunk itself: we call nobody at the word
// of a peer whom the trunk would not call.
func (l *Leg) redirected(of *try, res *sip.Response) *sip.Request {
	contact := contactOf(res)
	var to sip.Uri
	if contact == "" || len(of.redirects) > mostRedirects || sip.ParseUri(contact, &to) != nil {
		return nil
	}
	host, _ := hostPort(of.trunk.Address, of.trunk.Transport)
	if to.Host != host && to.Host != of.first.Addr().String() || of.trunk.refuses("sip:"+to.User) != "" {
		return nil
	}
	to.Headers = nil
	if of.redirects[to.String()] {
		return nil
	}
	of.redirects[to.String()] = true
	next := of.invite.Clone()
	next.Recipient = to
	next.RemoveHeader("Via")
	next.CSeq().SeqNo++
	return next
}

// withLongerSession is the request again, for a peer that wants sessions to be refreshed less often.
func withLongerSession(invite *sip.Request, res *sip.Response) *sip.Request {
	least := res.GetHeader("Min-SE")
	if least == nil || invite.GetHeader("Session-Expires") != nil {
		return nil
	}
	value, _, _ := strings.Cut(least.Value(), ";")
	seconds, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || seconds < 1 || seconds > 86_400 {
		return nil
	}
	next := invite.Clone()
	next.AppendHeader(sip.NewHeader("Session-Expires", strconv.Itoa(seconds)))
	next.AppendHeader(sip.NewHeader("Min-SE", strconv.Itoa(seconds)))
	next.RemoveHeader("Via")
	next.CSeq().SeqNo++
	return next
}
