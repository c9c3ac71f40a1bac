package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// stub is a model and a tool that answer at once, on this machine: what is measured is all that
// stands before them. As a model it speaks OpenAI's protocol, as a stream: one word, or as many
// as `words N` asks for; and the call of a tool before it, where tools are offered and the text
// wants one.
type stub struct {
	url    string
	server *http.Server

	spoke   atomic.Pointer[time.Time] // when an answer began, at last
	held    atomic.Int32              // answers that have begun and are held
	release chan struct{}             // lets them go on
}

const (
	stubModel = "bench-stub"
	wantsTool = "look it up"
	wantsHold = "hold" // the answer goes on behind its first word when all are let go
)

func startStub() (*stub, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the stub: %w", err)
	}
	s := &stub{url: "http://" + l.Addr().String(), release: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.answer)
	mux.HandleFunc("GET /tool", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"found":true}`))
	})
	mux.HandleFunc("POST /later", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	s.server = &http.Server{Handler: mux}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

func (s *stub) close() { _ = s.server.Close() }

// stubRequest is what the stub looks at of a request.
type stubRequest struct {
	Messages []struct {
		Role    string
		Content any
	}
	Tools []struct{ Function struct{ Name string } }
}

func (s *stub) answer(w http.ResponseWriter, r *http.Request) {
	var asked stubRequest
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) == 0 {
		http.Error(w, "what is asked?", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	last := asked.Messages[len(asked.Messages)-1]
	text, words := fmt.Sprint(last.Content), 1
	if at := strings.LastIndex(text, "words "); at >= 0 {
		_, _ = fmt.Sscanf(text[at:], "words %d", &words)
	}
	reason := "stop"
	if last.Role == "user" && len(asked.Tools) > 0 && strings.Contains(text, wantsTool) {
		reason = "tool_calls"
		chunk(w, `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look_up","arguments":"{}"}}]}`, "null")
	} else {
		for i := range words {
			if i == 0 {
				now := time.Now()
				s.spoke.Store(&now)
			}
			chunk(w, `{"content":"word "}`, "null")
			if i == 0 && strings.Contains(text, wantsHold) {
				s.hold(w, r)
			}
		}
	}
	chunk(w, "{}", `"`+reason+`"`)
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", words)
}

// hold sends what there is, and waits.
func (s *stub) hold(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush()
	s.held.Add(1)
	select {
	case <-s.release:
	case <-r.Context().Done():
	}
}

// chunk is one piece of an answer, on its way at once.
func chunk(w http.ResponseWriter, delta, reason string) {
	_, _ = fmt.Fprintf(w, "data: {\"model\":%q,\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", stubModel, delta, reason)
	w.(http.Flusher).Flush()
}

// direct asks the stub itself, to the end or to the first piece: the ceiling of all that asks it
// through Parley.
func (b *bench) direct(s *stub, text string, first bool) func(context.Context) error {
	body, _ := json.Marshal(map[string]any{"model": stubModel, "stream": true,
		"messages": []map[string]string{{"role": "user", "content": text}}})
	return func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			return err
		}
		return b.streamed(r, first, `"word "`)
	}
}

// streamed reads the answer to a request to its end, or until a text has come.
func (b *bench) streamed(r *http.Request, first bool, text string) error {
	res, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(res.Body)
		return fmt.Errorf("status %d: %s", res.StatusCode, answer)
	}
	seen, piece := []byte(nil), make([]byte, 32<<10)
	found := false
	for {
		n, err := res.Body.Read(piece)
		if !found {
			seen = append(seen, piece[:n]...)
			if found = bytes.Contains(seen, []byte(text)); found && first {
				return nil
			}
		}
		switch {
		case err == io.EOF && found:
			return nil
		case err == io.EOF:
			return fmt.Errorf("%s has not come: %s", text, seen)
		case err != nil:
			return err
		}
	}
}
