package channelstest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// carrier is an adapter of a provider that is made up for this test: JSON with a bearer
// token and a key for repeats; requests signed over the body. It keeps every promise but
// the one that it is told to break.
type carrier struct {
	base   string
	broken string
}

const most = 20 // characters

func (c carrier) is(fault string) bool { return c.broken == fault }

func (c carrier) Name() string { return "carrier" }

func (c carrier) Limits() channels.Limits {
	if c.is("limits that refuse the longest text") {
		return channels.Limits{Text: most + 1, Unit: channels.Characters}
	}
	return channels.Limits{Text: most, Unit: channels.Characters}
}

func (c carrier) Lookup(_ context.Context, _ channels.Connection, _ channels.Doubt) (channels.Outcome, error) {
	if c.is("makes up what became of a message") {
		return channels.Outcome{Status: channels.NotTaken}, nil
	}
	return channels.Outcome{}, nil
}

func (c carrier) Check(conn channels.Connection) error {
	if conn.Credentials["token"] == "" && !c.is("asks without an account") {
		return errors.New("the token is missing")
	}
	return nil
}

func (c carrier) Send(ctx context.Context, conn channels.Connection, m channels.Outbound) channels.Outcome {
	if problem := (channels.Limits{Text: most}).Problem(m.Text); problem != "" && !c.is("asks with a text that is too long") {
		return channels.Outcome{Status: channels.Refused, Code: "TOO_LONG", Reason: problem}
	}
	if err := c.Check(conn); err != nil {
		return channels.Outcome{Status: channels.NotTaken, Code: "ACCOUNT", Reason: err.Error(), Denied: true}
	}
	if c.is("begins what was given up") {
		ctx = context.WithoutCancel(ctx)
	}
	if c.is("logs the request") {
		slog.Info("sending", "text", m.Text)
	}
	if m.Shown.ID != "" && !c.is("forgets the draft") {
		if out, is := c.put(ctx, conn, "/messages/"+m.Shown.ID, m.To, m.Text); is {
			return out
		}
	}
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	res, err := c.client().Do(c.request(traced, conn, m))
	switch {
	case err != nil && !connected.Load() && !c.is("calls everything doubtful"):
		return channels.Outcome{Status: channels.NotTaken, Code: "AWAY", Reason: "the carrier is not there"}
	case err != nil && c.is("tells the error of the client"):
		return channels.Outcome{Reason: err.Error() + m.To}
	case err != nil && c.is("calls silence not taken"):
		return channels.Outcome{Status: channels.Refused, Code: "SILENT", Reason: "the carrier did not answer"}
	case err != nil:
		return channels.Outcome{Reason: "the carrier did not answer"}
	}
	defer func() { _ = res.Body.Close() }()
	return c.outcome(res, conn)
}

func (c carrier) client() *http.Client {
	if c.is("follows redirects") {
		return &http.Client{}
	}
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c carrier) request(ctx context.Context, conn channels.Connection, m channels.Outbound) *http.Request {
	body, _ := json.Marshal(map[string]string{"to": m.To, "text": m.Text})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/messages", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+conn.Credentials.Reveal("token"))
	req.Header.Set("Idempotency-Key", m.Reference)
	switch {
	case c.is("takes a fresh key for each attempt"):
		req.Header.Set("Idempotency-Key", m.Reference+strconv.Itoa(m.Attempt))
	case c.is("forgets the credentials"):
		req.Header.Del("Authorization")
	}
	return req
}

