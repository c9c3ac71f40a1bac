package sip_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

// caller is an agent with one trunk, and what may be changed of it.
type caller struct {
	*sip.Agent
	trunks *book
	shut   atomic.Bool // its gate
}

// book is trunks by name, which an agent reads while a test changes them.
type book struct {
	mu  sync.Mutex
	all map[string]sip.Trunk
}

func (b *book) get(name string) (sip.Trunk, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.all[name]
	return t, ok
}

func (b *book) each() []sip.Trunk {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.all))
}

func (b *book) remove(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, name)
}

// change changes a trunk; a new one is like the main one but for that.
func (b *book) change(name string, change func(*sip.Trunk)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, there := b.all[name]
	if !there {
		t = b.all["main"]
	}
	change(&t)
	b.all[name] = t
}

func newCaller(t *testing.T, address string, change ...func(*sip.Trunk)) *caller {
	t.Helper()
	return openCaller(t, nil, address, change...)
}

// openCaller is one with a certificate, if that is not nil.
func openCaller(t *testing.T, certificate *tls.Certificate, address string, change ...func(*sip.Trunk)) *caller {
	t.Helper()
	return callerWith(t, func(cfg *sip.Config) { cfg.Certificate = certificate }, address, change...)
}

// callerWith is one with settings of its node.
func callerWith(t *testing.T, set func(*sip.Config), address string, change ...func(*sip.Trunk)) *caller {
	t.Helper()
	trunk := sip.Trunk{TenantID: "acme", Name: "main", Address: address, Transport: trunks.UDP,
		Settings: trunks.Settings{CallerIDHeader: trunks.CallerFrom, NumberFormat: numbers.PlusE164, Codecs: []string{"PCMU", "PCMA"},
			SRTP: trunks.SRTPOff, DTMF: trunks.DTMFEvents}}
	for _, f := range change {
		f(&trunk)
	}
	c := &caller{trunks: &book{all: map[string]sip.Trunk{"main": trunk}}}
	cfg := sip.Config{RTPFirst: 20000, RTPLast: 24999,
		Allow: func(a netip.Addr) bool { return a.IsLoopback() }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Gate: func() error {
			if c.shut.Load() {
				return fault.New(fault.CatchingUp, "the read models catch up")
			}
			return nil
		},
		Trunks: func(context.Context) ([]sip.Trunk, error) { return c.trunks.each(), nil },
		Trunk: func(_ context.Context, tenant, name string) (sip.Trunk, error) {
			of, ok := c.trunks.get(name)
			if !ok || tenant != "acme" {
				return of, fault.New(fault.NotFound, "no trunk %s", name)
			}
			return of, nil
		}}
	set(&cfg)
	var agent *sip.Agent
	var err error
	for range 5 { // a port that was free may be somebody's meanwhile
		cfg.Listen = fmt.Sprintf("%s:%d", Host, FreePort(t))
		if agent, err = sip.Open(cfg); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	require.NoError(t, err)
	c.Agent = agent
	t.Cleanup(func() { // again, where a test has done it
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		_ = agent.Close(ctx)
	})
	return c
}

func at(p *Peer) string { return fmt.Sprintf("%s:%d", Host, p.Port) }

// dials places a call to a number.
func (c *caller) dials(t *testing.T) *heardLeg {
	t.Helper()
	return c.dialsURI(t, "tel:+15550000001")
}

func (c *caller) dialsURI(t *testing.T, target string) *heardLeg {
	t.Helper()
	leg, err := c.Dial(t.Context(), calls.LegRequest{CallID: "c-1", SID: "s-1", TenantID: "acme", Target: target, OurNumber: "+15550100",
		Trunk: "main"})
	require.NoError(t, err)
	return &heardLeg{t: t, Leg: leg}
}

// heardLeg keeps what a leg has told.
type heardLeg struct {
	*sip.Leg
	t     *testing.T
	facts []calls.Fact
}

// until reads facts up to one of a kind.
func (l *heardLeg) until(kind calls.FactKind) calls.Fact {
	l.t.Helper()
	patience := time.After(30 * time.Second)
	for {
		select {
		case f, open := <-l.Facts():
			require.True(l.t, open, "the leg ended without %s: %s", kind, l.story())
			l.facts = append(l.facts, f)
			if f.Kind == kind {
				return f
			}
		case <-patience:
			require.Fail(l.t, "no "+string(kind), l.story())
		}
	}
}

// over reads to the end.
func (l *heardLeg) over() string {
	l.t.Helper()
	patience := time.After(30 * time.Second)
	for {
		select {
		case f, open := <-l.Facts():
			if !open {
				return l.story()
			}
			l.facts = append(l.facts, f)
		case <-patience:
			require.Fail(l.t, "the leg does not end", l.story())
		}
	}
}

// story is what happened, but for the sound.
func (l *heardLeg) story() string {
	var out []string
	for _, f := range l.facts {
		switch f.Kind {
		case calls.FactWords, calls.FactSilence, calls.FactSpeechBegan, calls.FactSpeechEnded, calls.FactTone:
		case calls.FactRejected:
			out = append(out, fmt.Sprintf("rejected %d %s", f.Code, f.Phrase))
		case calls.FactLost:
			out = append(out, "lost: "+f.Error)
		case calls.FactDigit:
			out = append(out, "digit "+f.Digit)
		case calls.FactTransferred:
			out = append(out, strings.TrimSpace(fmt.Sprintf("transferred %d %s", f.Code, f.Phrase)))
		default:
			out = append(out, string(f.Kind))
		}
	}
	return strings.Join(out, ", ")
}

const answer = "[media_port]"

// Given a callee that does not take the call, then the leg says how, by its own code and phrase.
func TestHowACallIsNotTaken(t *testing.T) {
	for name, c := range map[string]struct {
		script []string
		want   string
	}{
		"busy":        {[]string{Reply(100, "Trying"), Reply(486, "Busy Here"), ACK}, "rejected 486 Busy Here"},
		"declined":    {[]string{Reply(180, "Ringing"), Pause(100), Reply(603, "Decline"), ACK}, "ringing, rejected 603 Decline"},
		"unknown":     {[]string{Reply(404, "Not Found"), ACK}, "rejected 404 Not Found"},
		"unavailable": {[]string{Reply(100, "Trying"), Reply(503, "Out of lines"), ACK}, "rejected 503 Out of lines"},
		"no codec":    {[]string{Reply(488, "Not Acceptable Here"), ACK}, "rejected 488 Not Acceptable Here"},
		"redirected elsewhere": {[]string{
			"<send><![CDATA[\nSIP/2.0 302 Moved Temporarily\n[last_Via:]\n[last_From:]\n[last_To:];tag=x\n[last_Call-ID:]\n[last_CSeq:]\n" +
				"Contact: <sip:+19005550000@192.0.2.9>\nContent-Length: 0\n\n]]></send>\n", ACK}, "rejected 302 Moved Temporarily"},
		"challenged without a password": {[]string{Reply(407, "Proxy Authentication Required",
			"Proxy-Authenticate: Digest realm=\"x\", nonce=\"n\"\n"), ACK}, "rejected 407 Proxy Authentication Required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := SIPp(t, Scenario(c.script...), 1)
			// The library has a goroutine for each message: a 100 right before the end may be late.
			require.Equal(t, c.want, strings.TrimPrefix(newCaller(t, at(peer)).dials(t).over(), "trying, "))
			peer.Satisfied()
		})
	}
}

