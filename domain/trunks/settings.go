package trunks

import (
	"crypto/x509"
	"encoding/pem"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
)

// Settings are how calls go over a SIP trunk, with every default applied. The fields of the manifest have the
// same names under spec, but for what stands beside them.
type Settings struct {
	Register       bool           `json:"register,omitempty"`
	OutboundProxy  string         `json:"outboundProxy,omitempty"` // host or host:port; empty: requests go to the address
	FromDomain     string         `json:"fromDomain,omitempty"`    // of our own addresses; empty: the trunk's host
	CallerIDHeader CallerID       `json:"callerIdHeader"`
	NumberFormat   numbers.Format `json:"numberFormat"`
	Country        string         `json:"country,omitempty"` // calling code
	Codecs         []string       `json:"codecs"`            // in order of preference
	SRTP           SRTP           `json:"srtp"`
	DTMF           DTMF           `json:"dtmf"`
	OptionsSeconds int            `json:"optionsSeconds"`           // between two looks at the peer; 0: none are taken
	MaxCalls       int            `json:"maxCalls,omitempty"`       // at once; 0: no bound
	CallsPerSecond int            `json:"callsPerSecond,omitempty"` // 0: no bound
	Sources        []string       `json:"sources,omitempty"`        // inbound.sources: where calls may come from, besides the peer itself
	CA             string         `json:"ca,omitempty"`             // tls.ca: PEM; empty: those of this machine
	RTPNAT         bool           `json:"rtpNat,omitempty"`
	Refuse         []string       `json:"refuse,omitempty"`    // numbers that begin so are not dialled
	Fallbacks      []string       `json:"fallbacks,omitempty"` // names of trunks that take its calls while it is not reached
	Transfers      Transfers      `json:"transfers,omitempty"` // absent: bridge
}

// CallerID is where our number stands in a request.
type CallerID string

// The places.
const (
	CallerFrom     CallerID = "from"
	CallerAsserted CallerID = "pai" // P-Asserted-Identity; From has the username
	CallerBoth     CallerID = "both"
)

// SRTP is whether the sound is encrypted.
type SRTP string

// The choices.
const (
	SRTPOff     SRTP = "off"
	SRTPOffer   SRTP = "offer"
	SRTPRequire SRTP = "require"
)

// DTMF is how digits are sent.
type DTMF string

// The ways. Both are heard always.
const (
	DTMFEvents DTMF = "rfc4733"
	DTMFInfo   DTMF = "info"
)

// Transfers is how people come onto the calls of a trunk.
type Transfers string

// The ways.
const (
	TransfersBridge Transfers = "bridge" // we call them, and join the two
	TransfersRefer  Transfers = "refer"  // the peer is asked to call them, and the call leaves us; bridge where it does not
	// TransfersAttended is that we call them, and the peer is asked to join the two; bridge where it does not.
	TransfersAttended Transfers = "attended"
)

// The codecs that a trunk may speak.
const (
	PCMU = "PCMU"
	PCMA = "PCMA"
)

// What a manifest may ask for.
const (
	defaultOptionsSeconds = 30
	mostOptionsSeconds    = 3600
	mostCalls             = 100_000
	mostPerSecond         = 1_000
	mostListed            = 100
	longestCA             = 64 << 10
)

// Given are the settings as a manifest says them. What it leaves out has a default.
type Given struct {
	Register       *bool
	OutboundProxy  string
	FromDomain     string
	CallerIDHeader string
	NumberFormat   string
	Country        string
	Codecs         []string
	SRTP           string
	DTMF           string
	OptionsSeconds *int
	MaxCalls       int
	CallsPerSecond int
	Sources        []string
	CA             string
	RTPNAT         bool
	Refuse         []string
	Fallbacks      []string
	Transfers      string
}

