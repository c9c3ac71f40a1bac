package channels

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/textproto"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
)

// Receiver reads what the provider of one kind sends. Implementations are safe for
// concurrent use, and pass adapters/channels/channelstest.
type Receiver interface {
	// Routes names the connections that a request may be for, by what it says of itself.
	// None: it does not say. Nothing of it is believed yet.
	Routes(r channels.Request) []string
	// Verify refuses a request that was not sent to the connection by its provider.
	Verify(c channels.Connection, r channels.Request) error
	// Parse reads what a verified request says to the connection.
	Parse(c channels.Connection, r channels.Request) (channels.Received, error)
}

// openConnections finds connections, with their credentials opened.
type openConnections interface {
	// At is the one whose path has the identifier; NOT_FOUND if there is none.
	At(ctx context.Context, kind, identifier string) (channels.Connection, error)
	// Named are those whose External is one of the names; without names all of the kind.
	Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error)
}

// inbox takes what providers say. When it returns, nothing of it is lost any more. The
// same request id is the same entry or report again, and changes nothing.
type inbox interface {
	Entry(ctx context.Context, c channels.Connection, requestID string, e channels.Entry) error
	Report(ctx context.Context, c channels.Connection, requestID string, r channels.Report) error
}

// Webhooks is what providers call.
type Webhooks struct {
	Receivers   map[string]Receiver // by kind
	Connections openConnections
	Inbox       inbox
	PublicURL   func() string // how providers reach the API: signatures cover it
	Now         func() time.Time
}

// Called is what a provider calls: the kind, and the request as it came.
type Called struct {
	Kind string `path:"channelType" maxLength:"32" doc:"Kind of the channel."`

	as channels.Request
}

// Resolve keeps what a signature may cover.
func (in *Called) Resolve(ctx huma.Context) []error {
	address := ctx.URL()
	in.as = channels.Request{Method: ctx.Method(), URL: address.RequestURI(), Header: map[string][]string{}, Body: rest.RawBody(ctx.Context())}
	ctx.EachHeader(func(name, value string) {
		name = textproto.CanonicalMIMEHeaderKey(name)
		in.as.Header[name] = append(in.as.Header[name], value)
	})
	return nil
}

type connectionIn struct {
	Called
	Identifier string `path:"identifier" maxLength:"320" doc:"The externalIdentifier of the connection."`
}

type webhookOut struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

const described = "The signature is that of the provider, over the bytes as they came; on the path without an identifier each " +
	"connection judges it by its own secret, and gets what is its own. The answer comes when what was said is on the log, and before an " +
	"agent runs. What says nothing to us is 200, and so is what comes twice. GET is for kinds whose provider asks whether we are there."

// DeclareWebhooks adds what providers call: one path for each connection, and one that
// those of a kind share. GET is for challenges.
func DeclareWebhooks(api *rest.API, x Webhooks) {
	for method, does := range map[string]string{http.MethodPost: "receive", http.MethodGet: "challenge"} {
		op := rest.Operation{ID: does + "-webhook", Method: method, Path: "/api/v1/channels/{channelType}/webhook",
			Summary: "What the provider of a channel calls", Description: described,
			Tags: []string{"Channels"}, Requirement: access.Public,
			Refusals: []fault.Code{fault.Unauthorized, fault.Forbidden, fault.TooLarge}}
		rest.Declare(api, op, x.shared)
		op.ID, op.Path = does+"-connection-webhook", op.Path+"/{identifier}"
		rest.Declare(api, op, x.own)
	}
}

func (x Webhooks) own(ctx context.Context, in *connectionIn) (*webhookOut, error) {
	receiver, r, err := x.receiver(&in.Called)
	if err != nil {
		return nil, err
	}
	c, err := x.Connections.At(ctx, in.Kind, in.Identifier)
	if fault.Is(err, fault.NotFound) {
		return x.receive(ctx, receiver, r, nil)
	}
	if err != nil {
		return nil, err
	}
	return x.receive(ctx, receiver, r, []channels.Connection{c})
}

func (x Webhooks) shared(ctx context.Context, in *Called) (*webhookOut, error) {
	receiver, r, err := x.receiver(in)
	if err != nil {
		return nil, err
	}
	found, err := x.Connections.Named(ctx, in.Kind, receiver.Routes(r))
	if err != nil {
		return nil, err
	}
	return x.receive(ctx, receiver, r, found)
}

func (x Webhooks) receiver(in *Called) (Receiver, channels.Request, error) {
	if kind, ok := connections.KindOf(in.Kind); ok {
		in.Kind = kind.Slug
	}
	receiver, ok := x.Receivers[in.Kind]
	if !ok {
		return nil, channels.Request{}, fault.New(fault.NotFound, "nothing is received by channels of this kind")
	}
	r := in.as
	r.URL, r.At = x.PublicURL()+r.URL, x.Now()
	return receiver, r, nil
}

// receive takes what the request says to those of the connections whose provider sent it:
// each judges it by its own secret. It answers when nothing can be lost any more. One that is not
// active takes nothing, and its provider is not told so. Where there is none, as much is judged as
// where there is one, so that the time does not tell which there are.
func (x Webhooks) receive(ctx context.Context, receiver Receiver, r channels.Request, found []channels.Connection) (*webhookOut, error) {
	var refusal error = fault.New(fault.NotFound, "there is no such connection")
	out, believed := &webhookOut{}, false
	if len(found) == 0 {
		_ = receiver.Verify(decoy, r)
	}
	for _, c := range found {
		if err := receiver.Verify(c, r); err != nil {
			refusal = err
			continue
		}
		believed = true
		got, err := receiver.Parse(c, r)
		if err != nil { // repeating it would not make it readable, and makes providers give up on us
			rest.Logger(ctx).Warn("a provider sent what cannot be read; it is answered and left", "connection", c.ID, "kind", c.Kind, "error", err)
		}
		if c.Inactive {
			got.Entries, got.Reports = nil, nil
		}
		if err := x.deliver(ctx, c, got); err != nil {
			return nil, err
		}
		if out.Body == nil {
			out.ContentType, out.Body = got.Answer.ContentType, got.Answer.Body
		}
	}
	if !believed {
		return nil, refusal
	}
	return out, nil
}

// decoy has a secret of every name, by which nobody signs.
var decoy = decoyOf()

func decoyOf() channels.Connection {
	out := channels.Connection{Credentials: channels.Credentials{}}
	for _, slug := range connections.Slugs() {
		kind, _ := connections.KindOf(slug)
		names, _ := kind.CredentialNames()
		for _, name := range names {
			out.Credentials[name] = channels.Secret(rand.Text())
		}
	}
	return out
}

// deliver names each entry and report by the provider's id, so that one that comes again
// is the same.
func (x Webhooks) deliver(ctx context.Context, c channels.Connection, got channels.Received) error {
	for _, e := range got.Entries {
		if err := x.Inbox.Entry(ctx, c, eventstore.CauseID("channel", c.ID, "entry/"+e.ExternalID), e); err != nil {
			return err
		}
	}
	for _, r := range got.Reports {
		if err := x.Inbox.Report(ctx, c, eventstore.CauseID("channel", c.ID, "report/"+r.ExternalID), r); err != nil {
			return err
		}
	}
	return nil
}