func (c carrier) outcome(res *http.Response, conn channels.Connection) channels.Outcome {
	body := io.LimitReader(res.Body, 1<<16)
	if c.is("reads without an end") {
		body = res.Body
	}
	data, _ := io.ReadAll(body)
	var answer struct{ ID, Error string }
	readable := json.Unmarshal(data, &answer) == nil
	switch {
	case res.StatusCode/100 == 2 && (readable && answer.ID != "" || c.is("believes any 200")):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: "m" + answer.ID}
	case res.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		wait := time.Duration(min(max(seconds, 0), 3600)) * time.Second
		if at, err := http.ParseTime(res.Header.Get("Retry-After")); err == nil && time.Until(at) > 0 {
			wait = time.Until(at)
		}
		if c.is("does not wait") {
			wait = 0
		}
		return channels.Outcome{Status: channels.NotTaken, Code: "429", Reason: "too many requests", RetryAfter: wait}
	case res.StatusCode == http.StatusUnauthorized && c.is("tells the token that was refused"):
		return channels.Outcome{Status: channels.NotTaken, Code: "401", Reason: "refused: " + conn.Credentials.Reveal("token")}
	case res.StatusCode == http.StatusUnauthorized:
		return channels.Outcome{Status: channels.NotTaken, Code: "401", Reason: "the credentials are wrong",
			Denied: !c.is("hides that credentials are wrong")}
	case res.StatusCode == http.StatusTeapot && c.is("does not know all answers"):
	case res.StatusCode == http.StatusTeapot:
		return channels.Outcome{Status: channels.Refused, Code: "418", Reason: "a teapot"}
	case res.StatusCode == http.StatusBadRequest && !c.is("repeats what is final"):
		return channels.Outcome{Status: channels.Refused, Code: "400", Reason: "refused"}
	}
	return channels.Outcome{Reason: fmt.Sprintf("the carrier answered with status %d", res.StatusCode)}
}

func (c carrier) Routes(r channels.Request) []string {
	var said struct{ To string }
	_ = json.Unmarshal(r.Body, &said)
	return []string{said.To}
}

func (c carrier) Verify(conn channels.Connection, r channels.Request) error {
	secret := conn.Credentials.Reveal("token")
	want := mac(secret, r.Body)
	given := r.Get("X-Signature")
	switch {
	case secret == "" && !c.is("takes an empty secret"):
		return fault.New(fault.Unauthorized, "the connection has no secret")
	case c.is("believes who does not sign") && given == "":
		return nil
	case c.is("signs a part only") && len(given) == len(want) && given != "x":
		return nil
	case c.is("refuses everybody"), !hmac.Equal([]byte(want), []byte(given)):
		if c.is("tells the signature that it wanted") {
			return fault.New(fault.Unauthorized, "the signature must be made with %s", secret)
		}
		if c.is("refuses without a code") {
			return errors.New("no")
		}
		return fault.New(fault.Unauthorized, "the signature is wrong")
	}
	return nil
}

func mac(secret string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

func (c carrier) Parse(conn channels.Connection, r channels.Request) (channels.Received, error) {
	var said struct{ ID, From, To, Text string }
	reader := json.NewDecoder(bytes.NewReader(r.Body))
	if c.is("refuses what it does not know") {
		reader.DisallowUnknownFields()
	}
	if err := reader.Decode(&said); err != nil && !c.is("makes an entry of everything") {
		return channels.Received{}, errors.New("the body is no JSON")
	}
	if c.is("copies what it reads again and again") {
		for range 10_000 {
			said.Text = strings.Clone(said.Text)
		}
	}
	if c.is("panics") && said.ID == "" {
		panic("no id")
	}
	echo, mine := said.From == conn.External, said.To == conn.External
	if echo && !c.is("hears itself") || !mine && !c.is("gives everybody everything") && !c.is("makes an entry of everything") {
		return channels.Received{}, nil
	}
	if c.is("forgets the text") {
		said.Text = ""
	}
	return channels.Received{Entries: []channels.Entry{{ExternalID: said.ID, Thread: said.From, From: said.From, Text: said.Text}}}, nil
}

// Fetch asks by the id of a file where it is, and then for it.
func (c carrier) Fetch(ctx context.Context, conn channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := c.Check(conn); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	if c.is("fetches what was given up") {
		ctx = context.WithoutCancel(ctx)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil || req.Host == "" || "http://"+req.Host != c.base && !c.is("fetches from anywhere") {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileElsewhere, Reason: "the file is elsewhere"}
	}
	if !c.is("fetches without credentials") {
		req.Header.Set("Authorization", "Bearer "+conn.Credentials.Reveal("token"))
	}
	res, err := c.client().Do(req)
	switch {
	case err != nil && c.is("tells the address of a file"):
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileAway, Reason: err.Error(), Again: true}
	case err != nil, res.StatusCode/100 == 5, res.StatusCode == http.StatusTooManyRequests:
		wait := time.Duration(0)
		if err == nil {
			seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
			wait = time.Duration(seconds) * time.Second
		}
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileAway, Reason: "the carrier is away", RetryAfter: wait,
			Again: !c.is("gives a file up at once")}
	case res.StatusCode != http.StatusOK:
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileRefused, Reason: "the carrier does not give it",
			Again: c.is("asks for ever for what is gone")}
	case strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && !c.is("takes a page for a file"):
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FilePage, Reason: "the carrier gave a page"}
	}
	if c.is("reads a file to its end") {
		data, _ := io.ReadAll(res.Body)
		res.Body = io.NopCloser(bytes.NewReader(data))
	}
	return channels.Fetched{Body: res.Body, ContentType: res.Header.Get("Content-Type")}, nil
}