// settings checks what was given and fills in the rest. trunk is the definition beside it.
func (g Given) settings(f *fault.Fields, trunk Trunk) *Settings {
	s := &Settings{Register: trunk.Username != "", OutboundProxy: g.OutboundProxy, FromDomain: g.FromDomain,
		CallerIDHeader: choice(f, "spec.callerIdHeader", CallerID(g.CallerIDHeader), CallerFrom, CallerAsserted, CallerBoth),
		NumberFormat:   choice(f, "spec.numberFormat", numbers.Format(g.NumberFormat), numbers.Formats...),
		Country:        strings.TrimPrefix(g.Country, "+"), Codecs: slices.Clone(g.Codecs),
		SRTP:           choice(f, "spec.srtp", SRTP(g.SRTP), SRTPOff, SRTPOffer, SRTPRequire),
		DTMF:           choice(f, "spec.dtmf", DTMF(g.DTMF), DTMFEvents, DTMFInfo),
		OptionsSeconds: defaultOptionsSeconds, MaxCalls: g.MaxCalls, CallsPerSecond: g.CallsPerSecond, CA: strings.TrimSpace(g.CA),
		RTPNAT: g.RTPNAT, Refuse: slices.Clone(g.Refuse), Fallbacks: slices.Clone(g.Fallbacks),
		Transfers: choice(f, "spec.transfers", Transfers(g.Transfers), TransfersBridge, TransfersRefer, TransfersAttended)}
	if s.Transfers == TransfersBridge { // as trunks were defined before one could choose
		s.Transfers = ""
	}
	if g.Register != nil {
		s.Register = *g.Register
	}
	if g.OptionsSeconds != nil {
		s.OptionsSeconds = *g.OptionsSeconds
	}
	if len(s.Codecs) == 0 {
		s.Codecs = []string{PCMU, PCMA}
	}
	s.checkPlaces(f, trunk)
	s.checkNumbers(f)
	s.checkSound(f, trunk)
	s.Sources = sources(f, g.Sources)
	for _, list := range []*[]string{&s.Refuse, &s.Fallbacks} { // as they come back from the log
		if len(*list) == 0 {
			*list = nil
		}
	}
	s.checkFallbacks(f, trunk.Name)
	return s
}

// choice is one of several; the first when none was given.
func choice[T ~string](f *fault.Fields, field string, given T, all ...T) T {
	if given == "" {
		return all[0]
	}
	if !slices.Contains(all, given) {
		words := make([]string, len(all))
		for i, one := range all {
			words[i] = string(one)
		}
		f.Add(field, "must be one of %s", strings.Join(words, ", "))
	}
	return given
}

func (s *Settings) checkPlaces(f *fault.Fields, trunk Trunk) {
	if s.Register && trunk.Username == "" {
		f.Add("spec.username", "is required with spec.register")
	}
	if s.OutboundProxy != "" && !validAddress(s.OutboundProxy) {
		f.Add("spec.outboundProxy", "must be host or host:port, such as sbc.example.com:5060")
	}
	if s.FromDomain != "" && !hostName.MatchString(s.FromDomain) {
		f.Add("spec.fromDomain", "must be a host name, such as sip.example.com")
	}
	if n := s.OptionsSeconds; n != 0 && (n < 5 || n > mostOptionsSeconds) {
		f.Add("spec.optionsSeconds", "must be 5 to %d, or 0 for none", mostOptionsSeconds)
	}
	if s.MaxCalls < 0 || s.MaxCalls > mostCalls {
		f.Add("spec.maxCalls", "must be 1 to %d", mostCalls)
	}
	if s.CallsPerSecond < 0 || s.CallsPerSecond > mostPerSecond {
		f.Add("spec.callsPerSecond", "must be 1 to %d", mostPerSecond)
	}
	if s.CA != "" && trunk.Transport != TLS {
		f.Add("spec.tls.ca", "goes with spec.transport %s", TLS)
	} else if s.CA != "" && !certificates(s.CA) {
		f.Add("spec.tls.ca", "must be certificates in PEM form")
	}
}

// certificates reports whether a text holds certificates in PEM form, and nothing else.
func certificates(text string) bool {
	rest := []byte(text)
	for len(rest) > 0 && len(text) <= longestCA {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return false
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return false
		}
	}
	return len(rest) == 0
}

var prefix = regexp.MustCompile(`^\+?[0-9]{1,15}$`)

func (s *Settings) checkNumbers(f *fault.Fields) {
	switch {
	case s.Country != "" && !numbers.ValidCountry(s.Country):
		f.Add("spec.country", "must be a calling code of 1 to 3 digits, such as 49")
	case s.Country == "" && s.NumberFormat == numbers.National:
		f.Add("spec.country", "is required with spec.numberFormat %s", numbers.National)
	}
	if len(s.Refuse) > mostListed {
		f.Add("spec.refuse", "must be at most %d", mostListed)
	}
	for _, one := range s.Refuse {
		if !prefix.MatchString(one) {
			f.Add("spec.refuse", "must be beginnings of numbers with their country code, such as +49900")
			break
		}
	}
}

