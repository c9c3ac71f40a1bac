// Package livekit is an agent in a room of LiveKit: a participant who is heard and hears, without its
// software. It speaks telephone quality (PCMU), as every call here does, and hears what people send (Opus,
// or PCMU), and what they write.
//
// It owns joining and leaving, the two connections of a participant, whom of a room it hears, which data is a
// text of theirs, and what it does when the server or the way to it breaks. What the sound means is the line's (package voice). It knows
// no session, decides nothing about calls, writes no events and never logs.
package livekit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/adapters/webhook"
)

// Config is how long things take at most. Zero values are those of rooms.
type Config struct {
	Within time.Duration // the server has let us in, and sound flows; 0: 15 s
	Alone  time.Duration // that nobody else is in the room, and it is over; 0: 30 s
	Again  time.Duration // that a connection which broke is made anew; 0: 30 s
}

const (
	within = 15 * time.Second
	alone  = 30 * time.Second
	again  = 30 * time.Second
	quiet  = 30 * time.Second // that the server says nothing, not even that it is there, unless it names another time
	lost   = 5 * time.Second  // no sign of life of a connection, and it is looked closer
	broken = 10 * time.Second
)

// Access is a room that somebody may join.
type Access struct {
	URL    string                 // of the server: wss, ws, https or http
	Token  func() (string, error) // that lets us in now; a fresh one for each try
	Inside bool                   // the server is the operator's own, and may be anywhere; else at public addresses only
	Yields time.Duration          // an agent of others was called into the room: for so long it may come first
}

// The reasons for which nobody joins, and for which trying again is of no use.
var (
	ErrRefused = errors.New("the server does not let us in")
	ErrNoRoom  = errors.New("the server has no such room, or no rooms")
	ErrNoSound = errors.New("the server lets us in, and no sound flows")
	ErrOther   = errors.New("another agent is in the room")
)

// Rooms joins rooms. It is safe for concurrent use.
type Rooms struct {
	cfg             Config
	guard           webhook.Guard
	inside, outside reach
}

// reach is how servers are reached.
type reach struct {
	http *http.Client
	api  *webrtc.API
}

// New makes it; it asks nobody.
func New(cfg Config) (*Rooms, error) {
	for of, ifZero := range map[*time.Duration]time.Duration{&cfg.Within: within, &cfg.Alone: alone, &cfg.Again: again} {
		if *of == 0 {
			*of = ifZero
		}
	}
	r := &Rooms{cfg: cfg}
	var err error
	if r.inside.api, err = newAPI(true); err != nil {
		return nil, err
	}
	if r.outside.api, err = newAPI(false); err != nil {
		return nil, err
	}
	r.inside.http, r.outside.http = client(nil), client(r.guard.Transport())
	return r, nil
}

// client opens sockets, and follows no redirect, which would take the token elsewhere.
func client(over http.RoundTripper) *http.Client {
	return &http.Client{Transport: outgoing.To(outgoing.Messages, over),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

const (
	pcmuType = 0 // of PCMU, for ever (RFC 3551)
	opusType = 111
	opusRate = 48_000
)

var (
	pcmuCodec = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: voice.SampleRate, Channels: 1}
	opusCodec = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: opusRate, Channels: 2,
		SDPFmtpLine: "minptime=10;useinbandfec=1"}
)

// newAPI is pion with what a participant needs: the two codecs, and no names of the local network. Servers of
// rooms are found by their own addresses, over UDP or TCP; nobody is asked for ours, since the server answers
// where it is asked from.
func newAPI(inside bool) (*webrtc.API, error) {
	var s webrtc.SettingEngine
	s.LoggerFactory = quietly{}
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetIncludeLoopbackCandidate(inside)
	s.SetICETimeouts(lost, broken, 2*time.Second)
	s.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6, webrtc.NetworkTypeTCP4,
		webrtc.NetworkTypeTCP6})
	var m webrtc.MediaEngine
	for _, codec := range []webrtc.RTPCodecParameters{{RTPCodecCapability: opusCodec, PayloadType: opusType},
		{RTPCodecCapability: pcmuCodec, PayloadType: pcmuType}} {
		if err := m.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, fmt.Errorf("the codecs of rooms: %w", err)
		}
	}
	return webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(&m)), nil
}

// quietly has the library say nothing: what it would say names addresses of people, and what of it matters
// ends a connection.
type quietly struct{}

// NewLogger implements logging.LoggerFactory.
func (quietly) NewLogger(string) logging.LeveledLogger {
	return logging.NewDefaultLeveledLoggerForScope("", logging.LogLevelDisabled, nil)
}

// socketOf is where the socket of a server is.
func socketOf(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return "", errors.New("the url must be absolute, and without a user")
	}
	switch u.Scheme {
	case "https", "wss":
		u.Scheme = "wss"
	case "http", "ws":
		u.Scheme = "ws"
	default:
		return "", errors.New("the url must be wss, ws, https or http")
	}
	u = u.JoinPath("rtc")
	u.RawQuery = url.Values{"protocol": {protocol}, "sdk": {"go"}, "version": {"1"}, "auto_subscribe": {"0"}}.Encode()
	return u.String(), nil
}

// protocol is the version of LiveKit's that is spoken: with it the server offers the connection by which others
// are heard, and says why it sends somebody away.
const protocol = "13"

// reachable judges an address that the server names for its sound, as a candidate of ICE: nobody sends packets
// inward because a server of somebody's says so.
func (r *Rooms) reachable(candidate string, inside bool) bool {
	if inside {
		return true
	}
	c, err := ice.UnmarshalCandidate(strings.TrimPrefix(strings.TrimSpace(candidate), "candidate:"))
	if err != nil {
		return false
	}
	at, err := netip.ParseAddr(c.Address())
	return err == nil && r.guard.Allows(at)
}

// reachableOnly leaves out of a description what is not reachable.
func (r *Rooms) reachableOnly(sdp string, inside bool) string {
	var kept strings.Builder
	for line := range strings.Lines(sdp) {
		if candidate, is := strings.CutPrefix(line, "a=candidate:"); !is || r.reachable(candidate, inside) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// Join comes into a room, and gives the leg of whoever is there. The line is the leg's from now on, and has its
// turns from the pacer. Where it fails the line is closed, and nobody is left in the room.
func (r *Rooms) Join(ctx context.Context, at Access, line *voice.Line, pacer *voice.Pacer) (*Leg, error) {
	l := newLeg(r, at, line, pacer)
	s, err := r.connect(ctx, l)
	if err == nil {
		err = l.yields(ctx, s)
	}
	if err != nil {
		if s != nil {
			s.leave()
		}
		line.Close()
		return nil, err
	}
	l.begin(s)
	return l, nil
}
