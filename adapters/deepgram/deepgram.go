// Package deepgram recognises speech while it is heard, by Deepgram's streaming API over a WebSocket.
//
// It owns what Deepgram is asked and what its messages mean: words of an utterance as they are final,
// and the silence behind it. It shows nothing of what Deepgram wrote, keeps nothing that was said, and
// does not decide what a call does when it is away: whoever reads its facts sees them end.
package deepgram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/wav"
)

// Provider is the name by which requests and figures know it.
const Provider = "deepgram"

// DefaultURL is Deepgram's own, and DefaultModel what is asked when nobody names another.
const (
	DefaultURL   = "https://api.deepgram.com"
	DefaultModel = "nova-3"
)

const (
	dialWithin    = 5 * time.Second
	writeWithin   = 2 * time.Second
	keepAlive     = 4 * time.Second
	closeWithin   = 2 * time.Second // for what it still has to say
	utteranceEnd  = 1000            // ms of silence that end an utterance, unless the call says so
	mostReconnect = 3               // in a row, before it is given up
	pauseBetween  = 250 * time.Millisecond
	mostMessage   = 1 << 20
	factsAhead    = 256
	samplesAhead  = 16_000 // two seconds, that wait while it is reconnected
)

// Config is how Deepgram is reached.
type Config struct {
	APIKey  string
	BaseURL string       // empty: DefaultURL
	Model   string       // empty: DefaultModel
	HTTP    *http.Client // nil: the process's own

	KeepAlive time.Duration // of a stream without sound; 0: 4 s, as Deepgram ends one after ten
}

// Client makes recognisers. It is safe for concurrent use.
type Client struct {
	base   *url.URL
	header http.Header
	model  string
	http   *http.Client
	alive  time.Duration
}

// New checks the settings; it asks nobody.
func New(c Config) (*Client, error) {
	if c.APIKey == "" {
		return nil, errors.New("deepgram: an API key is needed")
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("deepgram: the API key holds a character that no header may hold, such as the end of a line")
	}
	base, err := url.Parse(cmp.Or(c.BaseURL, DefaultURL))
	if err != nil || base.Host == "" || base.User != nil || base.Scheme != "https" && base.Scheme != "http" {
		return nil, errors.New("deepgram: the base URL must be an absolute http or https URL without a user")
	}
	return &Client{base: base, header: http.Header{"Authorization": {"Token " + c.APIKey}}, model: cmp.Or(c.Model, DefaultModel),
		http: c.HTTP, alive: cmp.Or(c.KeepAlive, keepAlive)}, nil
}

// For is the recogniser of a call, by what its request says of it.
func (c *Client) For(r calls.Recognition) Recogniser { return Recogniser{c, r} }

// Recogniser recognises the speech of one call.
type Recogniser struct {
	client *Client
	of     calls.Recognition
}

// address is the stream's, with all that is asked for.
func (r Recogniser) address(language string) string {
	q := url.Values{"model": {r.client.model}, "encoding": {"linear16"}, "sample_rate": {"8000"}, "channels": {"1"},
		"interim_results": {"true"}, // without them utterances have no end
		"vad_events":      {"true"}, "smart_format": {"true"}, "punctuate": {"true"}}
	if language = cmp.Or(r.of.Language, language); language != "" {
		q.Set("language", language)
	}
	end := utteranceEnd
	if r.of.UtteranceEndMs != nil {
		end = *r.of.UtteranceEndMs
	}
	q.Set("utterance_end_ms", strconv.Itoa(max(end, utteranceEnd))) // less is refused
	switch e := r.of.EndpointingMs; {
	case e != nil && *e == 0:
		q.Set("endpointing", "false")
	case e != nil:
		q.Set("endpointing", strconv.Itoa(*e))
	}
	if r.of.Label != "" {
		q.Set("tag", r.of.Label)
	}
	to := r.client.base.JoinPath("v1", "listen")
	to.Scheme = strings.Replace(to.Scheme, "http", "ws", 1)
	to.RawQuery = q.Encode()
	return to.String()
}

// Recognise opens a stream. It ends with ctx, or when it is closed.
func (r Recogniser) Recognise(ctx context.Context, language string) (*Recognition, error) {
	s := &Recognition{client: r.client, address: r.address(language), language: cmp.Or(r.of.Language, language),
		facts: make(chan calls.Fact, factsAhead), gone: make(chan struct{})}
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.conn = conn
	go s.run(conn)
	go s.live()
	return s, nil
}

// Recognition is the stream of one call.
type Recognition struct {
	client            *Client
	address, language string
	facts             chan calls.Fact
	ctx               context.Context
	stop              context.CancelFunc
	gone              chan struct{} // closed when nothing is heard any more

	mu      sync.Mutex
	conn    *websocket.Conn // nil: it is being reconnected
	waiting []int16         // for that
	wrote   time.Time
	closing bool

	said bool // of the goroutine that reads: words of an utterance without its end
}

// Facts are words with their text, and silence behind an utterance. They end when the stream cannot be
// had any more.
func (s *Recognition) Facts() <-chan calls.Fact { return s.facts }

func (s *Recognition) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, s.address, &websocket.DialOptions{HTTPClient: s.client.http, HTTPHeader: s.client.header})
	switch {
	case err != nil && res != nil && res.StatusCode != http.StatusSwitchingProtocols:
		return nil, refused(res.StatusCode)
	case err != nil:
		return nil, errors.New("deepgram: it cannot be reached") // what the error says has the address
	}
	conn.SetReadLimit(mostMessage)
	return conn, nil
}

// refusedError is a no of Deepgram's.
type refusedError struct{ status int }

