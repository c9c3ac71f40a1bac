// Package httpasync is the channel of programs that post messages and come back for the answers, or
// have them posted to an address of theirs.
//
// It owns what is posted there, how it is signed, and what an answer means. It never repeats a
// request, never follows a redirect, goes only where its guard lets it, and never logs.
package httpasync

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

// CallbackSecret is the credential of a connection by which answers are signed.
const CallbackSecret = "callbackSecret"

// SignatureHeader is the header that has the signature: sha256=<hex of the HMAC-SHA256 of the body>.
const SignatureHeader = "X-Callback-Signature"

var limits = channels.Limits{Text: 16_000, Unit: channels.Characters, Choices: 100, Label: 200, Asked: true}

// Adapter posts answers. It holds no account: that comes with each call.
type Adapter struct {
	guard    webhook.Guard
	provider *wire.Provider
}

// New goes to public addresses only. There is no provider that could be elsewhere.
func New(string) (*Adapter, error) { return (&Adapter{}).Guarded(webhook.Guard{}), nil }

// Guarded is one that goes where the guard lets it.
func (*Adapter) Guarded(g webhook.Guard) *Adapter {
	return &Adapter{guard: g, provider: wire.ByURL("the callbackUrl", g.Transport())}
}

// Name is the provider that events and lists show.
func (*Adapter) Name() string { return "http_async" }

// Limits are those of an answer.
func (*Adapter) Limits() channels.Limits { return limits }

// Check says what a connection lacks to have answers posted; who only asks for them needs nothing.
func (*Adapter) Check(c channels.Connection) error {
	if c.Credentials[CallbackSecret] == "" {
		return errors.New("http_async: the credential callbackSecret is needed, by which what is posted is signed")
	}
	return nil
}

// Lookup cannot tell: nobody there can be asked.
func (*Adapter) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// Posted is what is posted.
type Posted struct {
	MessageID string   `json:"messageId"` // of the message that it answers
	ReplyID   string   `json:"replyId"`   // the same for each attempt
	Text      string   `json:"text"`
	Choices   []Choice `json:"choices"`
}

// Choice is something that can be chosen: its id is the choice of the next message.
type Choice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

func choicesOf(m channels.Outbound) []Choice {
	out := make([]Choice, len(m.Choices))
	for i, c := range m.Choices {
		out[i] = Choice{ID: c.Token, Label: c.Label}
	}
	return out
}

// Send makes one request. Where no address was given the answer is there already, for who asks.
func (a *Adapter) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, nil); unfit {
		return out
	}
	url, conversation := channels.CallbackOf(m.To)
	if url == "" {
		return channels.Outcome{Status: channels.Taken}
	}
	if out, unfit := wire.Unfit(limits, m.Text, a.Check(c)); unfit {
		return out
	}
	if a.guard.CheckURL(url) != nil {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "the callbackUrl leads where nothing may be posted"}
	}
	body, err := json.Marshal(Posted{MessageID: channels.MessageName(conversation, m.Answers), ReplyID: m.Reference, Text: m.Text,
		Choices: choicesOf(m)})
	if err == nil {
		var req *http.Request
		if req, err = a.provider.Request(http.MethodPost, url, "application/json", string(body)); err == nil {
			req.Header.Set(SignatureHeader, Signature(c.Credentials.Reveal(CallbackSecret), body))
			answer, none, ok := a.provider.Ask(ctx, req)
			if !ok {
				return none
			}
			return outcomeOf(answer)
		}
	}
	return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to the callbackUrl cannot be made"}
}

// Signature is that of what is posted.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// outcomeOf says what an answer means, as of all that is posted to addresses of callers: 2xx has taken it;
// 408, 429 and 5xx are worth another attempt; anything else is final, a redirect too.
func outcomeOf(answer wire.Answer) channels.Outcome {
	code := "HTTP_" + strconv.Itoa(answer.Status)
	switch {
	case answer.Status/100 == 2:
		return channels.Outcome{Status: channels.Taken}
	case answer.Status == http.StatusRequestTimeout, answer.Status == http.StatusTooManyRequests, answer.Status/100 == 5:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "the callbackUrl does not take it now",
			RetryAfter: answer.RetryAfter}
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the callbackUrl refused it"}
}
