package trunks_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

func authority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1)}, &x509.Certificate{}, &key.PublicKey, key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestWhatATrunkMaySay(t *testing.T) {
	off, never := false, 0
	c := definePeer(func(c *trunks.DefineTrunk) {
		c.Given = trunks.Given{Register: &off, OutboundProxy: "10.0.0.9:5062", FromDomain: "example.com", CallerIDHeader: "pai",
			NumberFormat: "national", Country: "+49", Codecs: []string{"PCMA"}, SRTP: "require", DTMF: "info", OptionsSeconds: &never,
			MaxCalls: 30, CallsPerSecond: 5, Sources: []string{"192.0.2.7/24", "2001:db8::1"}, CA: authority(t), RTPNAT: true,
			Refuse: []string{"+49900", "112"}, Fallbacks: []string{"spare"}, Transfers: "refer"}
	})
	got, err := c.Decide(trunks.State{})
	require.NoError(t, err)
	ca := strings.TrimSpace(c.Given.CA)
	require.Equal(t, trunks.Settings{OutboundProxy: "10.0.0.9:5062", FromDomain: "example.com", CallerIDHeader: trunks.CallerAsserted,
		NumberFormat: numbers.National, Country: "49", Codecs: []string{"PCMA"}, SRTP: trunks.SRTPRequire, DTMF: trunks.DTMFInfo,
		MaxCalls: 30, CallsPerSecond: 5, Sources: []string{"192.0.2.0/24", "2001:db8::1/128"}, CA: ca, RTPNAT: true,
		Refuse: []string{"+49900", "112"}, Fallbacks: []string{"spare"},
		Transfers: trunks.TransfersRefer}, *got[0].(trunks.TrunkDefined).Settings)
	again, err := c.Decide(trunks.Trunks.State(got...))
	require.NoError(t, err)
	require.Empty(t, again)
	require.Equal(t, numbers.Plan{Format: numbers.National, Country: "49"}, got[0].(trunks.TrunkDefined).Settings.Plan())
}

func TestWrongSettingsNameTheirField(t *testing.T) {
	yes, four := true, 4
	for field, edit := range map[string]func(*trunks.DefineTrunk){
		"spec.username": func(c *trunks.DefineTrunk) {
			c.Username, c.Password, c.PasswordFingerprint, c.Given.Register = "", "", "", &yes
		},
		"spec.outboundProxy":   func(c *trunks.DefineTrunk) { c.Given.OutboundProxy = "sip:proxy" },
		"spec.fromDomain":      func(c *trunks.DefineTrunk) { c.Given.FromDomain = "a b" },
		"spec.callerIdHeader":  func(c *trunks.DefineTrunk) { c.Given.CallerIDHeader = "rpid" },
		"spec.numberFormat":    func(c *trunks.DefineTrunk) { c.Given.NumberFormat = "E.164" },
		"spec.country":         func(c *trunks.DefineTrunk) { c.Given.NumberFormat = "national" },
		"spec.codecs":          func(c *trunks.DefineTrunk) { c.Given.Codecs = []string{"PCMU", "opus"} },
		"spec.srtp":            func(c *trunks.DefineTrunk) { c.Transport, c.Given.SRTP = "udp", "offer" },
		"spec.dtmf":            func(c *trunks.DefineTrunk) { c.Given.DTMF = "inband" },
		"spec.optionsSeconds":  func(c *trunks.DefineTrunk) { c.Given.OptionsSeconds = &four },
		"spec.maxCalls":        func(c *trunks.DefineTrunk) { c.Given.MaxCalls = -1 },
		"spec.callsPerSecond":  func(c *trunks.DefineTrunk) { c.Given.CallsPerSecond = 1_001 },
		"spec.inbound.sources": func(c *trunks.DefineTrunk) { c.Given.Sources = []string{"sip.example.com"} },
		"spec.tls.ca":          func(c *trunks.DefineTrunk) { c.Given.CA = "-----BEGIN PRIVATE KEY-----" },
		"spec.refuse":          func(c *trunks.DefineTrunk) { c.Given.Refuse = []string{"*"} },
		"spec.transfers":       func(c *trunks.DefineTrunk) { c.Given.Transfers = "REFER" },
		"spec.fallbacks":       func(c *trunks.DefineTrunk) { c.Given.Fallbacks = []string{"carrier"} },
	} {
		_, err := definePeer(edit).Decide(trunks.State{})
		refused(t, err, field)
	}
	for name, list := range map[string][]string{"twice": {"a", "a"}, "too many": strings.Split("a b c d e f g h i j k", " "),
		"no name": {""}} {
		_, err := definePeer(func(c *trunks.DefineTrunk) { c.Given.Fallbacks = list }).Decide(trunks.State{})
		refused(t, err, "spec.fallbacks")
		require.NotEmpty(t, name)
	}
	_, err := definePeer(func(c *trunks.DefineTrunk) { c.Transport, c.Given.CA = "tcp", authority(t) }).Decide(trunks.State{})
	refused(t, err, "spec.tls.ca")
	many := make([]string, 101)
	_, err = definePeer(func(c *trunks.DefineTrunk) { c.Given.Sources, c.Given.Refuse = many, many }).Decide(trunks.State{})
	refused(t, err, "spec.refuse", "spec.refuse", "spec.inbound.sources")
	_, err = definePeer(func(c *trunks.DefineTrunk) {
		*c = defineLocal("sim", false)
		c.Given = trunks.Given{Register: &yes, Country: "49", RTPNAT: true}
	}).Decide(trunks.State{})
	refused(t, err, "spec.register", "spec.country", "spec.rtpNat")
}

