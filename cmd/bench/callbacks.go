package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"
)

const (
	callbackFigure  = "callback to ended turn"
	callbackAgent   = "bench-later"
	callbackSecret  = "of the benchmark"
	callbacksPosted = 200
)

// callbacks measures the answer to a tool that answers later, from the post to the end of the
// turn that it resumes: the post is answered when that has happened. The sessions are suspended
// before.
func (c *Command) callbacks(b *bench, s *stub, out *report) error {
	source := fmt.Sprintf("DSL: 1\nAGENT: %s\nTOOLS: {pay: {KIND: callback, METHOD: POST, URL: \"%s/later\", SIGN_WITH: SIGN}}\n"+
		"FLOW: {START: pay, STEPS: {pay: {CALL: pay, AS: session.paid, NEXT: done}, done: {SAY: \"{{ session.paid.state }}\", END: true}}}\n",
		callbackAgent, s.url)
	if err := b.makeAgent(callbackAgent, source); err != nil {
		return err
	}
	if err := b.deployAgent("dev", callbackAgent); err != nil {
		return err
	}
	if _, err := b.ask(context.Background(), "/api/tool-secrets", map[string]string{"projectId": b.work.Project, "toolName": "pay",
		"secretKey": "SIGN", "value": callbackSecret}, http.StatusCreated); err != nil {
		return fmt.Errorf("giving the tool its secret: %w", err)
	}
	var ids []string
	idle := b.goroutines()
	for range callbacksPosted {
		id, err := b.suspended()
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	more := b.goroutines() - idle
	out.add(figure{Name: fmt.Sprintf("goroutines, %d suspended", callbacksPosted), Value: float64(more), Unit: "more"}.aim(
		fmt.Sprintf("under %d", fewGoroutines), more < fewGoroutines))
	var took []time.Duration
	before, start := spent(), time.Now()
	for _, id := range ids {
		posted := time.Now()
		if err := b.callBack(context.Background(), id); err != nil {
			return fmt.Errorf("answering a tool: %w", err)
		}
		took = append(took, time.Since(posted))
	}
	elapsed := time.Since(start)
	if err := b.analysed(context.Background()); err != nil {
		return err
	}
	f := figureOf(callbackFigure, 1, took, elapsed, spent()-before)
	out.add(f.aim("p95 under 50 ms", f.P95 < 50))
	return nil
}

// fewGoroutines are those that come and go by themselves.
const fewGoroutines = 20

// goroutines are those of this process once its connections for requests are closed.
func (b *bench) goroutines() int {
	b.client.CloseIdleConnections()
	few := runtime.NumGoroutine()
	for range 20 { // what ends takes its time
		time.Sleep(50 * time.Millisecond)
		few = min(few, runtime.NumGoroutine())
	}
	return few
}

// suspended is the callback of a session that waits for it.
func (b *bench) suspended() (id string, err error) {
	answer, err := b.ask(context.Background(), chatAgentPath, map[string]string{"projectId": b.work.Project, "environment": "dev",
		"message": "pay"}, http.StatusOK)
	if err != nil {
		return "", err
	}
	var told struct{ Action struct{ CallbackID string } }
	if err := json.Unmarshal(answer, &told); err != nil || told.Action.CallbackID == "" {
		return "", fmt.Errorf("the session is not suspended: %s", answer)
	}
	return told.Action.CallbackID, nil
}

func (b *bench) callBack(ctx context.Context, id string) error {
	body := []byte(`{"state":"paid"}`)
	sum := hmac.New(sha256.New, []byte(callbackSecret))
	sum.Write(body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.node.URL()+"/api/v1/callbacks/"+id, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-callback-signature", "sha256="+hex.EncodeToString(sum.Sum(nil)))
	res, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if !bytes.Contains(answer, []byte(`"processed"`)) {
		return fmt.Errorf("status %d: %s", res.StatusCode, answer)
	}
	return nil
}
