package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Node is one way into the system.
type Node struct {
	Name   string
	URL    string
	Public string // as it knows itself, which signatures cover
}

// World is what all callers share.
type World struct {
	History   *History
	Nodes     []Node
	Token     string // JWT with every scope
	Admin     string // API key that is never revoked
	Bot       string
	Scope     string // id of the hot scope
	OurNumber string // number to call from
	Notify    string // where notifications go

	Account  string // of the tenant
	Org      string
	Callback string   // where the outcomes of transfers go
	Lists    []List   // of contacts, for campaigns
	Agents   []string // human agents who take calls
	Queues   []string // of them

	Providers *Providers // of channels
}

// client is one caller's connections.
type client struct {
	w    *World
	id   int
	http *http.Client
}

func (w *World) client(id int, patience time.Duration) *client {
	return &client{w: w, id: id, http: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
}

// answer is what came back; status 0: nothing.
type answer struct {
	Try
	body     []byte
	replayed bool
}

// send is one try of an operation at a node, noted in the history.
func (c *client) send(ctx context.Context, op *Op, node Node, method, path string, body any, headers ...string) answer {
	a := answer{Try: Try{Node: node.Name, Start: c.w.History.Now()}}
	err := c.exchange(ctx, &a, method, node.URL+path, body, headers)
	a.End = c.w.History.Now()
	if err != nil {
		a.Status, a.Error = 0, err.Error()
	}
	c.w.History.try(op, a.Try)
	return a
}

func (c *client) exchange(ctx context.Context, a *answer, method, url string, body any, headers []string) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		// Not a reader that can be rewound: a request that broke is not sent again
		// behind our back, as Go does where there is an Idempotency-Key.
		reader = io.MultiReader(bytes.NewReader(text))
	}
	r, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if a.body, err = io.ReadAll(res.Body); err != nil {
		return err
	}
	a.Status, a.RequestID, a.replayed = res.StatusCode, res.Header.Get("X-Request-Id"), res.Header.Get("Idempotency-Replayed") == "true"
	var refusal struct{ Error struct{ Code string } }
	_ = json.Unmarshal(a.body, &refusal)
	a.Code = refusal.Error.Code
	return nil
}

// again says whether an answer leaves the outcome open, so that a careful user asks
// once more. What is neither an answer nor a reason to wait is noted as wrong.
func (c *client) again(op *Op, a answer) bool {
	switch {
	case a.Status == 0, a.Status == http.StatusTooManyRequests:
		return true
	case a.Status == http.StatusServiceUnavailable:
		switch a.Code {
		case "NOT_EXECUTED", "OUTCOME_UNKNOWN", "CATCHING_UP":
			return true
		}
	}
	return false
}

// wrong notes an answer that nothing excuses.
func (c *client) wrong(op *Op, a answer) {
	text := bytes.TrimSpace(a.body)
	c.w.History.Wrong(fmt.Sprintf("%s at node %s: %d %s", op.Kind, a.Node, a.Status, text[:min(len(text), 300)]))
}

// settle repeats a change until its outcome is known or the context ends. done reads
// an answer and says what it means; it is not asked about answers that say nothing.
func (c *client) settle(ctx context.Context, op *Op, first int, try func(node Node) answer, done func(a answer) Outcome) Outcome {
	for n := 0; ctx.Err() == nil; n++ {
		a := try(c.w.Nodes[(first+n)%len(c.w.Nodes)]) // each time at the other node
		if !c.again(op, a) {
			outcome := done(a)
			if outcome == Failed {
				c.wrong(op, a)
			}
			return outcome
		}
		if ctx.Err() == nil {
			pause(ctx, 30*time.Millisecond)
		}
	}
	return Unknown
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