var (
	unreachable   = trunks.TrunkUnreachable{TenantID: "acct", Name: "carrier", Problem: "it does not answer", At: noon}
	reachable     = trunks.TrunkReachable{TenantID: "acct", Name: "carrier", At: noon}
	registered    = trunks.TrunkRegistered{TenantID: "acct", Name: "carrier", Node: "n1", At: noon}
	notRegistered = trunks.TrunkNotRegistered{TenantID: "acct", Name: "carrier", Node: "n1", Problem: "403 Forbidden", At: noon}
)

// Given a trunk, when it is looked at, then changes are noted, and nothing else.
func TestWhatIsSeenOfATrunk(t *testing.T) {
	see := func(reached bool) trunks.Observe {
		return trunks.Observe{TenantID: "acct", Name: "carrier", Reached: reached, At: noon}
	}
	redefined := with(peer, *peer.Settings)
	unseen := *peer.Settings
	unseen.OptionsSeconds = 0
	nobodyLooks := with(peer, unseen)
	for name, c := range map[string]struct {
		given []event.Payload
		when  trunks.Observe
		want  []event.Payload
	}{
		"answers":              {[]event.Payload{peer}, see(true), nil},
		"does not":             {[]event.Payload{peer}, see(false), []event.Payload{unreachable}},
		"still not":            {[]event.Payload{peer, unreachable}, see(false), nil},
		"is back":              {[]event.Payload{peer, unreachable}, see(true), []event.Payload{reachable}},
		"was defined anew":     {[]event.Payload{peer, unreachable, redefined}, see(true), nil},
		"is gone":              {[]event.Payload{local}, see(false), nil},
		"was gone and came":    {[]event.Payload{peer, unreachable, trunks.TrunkRemoved{Name: "carrier"}, peer}, see(true), nil},
		"is looked at no more": {[]event.Payload{peer, unreachable, nobodyLooks}, see(false), nil},
		"is back and is gone":  {[]event.Payload{peer, unreachable, reachable}, see(false), []event.Payload{unreachable}},
	} {
		got, err := c.when.Decide(trunks.Trunks.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestRegistrations(t *testing.T) {
	note := func(node, problem string) trunks.NoteRegistration {
		return trunks.NoteRegistration{TenantID: "acct", Name: "carrier", Node: node, Problem: problem, At: noon}
	}
	other := registered
	other.Node = "n2"
	for name, c := range map[string]struct {
		given []event.Payload
		when  trunks.NoteRegistration
		want  []event.Payload
	}{
		"first":              {[]event.Payload{peer}, note("n1", ""), []event.Payload{registered}},
		"again":              {[]event.Payload{peer, registered}, note("n1", ""), nil},
		"another node":       {[]event.Payload{peer, registered}, note("n2", ""), []event.Payload{other}},
		"refused":            {[]event.Payload{peer, registered}, note("n1", "403  Forbidden"), []event.Payload{notRegistered}},
		"refused again":      {[]event.Payload{peer, notRegistered}, note("n1", "403 Forbidden"), nil},
		"taken after all":    {[]event.Payload{peer, notRegistered}, note("n1", ""), []event.Payload{registered}},
		"no such trunk":      {[]event.Payload{local}, note("n1", ""), nil},
		"does not register":  {[]event.Payload{with(before, trunks.Settings{})}, note("n1", ""), nil},
		"defined before all": {[]event.Payload{before}, note("n1", ""), []event.Payload{registered}},
	} {
		got, err := c.when.Decide(trunks.Trunks.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	long, err := note("n1", strings.Repeat("x", 300)).Decide(trunks.Trunks.State(peer))
	require.NoError(t, err)
	require.Len(t, long[0].(trunks.TrunkNotRegistered).Problem, 256)
}

// A trunk that was defined before one could choose is one that bridges, and saying so changes nothing.
func TestBridgesAreAsTrunksWereBefore(t *testing.T) {
	was, err := definePeer(func(*trunks.DefineTrunk) {}).Decide(trunks.State{})
	require.NoError(t, err)
	again, err := definePeer(func(c *trunks.DefineTrunk) { c.Given.Transfers = "bridge" }).Decide(trunks.Trunks.State(was...))
	require.NoError(t, err)
	require.Empty(t, again)
}
