package events

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// eventsClient reads GET /api/v1/events and its stream.
type eventsClient struct {
	url, token string
	notes      io.Writer
}

// The patience of the client.
const (
	listTimeout   = time.Minute
	listAttempts  = 10
	streamSilence = 45 * time.Second // three heartbeats
	firstPause    = 200 * time.Millisecond
	mostPause     = 5 * time.Second
	pageOfEvents  = 200
)

func newEventsClient(address, token string, notes io.Writer) (*eventsClient, error) {
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, wrong("--url: %q is not the address of a node, such as http://127.0.0.1:8080", address)
	}
	return &eventsClient{url: strings.TrimRight(address, "/"), token: strings.TrimSpace(token), notes: notes}, nil
}

// get sends a request. What a node refuses is a nodeRefusal.
func (c *eventsClient) get(ctx context.Context, path string, q url.Values, lastEventID string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path+"?"+q.Encode(), nil)
	if err != nil {
		return nil, wrong("--url: %v", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w\nIs a node running there? Start one with: parley serve --dev, or say where it is with --url or PARLEY_URL",
			err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	refusal := &nodeRefusal{status: res.StatusCode}
	if json.Unmarshal(data, refusal) != nil || refusal.Fault.Code == "" {
		return nil, fmt.Errorf("%s answered %s, and nothing that Parley says: is it the address of a node?", c.url, res.Status)
	}
	return nil, refusal
}

// nodeRefusal is what a node said instead of an answer.
type nodeRefusal struct {
	status int
	Fault  struct {
		Code         fault.Code     `json:"code"`
		Message      string         `json:"message"`
		Details      []fault.Detail `json:"details"`
		RetryAfterMs int64          `json:"retryAfterMs"`
	} `json:"error"`
}

func (r *nodeRefusal) Error() string {
	next := map[int]string{
		http.StatusUnauthorized: "\nIssue a new token with: parley token --client ID --account ID --permissions audit:read, and set " +
			"PARLEY_TOKEN",
		http.StatusForbidden: "\nThe token and its client need the permission audit:read (kind: Client, spec.permissions), and it " +
			"has to be a token: no API key has it",
		http.StatusServiceUnavailable:  "\nTry again in a moment",
		http.StatusInternalServerError: "\nThe log of the node says why",
	}[r.status]
	text := fmt.Sprintf("%s (%s)", r.Fault.Message, r.Fault.Code)
	for _, d := range r.Fault.Details[min(1, len(r.Fault.Details)):] { // the message has the first
		text += fmt.Sprintf("\n--%s %s", d.Field, d.Problem)
	}
	return text + next
}

// passing reports whether the same request may be answered later.
func (r *nodeRefusal) passing() bool {
	return r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable
}

func (r *nodeRefusal) pause() time.Duration {
	return min(time.Duration(max(r.Fault.RetryAfterMs, 200))*time.Millisecond, mostPause)
}

// asWrong is an error as the command ends with it.
func asWrong(err error) error {
	var r *nodeRefusal
	if errors.As(err, &r) && r.status < http.StatusInternalServerError && !r.passing() {
		return wrong("%s", r)
	}
	return err
}

// list follows the cursors.
func (c *eventsClient) list(ctx context.Context, q url.Values, lines *eventLines) error {
	for {
		size := pageOfEvents
		if lines.left > 0 {
			size = min(size, lines.left)
		}
		q.Set("limit", strconv.Itoa(size))
		page, err := c.page(ctx, q)
		if err != nil {
			return asWrong(err)
		}
		for _, e := range page.Events {
			if err := lines.write(e); err != nil {
				return err
			}
		}
		if err := lines.flush(); err != nil || page.NextCursor == "" {
			return err
		}
		q.Set("cursor", page.NextCursor)
	}
}

type pageOfLines struct {
	Events     []json.RawMessage `json:"events"`
	NextCursor string            `json:"nextCursor"`
}

// page asks for one page, again while the node says that it is worth trying.
func (c *eventsClient) page(ctx context.Context, q url.Values) (page pageOfLines, err error) {
	for attempt := 1; ; attempt++ {
		page, err = c.pageOnce(ctx, q)
		var refusal *nodeRefusal
		if err == nil || !errors.As(err, &refusal) || !refusal.passing() || attempt == listAttempts {
			return page, err
		}
		if waitFor(ctx, refusal.pause()) != nil {
			return page, err
		}
	}
}

func (c *eventsClient) pageOnce(ctx context.Context, q url.Values) (page pageOfLines, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	res, err := c.get(ctx, "/api/v1/events", q, "")
	if err != nil {
		return page, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		return page, fmt.Errorf("reading the answer: %w", err)
	}
	return page, nil
}

// follow reads the stream, and takes it up again where it was cut. What cannot be
// reached at first is an error; later it is waited for.
func (c *eventsClient) follow(ctx context.Context, q url.Values, lines *eventLines) error {
	last, delay, noted := "", firstPause, false
	for {
		before := last
		err := c.stream(ctx, q, &last, lines)
		var refusal *nodeRefusal
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errEnough), errors.Is(err, errOutput):
			return err
		case errors.As(err, &refusal) && !refusal.passing():
			return asWrong(err)
		case errors.As(err, &refusal):
			delay = max(delay, refusal.pause())
		case last == "":
			return err // never was connected
		}
		if last != before {
			delay, noted = firstPause, false
		}
		if !noted {
			fmt.Fprintf(c.notes, "parley: the stream was cut (%s); going on where it was as soon as a node answers\n",
				firstLine(cmp.Or(err, io.EOF)))
			noted = true
		}
		if waitFor(ctx, delay) != nil {
			return nil
		}
		delay = min(2*delay, mostPause)
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// errOutput wraps what went wrong on this side.
var errOutput = errors.New("the output failed")

// stream reads one connection. last is the id of the last event that was written, or
// a position that the node gave.
func (c *eventsClient) stream(ctx context.Context, q url.Values, last *string, lines *eventLines) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(streamSilence, cancel) // a connection can die without a word
	defer quiet.Stop()
	res, err := c.get(ctx, "/api/v1/events/stream", q, *last)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	in := bufio.NewReaderSize(res.Body, 64<<10)
	var id string
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		quiet.Reset(streamSilence)
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			id = string(value)
		case "data":
			data = append(data, value...)
		}
		if len(line) > 0 {
			continue
		}
		if id != "" {
			*last = id
		}
		if data != nil {
			if err := lines.write(data); errors.Is(err, errEnough) {
				return err
			} else if err = errors.Join(err, lines.flush()); err != nil {
				return fmt.Errorf("%w: %w", errOutput, err)
			}
		}
		id, data = "", nil
	}
}

func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
