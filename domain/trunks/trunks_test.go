package trunks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	local = trunks.TrunkDefined{TenantID: "acct", Name: "sim", Provider: trunks.Local, Default: true, DeclaredDefault: true}
	// before is a peer as it was defined when there were no settings
	before = trunks.TrunkDefined{TenantID: "acct", Name: "carrier", Provider: trunks.SIP, Address: "sip.example.com:5061",
		Transport: trunks.TLS,
		Username:  "u", Password: "sealed-1", PasswordFingerprint: "f1"}
	peer = with(before, trunks.Settings{Register: true, CallerIDHeader: trunks.CallerFrom, NumberFormat: numbers.PlusE164,
		Codecs: []string{"PCMU", "PCMA"}, SRTP: trunks.SRTPOff, DTMF: trunks.DTMFEvents, OptionsSeconds: 30})
)

func with(e trunks.TrunkDefined, s trunks.Settings) trunks.TrunkDefined {
	e.Settings = &s
	return e
}

func defineLocal(name string, isDefault bool) trunks.DefineTrunk {
	return trunks.DefineTrunk{TenantID: "acct", Name: name, Provider: "local", Default: isDefault}
}

func definePeer(edit func(*trunks.DefineTrunk)) trunks.DefineTrunk {
	c := trunks.DefineTrunk{TenantID: "acct", Name: "carrier", Provider: "sip", Address: "sip.example.com:5061", Transport: "tls",
		Username: "u", Password: "sealed-1", PasswordFingerprint: "f1"}
	if edit != nil {
		edit(&c)
	}
	return c
}

// apply runs commands one after the other and gives the history.
func apply(t *testing.T, history []event.Payload, commands ...trunks.DefineTrunk) []event.Payload {
	t.Helper()
	for _, c := range commands {
		got, err := c.Decide(trunks.Trunks.State(history...))
		require.NoError(t, err)
		history = append(history, got...)
	}
	return history
}

func refused(t *testing.T, err error, fields ...string) {
	t.Helper()
	require.Equal(t, fields, faulttest.Fields(t, err))
}

func TestATrunkIsDefinedOnce(t *testing.T) {
	history := apply(t, nil, defineLocal("sim", true), definePeer(nil))
	require.Equal(t, []event.Payload{local, peer}, history)
	again := apply(t, history, defineLocal("sim", true), definePeer(nil),
		definePeer(func(c *trunks.DefineTrunk) { c.Password = "sealed-again" }))
	require.Len(t, again, 2, "a password sealed again is no change")
	require.Len(t, apply(t, []event.Payload{local, before}, definePeer(nil)), 2, "nor are the defaults of what was defined before them")
}

func TestAChangedTrunk(t *testing.T) {
	history := apply(t, nil, defineLocal("sim", true), definePeer(nil), definePeer(func(c *trunks.DefineTrunk) {
		c.Address, c.Transport, c.Password, c.PasswordFingerprint = "10.0.0.1", "", "sealed-2", "f2"
	}))
	want := with(peer, *peer.Settings)
	want.Address, want.Transport, want.Password, want.PasswordFingerprint = "10.0.0.1", trunks.UDP, "sealed-2", "f2"
	require.Equal(t, want, history[2])
}

func TestThereIsExactlyOneDefault(t *testing.T) {
	for name, c := range map[string]struct {
		commands []trunks.DefineTrunk
		want     string
	}{
		"none":                             {nil, ""},
		"the first, though it did not ask": {[]trunks.DefineTrunk{defineLocal("a", false)}, "a"},
		"the first stays":                  {[]trunks.DefineTrunk{defineLocal("a", false), defineLocal("b", false)}, "a"},
		"a claim moves it":                 {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true)}, "b"},
		"a claim repeated does not":        {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true), defineLocal("a", true)}, "b"},
		"a claim given up leaves it":       {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", false), defineLocal("a", false)}, "a"},
		"handed over, old one first": {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", false), defineLocal("a", false),
			defineLocal("b", true)}, "b"},
		"given up and claimed again": {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true), defineLocal("a", false),
			defineLocal("a", true)}, "a"},
		"given up to the one that claims it": {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true),
			defineLocal("b", false)}, "a"},
		"given up with two that claim it": {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true), defineLocal("c", true),
			defineLocal("c", false)}, "c"},
		"and then claimed again by one of them": {[]trunks.DefineTrunk{defineLocal("a", true), defineLocal("b", true),
			defineLocal("c", true), defineLocal("c", false), defineLocal("b", true), defineLocal("a", true)}, "b"},
	} {
		s := trunks.Trunks.State(apply(t, nil, c.commands...)...)
		require.Equal(t, c.want, s.Default, name)
		found, ok := s.Find("")
		require.Equal(t, c.want != "", ok, name)
		require.Equal(t, c.want, found.Name, name)
	}
}

