package channels

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
)

// Receiver reads what the provider of one kind sends. Implementations are safe for
// concurrent use, and pass adapters/channels/channelstest.
type Receiver interface {
	// Routes names the connections that a request may be for, by what it says of itself. Nothing of it is
	// believed yet. Nil: it does not say, and each connection of the kind may judge it. Empty: it is for
	// none but that of its path; a word that accounts choose may be that of several of them.
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
	// Named are those whose External is one of the names; all of the kind where names is nil.
	Named(ctx context.Context, kind string, names []string) ([]channels.Connection, error)
	// Taking is the one of an account with an id, where its project is there; else NOT_FOUND.
	Taking(ctx context.Context, tenant, id string) (channels.Connection, error)
}

// inbox takes what providers say. When it returns, nothing of it is lost any more. The
// same request id is the same entry or report again, and changes nothing.
type inbox interface {
	Entry(ctx context.Context, c channels.Connection, requestID string, e channels.Entry) error
	Report(ctx context.Context, c channels.Connection, requestID string, r channels.Report) error
}

// callTaker takes what providers say of calls. What comes twice is known by its request id.
type callTaker interface {
	Tell(ctx context.Context, by acts.Caller, c channels.Connection, told channels.Call) error
}

// Webhooks is what providers call.
type Webhooks struct {
	Receivers   map[string]Receiver // by kind
	Connections openConnections
	Inbox       inbox
	Talks       hearer // of kinds whose provider waits for the answer
	Calls       callTaker
	Rooms       roomConnections
	Sounds      map[string]sounding // by kind: whose sockets may bring sound
	Counts      *connected.Counts   // nil: nobody counts
	PublicURL   func() string       // how providers reach the API: signatures cover it
	Now         func() time.Time
}

// Called is what a provider calls: the kind, and the request as it came.
type Called struct {
	Kind string `path:"channelType" maxLength:"32" doc:"Kind of the channel."`

	rest.AsSent
}

type connectionIn struct {
	Called
	Identifier string `path:"identifier" maxLength:"320" doc:"The externalIdentifier of the connection."`
}

type webhookOut struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

const described = "The signature is that of the provider, over the bytes as they came; on the path without an identifier each " +
	"connection that it names judges it by its own secret, and gets what is its own; kinds whose requests name none are 404 there. " +
	"The answer comes when what was said is on the log, and before an agent runs; of kinds whose provider waits for it (genesys, vxml, " +
	"audiocodes) it is what the agent says, or that this takes longer: then the next request has it. What says nothing to us is 200, " +
	"and so is what comes twice. GET is for kinds whose provider asks whether we are there, or sends all it has in the query."

// DeclareWebhooks adds what providers call: one path for each connection, and one that
// those of a kind share. GET is for challenges.
func DeclareWebhooks(api *rest.API, x Webhooks) {
	for method, does := range map[string]string{http.MethodPost: "receive", http.MethodGet: "challenge"} {
		op := rest.Operation{ID: does + "-webhook", Method: method, Path: "/api/v1/channels/{channelType}/webhook",
			Summary: "What the provider of a channel calls", Description: described,
			Tags: []string{"Channels"}, Requirement: access.Public, Unkeyed: true,
			Refusals: []fault.Code{fault.Unauthorized, fault.Forbidden, fault.TooLarge, fault.Conflict, fault.Gone, fault.QueueFull}}
		rest.Declare(api, op, x.shared)
		op.ID, op.Path = does+"-connection-webhook", op.Path+"/{identifier}"
		rest.Declare(api, op, x.own)
	}
}

func (x Webhooks) own(ctx context.Context, in *connectionIn) (out *webhookOut, err error) {
	defer func() { x.counted(in.Kind, err) }()
	receiver, r, err := x.receiver(&in.Called)
	if err != nil {
		return nil, err
	}
	if of, is := receiver.(roomReceiver); is {
		return x.ofRoom(ctx, of, r, of.Room(r), in.Identifier)
	}
	c, err := x.Connections.At(ctx, in.Kind, in.Identifier)
	return x.receiveBy(ctx, receiver, r, c, err)
}