// Given a callee that answers, when one side hangs up, then the other is told.
func TestAnAnsweredCall(t *testing.T) {
	t.Run("we hang up", func(t *testing.T) {
		t.Parallel()
		peer := SIPp(t, Scenario(Reply(100, "Trying"), Pause(100), Reply(180, "Ringing"), Pause(100), ReplySDP(200, "OK", Sound(answer)), ACK,
			BYE, ReplyOK), 1)
		leg := newCaller(t, at(peer)).dials(t)
		established := leg.until(calls.FactEstablished)
		require.NoError(t, leg.HangUp(t.Context()))
		require.Equal(t, "trying, ringing, answered, established", leg.over())
		peer.Satisfied()
		d := established.Dialog
		require.Equal(t, []any{"udp", "PCMU", false, true}, []any{d.Transport, d.Codec, d.Secure, strings.HasPrefix(d.RTP, Host+":")})
		require.Contains(t, d.Remote, "tag=")
		require.Contains(t, d.Local, "+15550100@")
		require.Equal(t, fmt.Sprintf("sip:callee@%s;transport=UDP", at(peer)), d.Target)
	})
	t.Run("they hang up", func(t *testing.T) {
		t.Parallel()
		peer := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, Pause(100), SendsBYE), 1)
		leg := newCaller(t, at(peer)).dials(t)
		require.Equal(t, "answered, established, hung-up", leg.over())
		peer.Satisfied()
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		peer := SIPp(t, Scenario(Reply(180, "Ringing"), ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK), 1, "-t", "t1")
		leg := newCaller(t, at(peer), func(tr *sip.Trunk) { tr.Transport = trunks.TCP }).dials(t)
		leg.until(calls.FactEstablished)
		require.NoError(t, leg.HangUp(t.Context()))
		require.Equal(t, "ringing, answered, established", leg.over())
		peer.Satisfied()
	})
	t.Run("early media and more than ten provisional answers", func(t *testing.T) {
		t.Parallel()
		var script []string
		for range 12 {
			script = append(script, ReplySDP(183, "Session Progress", Sound(answer)), Pause(10))
		}
		peer := SIPp(t, Scenario(append(script, ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK)...), 1)
		leg := newCaller(t, at(peer)).dials(t)
		leg.until(calls.FactEstablished)
		require.NoError(t, leg.HangUp(t.Context()))
		require.Equal(t, "ringing, answered, established", leg.over())
		peer.Satisfied()
	})
}

