package sip

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// withoutNames is a machine whose server of names does what it is told. No test of the package runs beside it.
func withoutNames(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.Helper()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	t.Cleanup(func() { net.DefaultResolver = before })
}

// Given a name that needs DNS and gets none, then nothing is dialled, the error says which name, and nobody waits for longer than
// a look at a name takes; a peer that names itself so is answered where it was called.
func TestANameThatGetsNoAnswer(t *testing.T) {
	a := &Agent{host: "127.0.0.1", cfg: Config{Allow: func(netip.Addr) bool { return true }}}
	for _, dial := range []func(context.Context, string, string) (net.Conn, error){
		func(ctx context.Context, _, _ string) (net.Conn, error) { // it says nothing
			mute, silent := net.Pipe()
			context.AfterFunc(ctx, func() { _ = silent.Close() })
			return mute, nil
		},
		func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") },
	} {
		withoutNames(t, dial)
		_, err := a.locate(t.Context(), "carrier.example", trunks.UDP)
		require.ErrorContains(t, err, "the name carrier.example leads to no address")
	}
	d := &dialog{agent: a, first: peer, of: calls.Dialog{Transport: "udp"}} // by the last of the two
	require.Equal(t, peer, d.toward(t.Context(), sip.Uri{Host: "callee.example", Port: 5060}))
	_, err := a.locate(t.Context(), "", trunks.UDP)
	require.ErrorContains(t, err, "has no host")
}

// Given descriptions that name what is not the peer's, then they are not gone by: sound is sent to nobody who is not on the call.
func TestWhereSoundIsNotSent(t *testing.T) {
	a := &Agent{host: "127.0.0.1", book: legs.NewBook(), ports: newPortRange("127.0.0.1", 20_000, 24_999), cfg: Config{Log: slog.Default(),
		Pacer: voice.NewPacer(voice.PacerOptions{}), Allow: func(a netip.Addr) bool { return !a.IsPrivate() }}}
	begin := func(trunk Trunk) *Leg {
		l := newLeg(a, calls.LegRequest{})
		l.trunk = trunk
		var err error
		l.media, err = a.openMedia(trunk.RTPNAT)
		require.NoError(t, err)
		t.Cleanup(l.silence)
		l.describe(trunk)
		return l
	}
	trunk := Trunk{Settings: trunks.Settings{Codecs: []string{trunks.PCMU}}}
	beside := begin(trunk)
	at := func(host string, port int) netip.AddrPort {
		return netip.AddrPortFrom(netip.MustParseAddr(host), uint16(port))
	}
	for name, c := range map[string]struct {
		to   netip.AddrPort
		from string
		nat  bool
		want error
		told netip.AddrPort
	}{
		"another caller":                    {at("127.0.0.1", beside.media.port), "192.0.2.1", false, errOwnPort, netip.AddrPort{}},
		"another caller, of our own host":   {at("127.0.0.1", beside.media.port), "127.0.0.1", false, errOwnPort, netip.AddrPort{}},
		"another caller, from behind a NAT": {at("127.0.0.1", beside.media.port), "192.0.2.1", true, errOwnPort, netip.AddrPort{}},
		"inward":                            {at("10.0.0.1", 4000), "192.0.2.1", false, errInward, netip.AddrPort{}},
		"inward, from there":                {at("10.0.0.1", 4000), "10.0.0.1", false, nil, at("10.0.0.1", 4000)},
		"inward, from behind a NAT":         {at("10.0.0.1", 4000), "192.0.2.1", true, nil, netip.AddrPort{}},
		"nowhere":                           {at("0.0.0.0", 4000), "192.0.2.1", false, nil, netip.AddrPort{}},
		"the peer":                          {at("192.0.2.1", 4000), "192.0.2.1", false, nil, at("192.0.2.1", 4000)},
	} {
		of := trunk
		of.RTPNAT = c.nat
		l := begin(of)
		err := l.hear(offered{at: c.to, codecs: []string{trunks.PCMU}, direction: both}.text(), netip.MustParseAddr(c.from))
		require.ErrorIs(t, err, c.want, name)
		l.media.mu.Lock()
		require.Equal(t, c.told, l.media.told, name)
		l.media.mu.Unlock()
	}
}
