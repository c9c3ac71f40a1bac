package sip

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/trunks"
)

const (
	sdpType    = "application/sdp"
	longestSDP = 16 << 10
	ourEvents  = 101 // payload type of telephone events, where we choose
	cryptoName = "AES_CM_128_HMAC_SHA1_80"
)

// laws are the codecs by their names, and their payload types.
var laws = map[string]voice.Law{trunks.PCMU: voice.MuLaw, trunks.PCMA: voice.ALaw}

func payloadType(codec string) uint8 {
	if codec == trunks.PCMA {
		return 8
	}
	return 0
}

// Directions of sound, as the one says it who describes his side.
const (
	both     = "sendrecv"
	sending  = "sendonly"
	hearing  = "recvonly"
	inactive = "inactive"
)

// description is one side's description of a session: one stream of sound.
type description struct {
	at        netip.AddrPort
	codecs    []string // that we know, in the order in which they are named
	events    uint8    // payload type of telephone events; 0: none
	direction string
	secure    bool   // the profile is that of SRTP
	key       []byte // of SDES, 30 bytes; nil: none that we can use
	keyTag    string
}

var (
	errNoSound = errors.New("the description has no sound")
	errNoCodec = errors.New("the description has no codec of ours")
	errTornSDP = errors.New("the description cannot be read")
)

// held reports whether the side hears nothing, or takes no part.
func (d description) held() bool {
	return d.direction == sending || d.direction == inactive || d.at.Addr().IsUnspecified()
}

// same reports whether the sound goes where it went, and as it did.
func (d description) same(o description) bool {
	return d.at == o.at && slices.Equal(d.codecs, o.codecs)
}

// mirror is the direction of who answers.
func mirror(direction string) string {
	switch direction {
	case sending:
		return hearing
	case hearing:
		return sending
	}
	return direction
}

// readSDP reads what a peer describes. It takes the first stream of sound that is not refused.
func readSDP(body []byte) (description, error) {
	if len(body) > longestSDP {
		return description{}, fmt.Errorf("%w: it has more than %d bytes", errTornSDP, longestSDP)
	}
	r := sdpReader{session: section{direction: both}}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if len(line) < 2 || line[1] != '=' {
			return description{}, fmt.Errorf("%w: a line is none", errTornSDP)
		}
		r.line(line[0], line[2:])
	}
	return r.result()
}

// section is the session's part, or that of a stream.
type section struct {
	host      netip.Addr
	direction string
	port      uint64
	profile   string
	formats   []string
	events    uint8
	names     map[string]string // of formats
	key       []byte
	keyTag    string
}

type sdpReader struct {
	session section
	streams []*section // of sound
	current *section   // nil: one that is no sound
	inMedia bool
}

func (r *sdpReader) line(kind byte, value string) {
	at := &r.session
	if r.inMedia {
		at = r.current
	}
	switch {
	case kind == 'm':
		r.inMedia, r.current = true, nil
		f := strings.Fields(value)
		if len(f) < 4 || f[0] != "audio" {
			return
		}
		port, _, _ := strings.Cut(f[1], "/")
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return
		}
		r.current = &section{host: r.session.host, direction: r.session.direction, port: number, profile: f[2], formats: f[3:],
			names: map[string]string{"0": trunks.PCMU, "8": trunks.PCMA}}
		r.streams = append(r.streams, r.current)
	case at == nil:
	case kind == 'c':
		if f := strings.Fields(value); len(f) >= 3 && f[0] == "IN" {
			host, _, _ := strings.Cut(f[2], "/")
			at.host, _ = netip.ParseAddr(host)
		}
	case kind == 'a':
		at.attribute(value)
	}
}

func (s *section) attribute(value string) {
	name, rest, _ := strings.Cut(value, ":")
	switch name {
	case both, sending, hearing, inactive:
		s.direction = name
	case "rtpmap":
		format, codec, ok := strings.Cut(rest, " ")
		number, err := strconv.ParseUint(format, 10, 7)
		if !ok || err != nil || s.names == nil {
			return
		}
		codec, rate, _ := strings.Cut(strings.TrimSpace(codec), "/")
		rate, _, _ = strings.Cut(rate, "/")
		switch codec = strings.ToUpper(codec); {
		case codec == "TELEPHONE-EVENT" && rate == "8000" && slices.Contains(s.formats, format):
			s.events = uint8(number)
		case rate == "8000":
			s.names[format] = codec
		default:
			delete(s.names, format)
		}
	case "crypto":
		s.crypto(rest)
	}
}

func (d *section) payloads() (codecs []string) {
	for _, format := range d.formats {
		codec := d.names[format]
		if _, ours := laws[codec]; ours && format == strconv.Itoa(int(payloadType(codec))) && !slices.Contains(codecs, codec) {
			codecs = append(codecs, codec)
		}
	}
	return codecs
}

func (r *sdpReader) result() (description, error) {
	if !r.inMedia && len(r.streams) == 0 {
		return description{}, fmt.Errorf("%w: it names no stream", errTornSDP)
	}
	for _, s := range r.streams {
		if s.port == 0 { // it is refused
			continue
		}
		if !s.host.IsValid() {
			return description{}, fmt.Errorf("%w: its address is none", errTornSDP)
		}
		d := description{at: netip.AddrPortFrom(s.host.Unmap(), uint16(s.port)), codecs: s.payloads(), events: s.events, direction: s.direction,
			secure: strings.Contains(s.profile, "SAVP"), key: s.key, keyTag: s.keyTag}
		if len(d.codecs) == 0 {
			return d, errNoCodec
		}
		return d, nil
	}
	return description{}, errNoSound
}

// offered is what we describe.
type offered struct {
	at        netip.AddrPort
	id        uint64 // of the session
	version   uint64 // one more with each change
	codecs    []string
	events    uint8
	direction string
	secure    bool   // the profile is that of SRTP
	key       []byte // nil: the sound is in the clear
	keyTag    string
}

func (o offered) text() []byte {
	family := "IP4"
	if o.at.Addr().Is6() {
		family = "IP6"
	}
	profile, formats := "RTP/AVP", make([]string, 0, 3)
	if o.secure {
		profile = "RTP/SAVP"
	}
	for _, codec := range o.codecs {
		formats = append(formats, strconv.Itoa(int(payloadType(codec))))
	}
	if o.events != 0 {
		formats = append(formats, strconv.Itoa(int(o.events)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "v=0\r\no=parley %d %d IN %s %s\r\ns=-\r\nc=IN %s %s\r\nt=0 0\r\nm=audio %d %s %s\r\n", o.id, o.version, family,
		o.at.Addr(), family, o.at.Addr(), o.at.Port(), profile, strings.Join(formats, " "))
	for _, codec := range o.codecs {
		fmt.Fprintf(&b, "a=rtpmap:%d %s/8000\r\n", payloadType(codec), codec)
	}
	if o.events != 0 {
		fmt.Fprintf(&b, "a=rtpmap:%d telephone-event/8000\r\na=fmtp:%d 0-16\r\n", o.events, o.events)
	}
	if o.key != nil {
		fmt.Fprintf(&b, "a=crypto:%s %s inline:%s\r\n", o.keyTag, cryptoName, keyText(o.key))
	}
	fmt.Fprintf(&b, "a=ptime:20\r\na=%s\r\n", o.direction)
	return []byte(b.String())
}