func (s *Settings) checkSound(f *fault.Fields, trunk Trunk) {
	seen := map[string]bool{}
	for _, codec := range s.Codecs {
		if codec != PCMU && codec != PCMA || seen[codec] {
			f.Add("spec.codecs", "must be %s and %s, each once at most", PCMU, PCMA)
			break
		}
		seen[codec] = true
	}
	if s.SRTP != SRTPOff && trunk.Transport != TLS {
		f.Add("spec.srtp", "needs spec.transport %s: its keys are in the requests", TLS)
	}
}

// sources are where calls may come from, in normal form; one address is a block of one.
func sources(f *fault.Fields, given []string) []string {
	if len(given) > mostListed {
		f.Add("spec.inbound.sources", "must be at most %d", mostListed)
		return nil
	}
	var out []string
	for _, one := range given {
		block, err := netip.ParsePrefix(one)
		if addr, other := netip.ParseAddr(one); err != nil && other == nil {
			block, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			f.Add("spec.inbound.sources", "must be addresses or blocks of them, such as 192.0.2.0/24")
			return nil
		}
		out = append(out, block.Masked().String())
	}
	return out
}

func (s *Settings) checkFallbacks(f *fault.Fields, self string) {
	if len(s.Fallbacks) > 10 {
		f.Add("spec.fallbacks", "must be at most 10")
		return
	}
	for i, name := range s.Fallbacks {
		clean, problem := access.CleanName(name)
		switch {
		case problem != "":
			f.Add("spec.fallbacks", "%s", problem)
		case clean == self:
			f.Add("spec.fallbacks", "must name other trunks")
		case slices.Contains(s.Fallbacks[:i], clean):
			f.Add("spec.fallbacks", "must name each trunk once")
		default:
			s.Fallbacks[i] = clean
			continue
		}
		return
	}
}

// anything are the fields of what was said.
func (g Given) anything() []string {
	var said []string
	for _, one := range []struct {
		field string
		given bool
	}{
		{"spec.register", g.Register != nil}, {"spec.outboundProxy", g.OutboundProxy != ""}, {"spec.fromDomain", g.FromDomain != ""},
		{"spec.callerIdHeader", g.CallerIDHeader != ""}, {"spec.numberFormat", g.NumberFormat != ""}, {"spec.country", g.Country != ""},
		{"spec.codecs", len(g.Codecs) > 0}, {"spec.srtp", g.SRTP != ""}, {"spec.dtmf", g.DTMF != ""},
		{"spec.optionsSeconds", g.OptionsSeconds != nil}, {"spec.maxCalls", g.MaxCalls != 0}, {"spec.callsPerSecond", g.CallsPerSecond != 0},
		{"spec.inbound.sources", len(g.Sources) > 0}, {"spec.tls.ca", g.CA != ""}, {"spec.rtpNat", g.RTPNAT},
		{"spec.refuse", len(g.Refuse) > 0}, {"spec.fallbacks", len(g.Fallbacks) > 0},
		{"spec.transfers", g.Transfers != ""},
	} {
		if one.given {
			said = append(said, one.field)
		}
	}
	return said
}

// Plan is how numbers are written on the trunk.
func (s Settings) Plan() numbers.Plan {
	return numbers.Plan{Format: s.NumberFormat, Country: s.Country}
}

// Of are the settings of a trunk; those of one that was defined before there were any are the defaults.
func (t Trunk) Of() Settings {
	if t.Settings == nil {
		return *Given{}.settings(new(fault.Fields), t)
	}
	return *t.Settings
}

func (s *Settings) clone() *Settings {
	if s == nil {
		return nil
	}
	c := *s
	c.Codecs, c.Sources = slices.Clone(s.Codecs), slices.Clone(s.Sources)
	c.Refuse, c.Fallbacks = slices.Clone(s.Refuse), slices.Clone(s.Fallbacks)
	return &c
}

// equal reports whether two trunks are defined alike.
func (t Trunk) equal(o Trunk) bool {
	same := t.Provider != SIP || reflect.DeepEqual(t.Of(), o.Of())
	t.Settings, o.Settings = nil, nil
	return same && t == o
}
