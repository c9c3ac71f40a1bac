// Package livekit is the channel of rooms of LiveKit: who may join one, how one is made, what is
// said in it by data messages, and what its webhooks tell.
//
// It owns how LiveKit is asked and what it means. It joins no room and has no sound (adapters/livekit does),
// decides nothing about rooms, writes no events and never logs.
package livekit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of an account: where its server is, and the key that signs what it is asked.
const (
	URL       = "url" // wss:// or https://
	APIKey    = "apiKey"
	APISecret = "apiSecret"
)

// Topic is that of data messages with what agents say: {"id", "text"}.
const Topic = "parley.text"

// mostText leaves room in a reliable data packet, which has 15 KiB, for JSON and Base64.
const mostText = 4_000

var limits = channels.Limits{Text: mostText, Unit: channels.Bytes}

// LiveKit goes by the server API, which is Twirp over HTTP. It holds no account: that comes with
// each call.
type LiveKit struct {
	own *wire.Provider // of accounts of tenants; nil: where each says
	now func() time.Time
}

// New takes where accounts are asked; an empty base is where each says that it is, which has to be
// public. The server's own account, which has no tenant, is asked where it says, wherever that is.
func New(base string) (*LiveKit, error) {
	l := &LiveKit{now: time.Now}
	if base == "" {
		return l, nil
	}
	var err error
	l.own, err = wire.At("LiveKit", base, "")
	return l, err
}

// Name is the provider that events and lists show.
func (*LiveKit) Name() string { return calls.ProviderLiveKit }

// Limits are those of a data message.
func (*LiveKit) Limits() channels.Limits { return limits }

// Check says what a connection lacks; it asks nobody.
func (*LiveKit) Check(c channels.Connection) error {
	if c.Credentials[APIKey] == "" || c.Credentials[APISecret] == "" {
		return errors.New("livekit: an API key and its secret are needed")
	}
	_, err := httpOf(c)
	return err
}

// httpOf is where the server API of an account is.
func httpOf(c channels.Connection) (string, error) {
	u, err := url.Parse(c.Credentials.Reveal(URL))
	if err != nil || u.Host == "" || u.User != nil {
		return "", errors.New("livekit: the url must be an absolute wss, ws, https or http URL without a user")
	}
	switch u.Scheme {
	case "wss", "https":
		u.Scheme = "https"
	case "ws", "http":
		u.Scheme = "http"
	default:
		return "", errors.New("livekit: the url must be an absolute wss, ws, https or http URL without a user")
	}
	return u.String(), nil
}

// Lookup cannot tell: LiveKit keeps no record of data messages.
func (*LiveKit) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// Send sends a text to everybody in the room that To names. The nonce tells LiveKit a repeat.
func (l *LiveKit) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, l.Check(c)); unfit {
		return out
	}
	nonce := sha256.Sum256([]byte(m.Reference))
	said, err := json.Marshal(map[string]string{"id": m.Reference, "text": m.Text})
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the text cannot be written as JSON"}
	}
	answer, none, ok := l.ask(ctx, c, Grant{Admin: true, Room: m.To}, "RoomService/SendData", map[string]any{"room": m.To, "data": said,
		"kind": "RELIABLE", "topic": Topic, "nonce": nonce[:16]})
	if !ok {
		return none
	}
	out := outcomeOf(answer)
	if out.Status == channels.Taken {
		out.ProviderMessageID = hex.EncodeToString(nonce[:16])
	}
	return out
}

// ask makes one request of the server API, as who may do what grant says.
func (l *LiveKit) ask(ctx context.Context, c channels.Connection, grant Grant, method string, body map[string]any) (wire.Answer,
	channels.Outcome, bool) {
	req, provider, err := l.request(c, grant, method, body)
	if err != nil {
		return wire.Answer{}, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}, false
	}
	return provider.Ask(ctx, req)
}

func (l *LiveKit) request(c channels.Connection, grant Grant, method string, body map[string]any) (*http.Request, *wire.Provider, error) {
	provider := l.own
	if provider == nil || c.TenantID == "" {
		base, err := httpOf(c)
		if err != nil {
			return nil, nil, err
		}
		if c.TenantID == "" {
			provider, err = wire.At("LiveKit", base, "")
		} else {
			provider, err = wire.AtAccounts("LiveKit", base)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	token, err := sign(c, grant, l.now(), time.Minute)
	if err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, nil, errors.New("the request to LiveKit cannot be made")
	}
	req, err := provider.Request(http.MethodPost, "/twirp/livekit."+method, "application/json", string(data))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return req, provider, nil
}

// outcomeOf says what an answer means. An error of Twirp has a word of its own.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a struct {
		Code string `json:"code"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && bytes.HasPrefix(bytes.TrimSpace(answer.Body), []byte("{"))
	code := a.Code
	if code == "" || len(code) > 64 || strings.ContainsFunc(code, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		code = "HTTP_" + strconv.Itoa(answer.Status)
	}
	switch {
	case answer.Status == http.StatusOK && readable:
		return channels.Outcome{Status: channels.Taken}
	case answer.Status == http.StatusTooManyRequests:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "too many requests to LiveKit", RetryAfter: answer.RetryAfter}
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusForbidden:
		return wire.Denied(code, "LiveKit")
	case answer.Status == http.StatusServiceUnavailable && a.Code == "unavailable":
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "LiveKit is not available"}
	case answer.Status == http.StatusNotFound && a.Code == "not_found":
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "there is no such room any more"}
	case answer.Status/100 == 2 || answer.Status/100 == 5 || answer.Status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "LiveKit does not say what it did"}
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "LiveKit refused the request"}
}
