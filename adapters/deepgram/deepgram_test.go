package deepgram_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/deepgram"
	"github.com/parley-platform/parley/domain/calls"
)

// peer speaks the messages that Deepgram documents for its stream. Each second of sound is a word.
type peer struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []url.Values
	status int           // of the next handshakes; 0: they are taken
	breaks int           // streams that break after their first word
	alive  chan struct{} // a KeepAlive came
	bytes  int           // of sound, of all streams
	odd    []string      // messages that are none of the protocol
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{alive: make(chan struct{}, 100)}
	p.Server = httptest.NewServer(http.HandlerFunc(p.listen))
	t.Cleanup(p.Close)
	return p
}

func results(text string, final, speechFinal bool) string {
	out, _ := json.Marshal(map[string]any{"type": "Results", "channel_index": []int{0, 1}, "duration": 1.0, "start": 0.0, "is_final": final,
		"speech_final": speechFinal, "channel": map[string]any{"alternatives": []any{map[string]any{"transcript": text, "confidence": 0.9,
			"words": []any{}}}}, "metadata": map[string]any{"request_id": "r"}})
	return string(out)
}

func (p *peer) listen(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	status := p.status
	p.asked = append(p.asked, r.URL.Query())
	p.mu.Unlock()
	if r.URL.Path != "/v1/listen" || r.Header.Get("Authorization") != "Token dg-test" {
		status = http.StatusUnauthorized
	}
	if status != 0 {
		http.Error(w, `{"err_code":"INVALID_AUTH"}`, status)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := context.WithoutCancel(r.Context())
	say := func(all ...string) {
		for _, text := range all {
			_ = conn.Write(ctx, websocket.MessageText, []byte(text))
		}
	}
	heard, words := 0, 0
	for {
		kind, content, err := conn.Read(ctx)
		if err != nil {
			return
		}
		p.mu.Lock()
		switch {
		case kind == websocket.MessageBinary:
			heard, p.bytes = heard+len(content), p.bytes+len(content)
		case string(content) == `{"type":"KeepAlive"}`:
			p.alive <- struct{}{}
		case string(content) == `{"type":"CloseStream"}`:
			p.mu.Unlock()
			say(results("goodbye", true, false), `{"type":"Metadata","request_id":"r"}`)
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return
		default:
			p.odd = append(p.odd, string(content))
		}
		breaks := p.breaks > 0 && heard >= 16_000
		if breaks {
			p.breaks--
		}
		p.mu.Unlock()
		for ; heard >= 16_000; heard -= 16_000 {
			words++
			say(`{"type":"SpeechStarted","channel":[0],"timestamp":0.1}`, `not json`, `{"type":"Results","channel":7,"is_final":true}`,
				results("wor", false, false), results("word", true, words == 2))
			if words == 3 {
				say(`{"type":"UtteranceEnd","channel":[0,1],"last_word_end":1.0}`)
			}
		}
		if breaks {
			return
		}
	}
}

func (p *peer) client(t *testing.T, change ...func(*deepgram.Config)) *deepgram.Client {
	t.Helper()
	cfg := deepgram.Config{APIKey: "dg-test", BaseURL: p.URL}
	for _, f := range change {
		f(&cfg)
	}
	c, err := deepgram.New(cfg)
	require.NoError(t, err)
	return c
}

func ptr[T any](v T) *T { return &v }

// take are the next facts, as words and ".".
func take(t *testing.T, s *deepgram.Recognition, n int) (out []string) {
	t.Helper()
	for range n {
		select {
		case f, open := <-s.Facts():
			require.True(t, open)
			if f.Kind == calls.FactSilence {
				out = append(out, ".")
				continue
			}
			require.Equal(t, []any{calls.FactWords, "de", 0.9}, []any{f.Kind, f.Language, f.Confidence})
			require.False(t, f.At.IsZero())
			out = append(out, f.Text)
		case <-time.After(20 * time.Second):
			t.Fatalf("only %v came", out)
		}
	}
	return out
}

func second(t *testing.T, s *deepgram.Recognition) {
	t.Helper()
	for range 50 {
		require.NoError(t, s.Write(make([]int16, 160)))
	}
}

func TestSpeechIsRecognised(t *testing.T) {
	p := newPeer(t)
	s, err := p.client(t).For(calls.Recognition{Provider: "deepgram", Label: "orders", Language: "de", UtteranceEndMs: ptr(1_500),
		EndpointingMs: ptr(300)}).Recognise(t.Context(), "en")
	require.NoError(t, err)
	second(t, s)
	require.Equal(t, []string{"word"}, take(t, s, 1), "what is interim comes again")
	second(t, s)
	require.Equal(t, []string{"word", "."}, take(t, s, 2), "speech_final ends it")
	second(t, s)
	require.Equal(t, []string{"word", "."}, take(t, s, 2), "and so does the end of an utterance, once")
	require.NoError(t, s.Close())
	require.Equal(t, []string{"goodbye", "."}, take(t, s, 2), "what it still had to say")
	_, open := <-s.Facts()
	require.False(t, open)
	require.Error(t, s.Write(make([]int16, 160)))
	require.NoError(t, s.Close(), "twice")

	require.Len(t, p.asked, 1)
	for name, want := range map[string]string{"model": "nova-3", "encoding": "linear16", "sample_rate": "8000", "channels": "1",
		"interim_results": "true", "language": "de", "utterance_end_ms": "1500", "endpointing": "300", "tag": "orders", "vad_events": "true"} {
		require.Equal(t, want, p.asked[0].Get(name), name)
	}
	require.Empty(t, p.odd)
	require.Equal(t, 48_000, p.bytes)
}

func TestWhatACallSaysOfItsSpeech(t *testing.T) {
	p := newPeer(t)
	for _, c := range []struct {
		of   calls.Recognition
		want map[string]string
	}{
		{calls.Recognition{}, map[string]string{"language": "en", "utterance_end_ms": "1000", "endpointing": "", "tag": ""}},
		{calls.Recognition{UtteranceEndMs: ptr(20), EndpointingMs: ptr(0)},
			map[string]string{"utterance_end_ms": "1000", "endpointing": "false"}},
	} {
		s, err := p.client(t).For(c.of).Recognise(t.Context(), "en")
		require.NoError(t, err)
		require.NoError(t, s.Close())
		for name, want := range c.want {
			require.Equal(t, want, p.asked[len(p.asked)-1].Get(name), name)
		}
	}
}

// Given a stream that breaks, then another is opened, and what was half said ends.
func TestAStreamThatBreaks(t *testing.T) {
	p := newPeer(t)
	p.breaks = 1
	s, err := p.client(t).For(calls.Recognition{Language: "de"}).Recognise(t.Context(), "")
	require.NoError(t, err)
	second(t, s)
	require.Equal(t, []string{"word", "."}, take(t, s, 2))
	second(t, s) // some of it may have gone into the stream that broke
	second(t, s)
	require.Equal(t, []string{"word"}, take(t, s, 1))
	require.NoError(t, s.Close())
	require.Len(t, p.asked, 2)
}

// Given a Deepgram that is gone, or refuses, then the facts end: the call goes on without.
func TestARecogniserThatStops(t *testing.T) {
	for name, status := range map[string]int{"it refuses": 401, "it is away": 503} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			p.breaks = 1
			s, err := p.client(t).For(calls.Recognition{Language: "de"}).Recognise(t.Context(), "")
			require.NoError(t, err)
			p.mu.Lock()
			p.status = status
			p.mu.Unlock()
			second(t, s)
			require.Equal(t, []string{"word", "."}, take(t, s, 2))
			_, open := <-s.Facts()
			require.False(t, open)
			require.NoError(t, s.Close())
		})
	}
	p := newPeer(t)
	for status, says := range map[int]string{401: "does not accept the server's key", 400: "status 400", 503: "status 503"} {
		p.status = status
		_, err := p.client(t).For(calls.Recognition{}).Recognise(t.Context(), "en")
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "dg-test")
	}
	p.Close()
	_, err := p.client(t).For(calls.Recognition{}).Recognise(t.Context(), "en")
	require.ErrorContains(t, err, "cannot be reached")
}

