package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/cmd/parley/exit"
)

// Client asks one node, with one credential.
type Client struct {
	base       string
	header     string // that carries the credential
	credential string
	need       Need
	http       *http.Client
}

// The patience of the client.
const (
	timeout       = time.Minute
	tries         = 8
	lostTries     = 5 // of a request whose answer was lost: 6 seconds, in which another node takes the place
	leastPause    = 200 * time.Millisecond
	mostPause     = 5 * time.Second
	largestAnswer = 64 << 20 // bytes
)

// Call is one request.
type Call struct {
	Method, Path string
	Query        url.Values
	Header       map[string]string
	Body         any           // sent as JSON; nil: none
	Key          string        // the Idempotency-Key of a write; made here when empty, so that repeating is safe
	Timeout      time.Duration // of one try; a minute when 0
}

// Get asks for what is there.
func Get(path string, query url.Values) Call {
	return Call{Method: http.MethodGet, Path: path, Query: query}
}

// Post changes something.
func Post(path string, body any) Call {
	return Call{Method: http.MethodPost, Path: path, Body: body}
}

// Put replaces something.
func Put(path string, body any) Call {
	return Call{Method: http.MethodPut, Path: path, Body: body}
}

// Do asks, again while the node says that it is worth trying, and reads the answer into
// what is given. It returns the id of the request, under which everything that it led to
// is found. What a node refuses is a *Refusal.
func (c *Client) Do(ctx context.Context, call Call, into any) (requestID string, err error) {
	err = again(ctx, call, func(call Call, body []byte) (err error) {
		requestID, err = c.once(ctx, call, body, into)
		return err
	})
	return requestID, err
}

// again tries a call until it succeeds, or there is no use in trying.
func again(ctx context.Context, call Call, try func(call Call, body []byte) error) (err error) {
	var body []byte
	if call.Body != nil {
		if body, err = json.Marshal(call.Body); err != nil {
			return fmt.Errorf("encoding the request: %w", err)
		}
	}
	if call.Method != http.MethodGet {
		call.Key = cmp.Or(call.Key, uuid.NewString()) // of all tries: they make one change
	}
	lost := false // an answer was
	for n := 1; ; n++ {
		err := try(call, body)
		var refusal *Refusal
		var none *noAnswer
		pause, refused := leastPause<<n, errors.As(err, &refusal)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return interrupted(call)
		case refused:
			pause = refusal.pause()
		case errors.As(err, &none):
			lost = lost || none.sent
		}
		if passes := refused && refusal.Passing() || none != nil && lost; !passes || n == tries || !refused && n == lostTries {
			if lost && !refused && call.Method != http.MethodGet {
				return fmt.Errorf("%w\nAn earlier try was sent and lost its answer: what was asked for may have taken effect", err)
			}
			return err
		}
		_ = wait(ctx, min(pause, mostPause))
	}
}

// noAnswer is a request that no node answered.
type noAnswer struct {
	cause error
	sent  bool // somebody was there, and went away: a node that ends, and whose place another takes
}

func (e *noAnswer) Error() string { return e.cause.Error() }
func (e *noAnswer) Unwrap() error { return e.cause }

// stopped is a change of which nobody waited for the answer.
type stopped struct{}

// Error says what that means.
func (stopped) Error() string {
	return "ended before there was an answer; what was asked for may have taken effect all the same"
}

// Code is that of Ctrl-C.
func (stopped) Code() exit.Code { return exit.Interrupted }

// interrupted is how a command ends at Ctrl-C: there is nothing to say of a question.
func interrupted(call Call) error {
	if call.Method == http.MethodGet {
		return exit.Interrupted
	}
	return stopped{}
}

func (c *Client) once(ctx context.Context, call Call, body []byte, into any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(call.Timeout, timeout))
	defer cancel()
	res, err := c.send(ctx, call, body)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	id := res.Header.Get("X-Request-Id")
	data, err := io.ReadAll(io.LimitReader(res.Body, largestAnswer))
	if err != nil {
		return id, fmt.Errorf("reading the answer: %w\nIt may have taken effect all the same: look before you repeat it", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return id, c.notParley(res)
	}
	return id, nil
}

// send sends a request and returns the answer of one that succeeded, whose body the caller
// closes.
func (c *Client) send(ctx context.Context, call Call, body []byte) (*http.Response, error) {
	address := c.base + call.Path
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, call.Method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	r.Header.Set(c.header, c.credential)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if call.Key != "" {
		r.Header.Set("Idempotency-Key", call.Key)
	}
	for name, value := range call.Header {
		r.Header.Set(name, value)
	}
	res, err := c.http.Do(r)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s did not answer in time; the log of the node may say why", c.base)
	}
	if err != nil {
		var dial *net.OpError
		sent := !errors.As(err, &dial) || dial.Op != "dial"
		return nil, &noAnswer{sent: sent, cause: fmt.Errorf(
			"%w\nIs a node running there? Start one with: parley serve --dev, or say where it is with --url or PARLEY_URL", withoutQuery(err))}
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	refusal := &Refusal{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"), need: c.need}
	if json.Unmarshal(data, refusal) != nil || refusal.Fault.Code == "" {
		return nil, c.notParley(res)
	}
	return nil, refusal
}

// withoutQuery leaves out of an address what is asked for; the host is what helps.
func withoutQuery(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		if u, parse := url.Parse(of.URL); parse == nil {
			return fmt.Errorf("%s %s://%s: %w", of.Op, u.Scheme, u.Host, of.Err)
		}
	}
	return err
}

func (c *Client) notParley(res *http.Response) error {
	return fmt.Errorf("%s answered %s, and nothing that Parley says: is it the address of a node?", c.base, res.Status)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