func TestTheEventSaysWhoIsTheDefault(t *testing.T) {
	history := apply(t, nil, defineLocal("a", false), defineLocal("b", false), defineLocal("b", true))
	var got []bool
	for _, e := range history {
		got = append(got, e.(trunks.TrunkDefined).Default)
	}
	require.Equal(t, []bool{true, false, true}, got)
}

func TestFindingATrunk(t *testing.T) {
	s := trunks.Trunks.State(local, peer)
	found, ok := s.Find("carrier")
	require.True(t, ok)
	require.Equal(t, trunks.SIP, found.Provider)
	_, ok = s.Find("Carrier")
	require.False(t, ok)
}

func TestWrongFieldsOfATrunk(t *testing.T) {
	for field, edit := range map[string]func(*trunks.DefineTrunk){
		"metadata.name":  func(c *trunks.DefineTrunk) { c.Name = strings.Repeat("x", 101) },
		"spec.provider":  func(c *trunks.DefineTrunk) { c.Provider = "pstn" },
		"spec.address":   func(c *trunks.DefineTrunk) { c.Address = "" },
		"spec.transport": func(c *trunks.DefineTrunk) { c.Transport = "sctp" },
		"spec.username":  func(c *trunks.DefineTrunk) { c.Username = "" },
		"spec.password":  func(c *trunks.DefineTrunk) { c.PasswordFingerprint = "" },
	} {
		_, err := definePeer(edit).Decide(trunks.State{})
		refused(t, err, field)
	}
	_, err := definePeer(func(c *trunks.DefineTrunk) { c.Provider = "local" }).Decide(trunks.State{})
	refused(t, err, "spec.address", "spec.transport", "spec.username", "spec.password")
}

func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"sip.example.com": true, "sip.example.com:5060": true, "10.0.0.1": true, "10.0.0.1:1": true, "[2001:db8::1]:5060": true,
		"[2001:db8::1]": true, "pbx": true,
		"": false, ":5060": false, "sip:host": false, "host:0": false, "host:65536": false, "2001:db8::1": false, "a b": false,
		"-x.example":              false,
		"host:5060;transport=tcp": false, "u@host": false, strings.Repeat("a", 256): false,
	} {
		_, err := definePeer(func(c *trunks.DefineTrunk) { c.Address = address }).Decide(trunks.State{})
		if ok {
			require.NoError(t, err, address)
			continue
		}
		refused(t, err, "spec.address")
	}
}

func TestRemovingTrunks(t *testing.T) {
	remove := func(name string) trunks.RemoveTrunk { return trunks.RemoveTrunk{TenantID: "acct", Name: name} }
	both := trunks.Trunks.State(local, peer)
	_, err := remove("sim").Decide(both)
	require.True(t, fault.Is(err, fault.Conflict), "the default stays while there are others")
	got, err := remove("carrier").Decide(both)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{trunks.TrunkRemoved{TenantID: "acct", Name: "carrier"}}, got)

	claims := peer
	claims.DeclaredDefault = true
	got, err = remove("sim").Decide(trunks.Trunks.State(claims, local))
	require.NoError(t, err)
	require.Equal(t, "carrier", trunks.Trunks.State(append([]event.Payload{claims, local}, got...)...).Default, "the one that claims it")

	got = []event.Payload{trunks.TrunkRemoved{TenantID: "acct", Name: "carrier"}}
	one := trunks.Trunks.State(local, peer, got[0])
	again, err := remove("carrier").Decide(one)
	require.NoError(t, err)
	require.Empty(t, again)
	got, err = remove("sim").Decide(one)
	require.NoError(t, err)
	require.Empty(t, trunks.Trunks.State(local, got[0]).Default)
	require.Equal(t, "trunks-acct", trunks.Stream("acct"))
}