// Given a call that ends, or nobody who reads, then nothing is left behind.
func TestACallThatEnds(t *testing.T) {
	p := newPeer(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := p.client(t).For(calls.Recognition{Language: "de"}).Recognise(ctx, "")
	require.NoError(t, err)
	cancel()
	require.NoError(t, s.Close())
	for range s.Facts() {
	}
}

// Given a line on which nothing is heard, then Deepgram is told that somebody is there.
func TestAStreamWithoutSoundIsKept(t *testing.T) {
	p := newPeer(t)
	lively := p.client(t, func(c *deepgram.Config) { c.KeepAlive = 10 * time.Millisecond })
	s, err := lively.For(calls.Recognition{}).Recognise(t.Context(), "en")
	require.NoError(t, err)
	<-p.alive
	<-p.alive
	require.NoError(t, s.Close())
}

func TestSettingsThatCannotWork(t *testing.T) {
	for name, c := range map[string]deepgram.Config{"API key is needed": {}, "no header may hold": {APIKey: "a\nb"},
		"absolute http": {APIKey: "a", BaseURL: "ftp://x"}, "without a user": {APIKey: "a", BaseURL: "https://u:p@x"}} {
		_, err := deepgram.New(c)
		require.ErrorContains(t, err, name)
		require.False(t, strings.Contains(err.Error(), "u:p"))
	}
}
