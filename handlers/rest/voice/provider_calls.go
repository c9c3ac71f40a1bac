package voice

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
)

// doorman reads what the provider of telephone calls asks, and writes what it is answered.
type doorman interface {
	Browser(r channels.Request) string // the identity of who calls by a token; empty: nobody does
	Routes(r channels.Request) []string
	Verify(c channels.Connection, r channels.Request) error
	Parse(c channels.Connection, r channels.Request) (channels.Received, error)
}

// Answers are the documents that the provider of telephone calls is answered with.
type Answers struct {
	Streamed func(address, token string) channels.Answer // the call's sound goes to an address, with a token
	Rejected channels.Answer
	HungUp   channels.Answer
}

// ProviderCallsAPI is what the operations that the provider of telephone calls asks need.
type ProviderCallsAPI struct {
	rest.Commands
	Calls       brought.Calls
	Connections openConnections
	Door        doorman
	Answers     Answers
	PublicURL   func() string // how providers reach the API: signatures cover it
}

// DeclareProviderCalls adds what the provider of telephone calls asks.
func DeclareProviderCalls(api *rest.API, x ProviderCallsAPI) {
	refusals := []fault.Code{fault.Unauthorized, fault.TooLarge}
	rest.Declare(api, rest.Operation{
		ID: "voice-connect", Method: http.MethodPost, Path: "/api/v1/voice/connect", Tags: []string{tagVoice},
		Summary: "A telephone call comes in",
		Description: "Called by Twilio, with a form: the webhook of a number, or of the application with which browsers call. The connection " +
			"of the kind twilio_voice is that of the number which was called (`To`), or of the session whose browser calls; its auth token " +
			"judges X-Twilio-Signature, over the address below --public-url. The call is answered by the agent that the connection leads to: " +
			"a session of the channel `voice` begins, one for each CallSid, and the answer has the sound streamed to voice-stream with a token " +
			"that opens it once. A number that nobody has connected, and a call that nobody can answer, are rejected. A repeat is answered " +
			"alike.",
		Requirement: access.Public, Unkeyed: true, Refusals: refusals,
	}, x.connect)
	answer := api.Description().Paths["/api/v1/voice/connect"].Post.Responses["200"]
	answer.Description = "TwiML: Connect with the Stream, Reject, or Hangup."
	answer.Content = map[string]*huma.MediaType{"text/xml": {Schema: &huma.Schema{Type: huma.TypeString}}}
	rest.Declare(api, rest.Operation{
		ID: "voice-status", Method: http.MethodPost, Path: "/api/v1/voice/status", Status: http.StatusNoContent, Tags: []string{tagVoice},
		Summary: "How far a telephone call is",
		Description: "Called by Twilio, with a form: the status callback of a number or a call. What is told is one of initiated, ringing, " +
			"in-progress, completed and failed; busy, no-answer and canceled are failed, with Twilio's word beside it. It may come in any " +
			"order (SequenceNumber says in which it was meant), twice, and before voice-connect.",
		Requirement: access.Public, Unkeyed: true, Refusals: append(refusals, fault.NotFound),
	}, x.status)
}

// askedIn is what the provider asks, as it came.
type askedIn struct{ rest.AsSent }

type documentOut struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func answered(a channels.Answer) *documentOut { return &documentOut{a.ContentType, a.Body} }

// by is the provider of a connection, with what it says once.
func (x ProviderCallsAPI) by(ctx context.Context, c channels.Connection, says string) acts.Caller {
	return connected.By(x.Caller(ctx), c, eventstore.CauseID("channel", c.ID, says))
}

func (x ProviderCallsAPI) connect(ctx context.Context, in *askedIn) (*documentOut, error) {
	c, told, ok, err := x.heard(ctx, in.Sent())
	switch {
	case fault.Is(err, fault.NotFound):
		return answered(x.Answers.Rejected), nil
	case err != nil:
		return nil, err
	case !ok, c.Inactive:
		return answered(x.Answers.Rejected), nil
	}
	s, err := x.Calls.Answer(ctx, x.by(ctx, c, "connect/"+told.ProviderID), x.Calls.Of(c, told), told)
	switch {
	case err != nil:
		return nil, err
	case s.Phase == calls.PhaseFailed:
		return answered(x.Answers.Rejected), nil
	case s.Ended():
		return answered(x.Answers.HungUp), nil
	}
	call := s.Request.CallID
	return answered(x.Answers.Streamed(socketOf(x.PublicURL())+streamPath+call, x.Calls.Token(call))), nil
}

// socketOf is how a socket is reached where requests are reached by a URL.
func socketOf(url string) string { return "ws" + strings.TrimPrefix(url, "http") }

func (x ProviderCallsAPI) status(ctx context.Context, in *askedIn) (*struct{}, error) {
	c, told, ok, err := x.heard(ctx, in.Sent())
	if err != nil || !ok || c.Inactive || told.Status == "" {
		return nil, err
	}
	_, err = x.Calls.Tell(ctx, x.by(ctx, c, "call/"+told.ExternalID), x.Calls.Of(c, told), told)
	return nil, err
}

// heard is what a request says of which call, and the connection whose provider sent it. false: it
// says nothing to us. Where there is no connection, as much is judged as where there is one.
func (x ProviderCallsAPI) heard(ctx context.Context, r channels.Request) (c channels.Connection, told channels.Call, ok bool, err error) {
	r.URL, r.At = x.PublicURL()+r.URL, x.Now()
	if signature, bad := base64.StdEncoding.DecodeString(r.Get("X-Twilio-Signature")); bad != nil || len(signature) == 0 {
		return c, told, false, fault.New(fault.Unauthorized, "the header X-Twilio-Signature is missing, or no signature")
	}
	found, err := x.asked(ctx, r)
	if err != nil {
		return c, told, false, err
	}
	if len(found) == 0 {
		_ = x.Door.Verify(decoy, r)
		return c, told, false, fault.New(fault.NotFound, "there is no such connection")
	}
	for _, c = range found {
		if err = x.Door.Verify(c, r); err == nil {
			break
		}
	}
	if err != nil {
		return c, told, false, err
	}
	got, err := x.Door.Parse(c, r)
	if err != nil { // repeating it would not make it readable
		rest.Logger(ctx).Warn("the provider of calls sent what cannot be read; it is answered and left", "connection", c.ID, "error", err)
	}
	if len(got.Calls) != 1 {
		return c, told, false, nil
	}
	return c, got.Calls[0], true, nil
}

// decoy has a secret by which nobody signs.
var decoy = channels.Connection{Credentials: channels.Credentials{"authToken": channels.Secret(rand.Text())}}

// asked are the connections that a request may be for: those of the numbers that it names, else those
// of the project in whose session a browser calls.
func (x ProviderCallsAPI) asked(ctx context.Context, r channels.Request) ([]channels.Connection, error) {
	if names := x.Door.Routes(r); len(names) > 0 {
		found, err := x.Connections.Named(ctx, KindVoice, names)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	session, is := strings.CutPrefix(x.Door.Browser(r), brought.Identity(""))
	if !is || !access.ValidID(session) {
		return nil, nil
	}
	s, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	if err != nil || s.State.TenantID == "" {
		return nil, err
	}
	return x.Connections.Of(ctx, s.State.TenantID, s.State.ProjectID, KindVoice)
}

// streamPath is where a call's sound is streamed to, before the call's id.
const streamPath = "/api/v1/voice/stream/"