func refused(status int) error { return refusedError{status} }

func (e refusedError) Error() string {
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		return fmt.Sprintf("deepgram: it does not accept the server's key (status %d)", e.status)
	}
	return fmt.Sprintf("deepgram: it refused the stream with status %d", e.status)
}

// Write takes sound. While the stream is reconnected it is kept, two seconds of it at most.
func (s *Recognition) Write(samples []int16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.ctx.Err() != nil {
		return errors.New("deepgram: the stream is closed")
	}
	if s.conn == nil {
		s.waiting = append(s.waiting, samples...)
		s.waiting = s.waiting[max(0, len(s.waiting)-samplesAhead):]
		return nil
	}
	s.send(websocket.MessageBinary, wav.Linear(append(s.waiting, samples...)))
	s.waiting = nil
	return nil
}

// send writes a message; what comes of a broken stream is seen by who reads it. It holds mu.
func (s *Recognition) send(kind websocket.MessageType, content []byte) {
	ctx, cancel := context.WithTimeout(s.ctx, writeWithin)
	defer cancel()
	s.wrote = time.Now()
	if err := s.conn.Write(ctx, kind, content); err != nil {
		_ = s.conn.CloseNow()
	}
}

// live tells Deepgram that somebody is there when no sound has gone for a while.
func (s *Recognition) live() {
	tick := time.NewTicker(s.client.alive / 2)
	defer tick.Stop()
	for {
		select {
		case <-s.gone:
			return
		case <-tick.C:
			s.mu.Lock()
			if s.conn != nil && !s.closing && time.Since(s.wrote) >= s.client.alive {
				s.send(websocket.MessageText, []byte(`{"type":"KeepAlive"}`))
			}
			s.mu.Unlock()
		}
	}
}

// run reads until the stream is over, and reconnects one that breaks.
func (s *Recognition) run(conn *websocket.Conn) {
	defer close(s.gone)
	defer close(s.facts)
	defer s.stop()
	broke := 0
	for conn != nil {
		if s.read(conn) {
			broke = 0
		}
		_ = conn.CloseNow()
		s.mu.Lock()
		s.conn = nil
		over := s.closing || s.ctx.Err() != nil
		s.mu.Unlock()
		if s.said { // what was half said is all that will be known of it
			s.said = false
			s.tell(calls.Fact{Kind: calls.FactSilence})
		}
		if broke++; over || broke > mostReconnect {
			return
		}
		conn = s.again(broke)
	}
}

// again dials once more; nil: it is of no use.
func (s *Recognition) again(times int) *websocket.Conn {
	for ; times <= mostReconnect; times++ {
		select {
		case <-time.After(time.Duration(times) * pauseBetween):
		case <-s.ctx.Done():
			return nil
		}
		conn, err := s.dial(s.ctx)
		var no refusedError
		if errors.As(err, &no) && no.status < http.StatusInternalServerError && no.status != http.StatusTooManyRequests {
			return nil
		}
		if err == nil {
			s.mu.Lock()
			s.conn = conn
			if len(s.waiting) > 0 {
				s.send(websocket.MessageBinary, wav.Linear(s.waiting))
				s.waiting = nil
			}
			s.mu.Unlock()
			return conn
		}
	}
	return nil
}

// message is what Deepgram says, as far as it is of use.
type message struct {
	Type        string `json:"type"`
	IsFinal     bool   `json:"is_final"`
	SpeechFinal bool   `json:"speech_final"`
	Channel     json.RawMessage
}

type channel struct {
	Alternatives []struct {
		Transcript string  `json:"transcript"`
		Confidence float64 `json:"confidence"`
	} `json:"alternatives"`
}

// read takes messages until the stream ends; true: there were some.
func (s *Recognition) read(conn *websocket.Conn) (some bool) {
	for {
		kind, content, err := conn.Read(s.ctx)
		if err != nil {
			return some
		}
		some = true
		var m message
		if kind != websocket.MessageText || json.Unmarshal(content, &m) != nil {
			continue // what cannot be read says nothing
		}
		switch m.Type {
		case "Results":
			s.results(m)
		case "UtteranceEnd":
			s.end()
		}
	}
}

// results are words. Interim ones are not told: they come again.
func (s *Recognition) results(m message) {
	var c channel
	if !m.IsFinal || json.Unmarshal(m.Channel, &c) != nil {
		return
	}
	if len(c.Alternatives) > 0 {
		if best := c.Alternatives[0]; strings.TrimSpace(best.Transcript) != "" {
			s.said = true
			s.tell(calls.Fact{Kind: calls.FactWords, Text: best.Transcript, Language: s.language,
				Confidence: min(max(best.Confidence, 0), 1)})
		}
	}
	if m.SpeechFinal {
		s.end()
	}
}

func (s *Recognition) end() {
	if s.said {
		s.said = false
		s.tell(calls.Fact{Kind: calls.FactSilence})
	}
}

func (s *Recognition) tell(f calls.Fact) {
	f.At = time.Now()
	select {
	case s.facts <- f:
	case <-s.ctx.Done():
	}
}

// Close asks for what is still to be said, waits a moment for it, and ends the stream.
func (s *Recognition) Close() error {
	s.mu.Lock()
	if !s.closing && s.conn != nil {
		s.send(websocket.MessageText, []byte(`{"type":"CloseStream"}`))
	}
	s.closing = true
	s.mu.Unlock()
	select {
	case <-s.gone:
	case <-time.After(closeWithin):
		s.stop()
		<-s.gone
	case <-s.ctx.Done():
		<-s.gone
	}
	return nil
}