// Given a call that another trunk took than was asked for, then its dialog says so: it is spoken to by that one from then on.
func TestTheDialogNamesTheTrunkThatTookTheCall(t *testing.T) {
	t.Parallel()
	full := SIPp(t, Scenario(Reply(503, "Out of lines"), ACK), 1)
	spare := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK), 1)
	c := newCaller(t, at(full), func(tr *sip.Trunk) { tr.Fallbacks = []string{"spare"} })
	c.trunks.change("spare", func(tr *sip.Trunk) { tr.Name, tr.Address, tr.Fallbacks = "spare", at(spare), nil })
	leg := c.dials(t)
	require.Equal(t, "spare", leg.until(calls.FactEstablished).Dialog.Trunk)
	require.NoError(t, leg.HangUp(t.Context()))
	require.Equal(t, "answered, established", leg.over())
	spare.Satisfied()
}

// Given a trunk that does not take a call, is not reached, or is full, then another of its fallbacks does; numbers that it refuses are
// not dialled at all.
func TestFallbacksAndRefusals(t *testing.T) {
	t.Parallel()
	full := SIPp(t, Scenario(Reply(503, "Out of lines"), ACK), 1)
	spare := SIPp(t, Scenario(Reply(486, "Busy Here"), ACK), 2)
	c := newCaller(t, at(full), func(tr *sip.Trunk) { tr.Fallbacks = []string{"gone", "spare"} })
	c.trunks.change("spare", func(tr *sip.Trunk) { tr.Name, tr.Address, tr.Fallbacks = "spare", at(spare), nil })
	require.Equal(t, "rejected 486 Busy Here", c.dials(t).over(), "it was 503 before anybody rang")
	full.Satisfied()

	const silent = "408 Request Timeout"
	c.trunks.change("main", func(tr *sip.Trunk) { tr.Unreachable = silent })
	require.Equal(t, "rejected 486 Busy Here", c.dials(t).over(), "it is not reached")
	c.trunks.change("spare", func(tr *sip.Trunk) { tr.MaxCalls = 1 })
	asks := func(sid string) (func(), error) {
		return c.Room(t.Context(), calls.LegRequest{SID: sid, TenantID: "acme", Trunk: "main"})
	}
	leave, err := asks("r-1")
	require.NoError(t, err)
	_, err = asks("r-2")
	require.ErrorContains(t, err, "its 1 calls at a time", "there is one place")
	leave()
	leave, err = asks("r-2")
	require.NoError(t, err)
	leave()

	c.trunks.change("spare", func(tr *sip.Trunk) { tr.Unreachable = silent })
	_, err = c.Dial(t.Context(), calls.LegRequest{SID: "s-2", TenantID: "acme", Target: "tel:+15550000001", Trunk: "main"})
	require.ErrorContains(t, err, silent)

	c.trunks.change("main", func(tr *sip.Trunk) { tr.Unreachable, tr.Refuse, tr.Fallbacks = "", []string{"+1900"}, nil })
	_, err = c.Dial(t.Context(), calls.LegRequest{SID: "s-3", TenantID: "acme", Target: "tel:+19005550000", Trunk: "main"})
	require.ErrorContains(t, err, "does not dial numbers that begin so: +1900")
	for _, target := range []string{"sip:+19005550000@" + at(full), "sip:%2B1-900%35550000;phone-context=x@" + at(full),
		"sip:0019005550000@elsewhere"} {
		_, err = c.Dial(t.Context(), calls.LegRequest{SID: "s-6", TenantID: "acme", Target: target, Trunk: "main"})
		require.ErrorContains(t, err, "does not dial numbers that begin so: +1900", target)
	}
	_, err = c.Dial(t.Context(), calls.LegRequest{SID: "s-4", TenantID: "another", Target: "tel:+15550000001", Trunk: "main"})
	require.Error(t, err, "somebody else's trunk")

	c.trunks.change("main", func(tr *sip.Trunk) { tr.Address = "10.0.0.1" })
	_, err = c.Dial(t.Context(), calls.LegRequest{SID: "s-5", TenantID: "acme", Target: "tel:+15550000001", Trunk: "main"})
	require.ErrorContains(t, err, "not one that this node connects to")
}