// receiveBy is receive by a connection, or by none, as the error of looking for it says.
func (x Webhooks) receiveBy(ctx context.Context, receiver Receiver, r channels.Request, c channels.Connection, err error) (*webhookOut,
	error) {
	switch {
	case fault.Is(err, fault.NotFound):
		return x.receive(ctx, receiver, r, nil)
	case err != nil:
		return nil, err
	}
	return x.receive(ctx, receiver, r, []channels.Connection{c})
}

func (x Webhooks) shared(ctx context.Context, in *Called) (_ *webhookOut, err error) {
	defer func() { x.counted(in.Kind, err) }()
	receiver, r, err := x.receiver(in)
	if err != nil {
		return nil, err
	}
	if of, is := receiver.(roomReceiver); is {
		return x.ofRoom(ctx, of, r, of.Room(r), "")
	}
	var out *webhookOut
	var full error
	for names, first := receiver.Routes(r), true; first || len(names) > 0; first = false {
		now := names[:min(mostAtOnce, len(names))]
		names = names[len(now):]
		found, err := x.Connections.Named(ctx, in.Kind, now)
		if err != nil {
			return nil, err
		}
		got, err := x.receive(ctx, receiver, r, found)
		switch {
		case fault.Is(err, fault.QueueFull):
			full = err
		case first && err != nil: // nobody believes it, and no others are asked
			return nil, err
		case first:
			out = got
		case err != nil && !disbelief(err):
			return nil, err
		}
	}
	return out, full
}

// disbelief is whether a request was refused because no provider of these connections has sent it.
func disbelief(err error) bool {
	return fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound)
}

// mostAtOnce is how many of the connections that a request names judge it before one believes it.
const mostAtOnce = 100

// counted counts a request that was refused, if its kind is one that is there.
func (x Webhooks) counted(kind string, err error) {
	if _, is := x.Receivers[kind]; is && err != nil {
		x.Counts.Refused(kind, string(fault.CodeOf(err)))
	}
}

func (x Webhooks) receiver(in *Called) (Receiver, channels.Request, error) {
	if kind, ok := connections.KindOf(in.Kind); ok {
		in.Kind = kind.Slug
	}
	receiver, ok := x.Receivers[in.Kind]
	own, has := calledAt[in.Kind]
	if in.Kind == "a2a" {
		own, has = connections.AgentPath+"{connectionId}", true
	}
	switch {
	case ok:
	case has:
		return nil, channels.Request{}, fault.New(fault.NotFound, "channels of this kind are called at %s", own)
	default:
		return nil, channels.Request{}, fault.New(fault.NotFound, "nothing is received by channels of this kind")
	}
	r := in.Sent()
	r.URL, r.At = x.PublicURL()+r.URL, x.Now()
	return receiver, r, nil
}

// receive takes what the request says to those of the connections whose provider sent it:
// each judges it by its own secret. It answers when nothing can be lost any more. One that is not
// active takes nothing but what people withdraw, and its provider is not told so. Where there is none, as much is judged as
// where there is one, so that the time does not tell which there are.
func (x Webhooks) receive(ctx context.Context, receiver Receiver, r channels.Request, found []channels.Connection) (*webhookOut, error) {
	var refusal error = fault.New(fault.NotFound, "there is no such connection")
	var full error
	out, believed := &webhookOut{}, false
	if len(found) == 0 {
		_ = receiver.Verify(decoy, r)
	}
	for n, c := range found {
		if !believed && n > 0 && n*len(r.Body) > mostJudged {
			break
		}
		if err := receiver.Verify(c, r); err != nil {
			refusal = err
			continue
		}
		believed = true
		got, err := receiver.Parse(c, r)
		if err != nil { // repeating it would not make it readable, and makes providers give up on us
			rest.Logger(ctx).Warn("a provider sent what cannot be read; it is answered and left", "connection", c.ID, "kind", c.Kind, "error", err)
			x.Counts.Refused(c.Kind, connected.Unreadable)
		}
		if waits, is := receiver.(Answerer); is {
			return x.answer(ctx, waits, c, r, got)
		}
		if c.Inactive {
			x.Counts.Refused(c.Kind, connected.Inactive)
			got.Entries, got.Reports, got.Calls = withdrawn(got.Entries), nil, nil
		}
		if err := x.deliver(ctx, c, got); fault.Is(err, fault.QueueFull) {
			full = err
		} else if err != nil {
			return nil, err
		}
		pressed(ctx, receiver, c, got.Entries)
		if out.Body == nil {
			out.ContentType, out.Body = got.Answer.ContentType, got.Answer.Body
		}
	}
	if !believed {
		return nil, refusal
	}
	return out, full
}