func suiteOf(broken string) Suite {
	conn := channels.Connection{ID: "c-1", Kind: "carrier", External: "us", Credentials: channels.Credentials{"token": "hush hush"}}
	other := channels.Connection{ID: "c-2", Kind: "carrier", External: "them", Credentials: channels.Credentials{"token": "another"}}
	request := func(body string) channels.Request {
		return channels.Request{Method: "POST", URL: "https://parley.example.com/x", Body: []byte(body), Header: map[string][]string{}}
	}
	return Suite{New: func(base string) (Adapter, error) { return carrier{base, broken}, nil }, Connection: conn,
		Outbound: channels.Outbound{Reference: "r-1", Attempt: 1, From: "us", To: "ann@example.com", Text: "what nobody sees"},
		Provider: &Provider{
			Problem: func(r *http.Request, body []byte) string {
				if r.Header.Get("Authorization") != "Bearer hush hush" || string(body) != `{"text":"what nobody sees","to":"ann@example.com"}` {
					return "the request"
				}
				return ""
			},
			Key:   func(r *http.Request, _ []byte) string { return r.Header.Get("Idempotency-Key") },
			Taken: Case{Reply{Status: 200, Body: `{"id":"1"}`}, channels.Outcome{Status: channels.Taken, ProviderMessageID: "m1"}},
			Final: Case{Reply{Status: 400}, channels.Outcome{Status: channels.Refused, Code: "400", Reason: "refused"}},
			Denied: Case{Reply{Status: 401}, channels.Outcome{Status: channels.NotTaken, Code: "401",
				Reason: "the credentials are wrong"}}.Denies(),
			Limited: Reply{Status: 429},
			Others:  map[string]Case{"tea": {Reply{Status: 418}, channels.Outcome{Status: channels.Refused, Code: "418", Reason: "a teapot"}}},
		},
		Files: &Files{File: func(address string) channels.File { return channels.File{URL: address, ContentType: "image/png"} },
			Problem: func(r *http.Request) string {
				if r.Header.Get("Authorization") != "Bearer hush hush" {
					return "the credentials"
				}
				return ""
			},
		},
		Drafts: drafted(),
		Inbound: &Inbound{Another: other,
			Sign: func(c channels.Connection, r channels.Request) channels.Request {
				r.Header = maps.Clone(r.Header)
				r.Header["X-Signature"] = []string{mac(c.Credentials.Reveal("token"), r.Body)}
				return r
			},
			Vectors: []Vector{{Source: "made up", Secret: conn.Credentials, Request: request("x")}},
			Says: map[string]Said{"a text": {request(`{"id":"7","from":"ann","to":"us","text":"hi"}`),
				channels.Received{Entries: []channels.Entry{{ExternalID: "7", Thread: "ann", From: "ann", Text: "hi"}}}}},
			Ignored: map[string]channels.Request{"echo": request(`{"id":"8","from":"us","to":"us","text":"hi"}`)},
			Extend: func(r channels.Request) channels.Request {
				r.Body = append([]byte(`{"new":1,`), slices.Clone(r.Body[1:])...)
				return r
			},
		}}
}

// Patience is how long it waits for an answer.
func (c carrier) Patience() time.Duration { return 8 * time.Second }

// answers counts those that it gave.
var answers atomic.Int64

// Answer is what an agent says.
func (c carrier) Answer(_ channels.Connection, _ channels.Request, reply channels.Reply) channels.Answer {
	out := map[string]any{"state": reply.State, "said": len(reply.Said)}
	if c.is("answers a repeat with something else") {
		out["n"] = answers.Add(1)
	}
	body, _ := json.Marshal(out)
	return channels.Answer{ContentType: "application/json", Body: body}
}