// withdrawn are the entries by which people take something back: that they want messages, or what they said. They say it once,
// and it holds when the connection takes messages again.
func withdrawn(all []channels.Entry) (out []channels.Entry) {
	for _, e := range all {
		if e.Opt == channels.OptOut || e.Says == channels.TakesBack {
			out = append(out, e)
		}
	}
	return out
}

// presser is a receiver whose people wait until it is told that what they pressed has come, whatever becomes of it.
type presser interface {
	Pressed(ctx context.Context, c channels.Connection, externalID string)
}

// pressedWithin is how long somebody who pressed a button waits at most.
const pressedWithin = 5 * time.Second

// pressing has a place for each who is told so at the moment. While there is none, those who press wait until their
// platform has enough of that: what they said is taken all the same.
var pressing = make(chan struct{}, 64)

// pressed ends the waiting of those who pressed a button; nobody waits for that.
func pressed(ctx context.Context, by Receiver, c channels.Connection, all []channels.Entry) {
	told, is := by.(presser)
	for _, e := range all {
		if !is || e.Choice == "" {
			continue
		}
		select {
		case pressing <- struct{}{}:
		default:
			return
		}
		go func() {
			defer func() { <-pressing }()
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), pressedWithin)
			defer cancel()
			told.Pressed(within, c, e.ExternalID)
		}()
	}
}

// mostJudged is how many bytes are judged, by one secret after the other, before one of them is believed: who
// sends what nobody signed costs no more. The provider's own names connections whose secret is its own.
const mostJudged = 16 << 20

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

// conversationsAtOnce is how many conversations of one request are written to at the same time.
const conversationsAtOnce = 16

// deliver names each entry and report by the provider's id, so that one that comes again is the
// same. Those of one conversation come in their order. One in which no more can wait holds up no other;
// by the refusal its provider sends all of it again.
func (x Webhooks) deliver(ctx context.Context, c channels.Connection, got channels.Received) (full error) {
	var order []string
	of := map[string][]channels.Entry{}
	for _, e := range got.Entries {
		if of[e.Thread] == nil {
			order = append(order, e.Thread)
		}
		of[e.Thread] = append(of[e.Thread], e)
	}
	var writing errgroup.Group // of each conversation on its own: one that fails cuts off no other
	writing.SetLimit(conversationsAtOnce)
	refusals := make([]error, len(order))
	for i, thread := range order {
		writing.Go(func() error {
			for _, e := range of[thread] {
				refusals[i] = x.Inbox.Entry(ctx, c, eventstore.CauseID("channel", c.ID, "entry/"+e.ExternalID), e)
				if refusals[i] != nil {
					break
				}
				x.Counts.Received(c.Kind)
			}
			return nil
		})
	}
	_ = writing.Wait() // nobody gives an error
	for _, err := range refusals {
		switch {
		case fault.Is(err, fault.QueueFull):
			full = err
		case err != nil:
			return err
		}
	}
	for _, r := range got.Reports {
		if err := x.Inbox.Report(ctx, c, eventstore.CauseID("channel", c.ID, "report/"+r.ExternalID), r); err != nil {
			return err
		}
	}
	for _, told := range got.Calls {
		by := acts.Caller{Command: eventstore.Command{CorrelationID: rest.CorrelationID(ctx)}, Within: rest.CommandTimeout}
		by = connected.By(by, c, eventstore.CauseID("channel", c.ID, "call/"+told.ExternalID))
		if err := x.Calls.Tell(ctx, by, c, told); err != nil {
			return err
		}
	}
	return full
}
