package channels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// Dialogue is an Answerer whose provider may talk on a socket too: each message is as a request of its own.
type Dialogue interface {
	Answerer
	// Protocols are those that it speaks there.
	Protocols() []string
	// Later is what is said there behind an answer: when it took longer than Patience, and when somebody speaks by themselves.
	// Without a body there is nothing to say.
	Later(c channels.Connection, r channels.Request, reply channels.Reply) channels.Answer
}

// The bounds of a socket: messages that wait to be heard, how long what is said late may take to be all there, and of how many
// conversations more is said than the answers.
const (
	mostFrames = 64
	laterFor   = 20 * time.Second
	mostLater  = 100
)

// sounding takes the calls of a kind that bring their sound to its socket.
type sounding interface {
	// Begins reports whether the first message begins one.
	Begins(message []byte) bool
	// Serve takes it, and what comes behind, until it is over.
	Serve(ctx context.Context, s *sockets.Socket, c channels.Connection, first []byte, next <-chan sockets.Frame)
}

// Bring has the sockets of a kind bring sound.
func (x *Webhooks) Bring(kind string, taker sounding) {
	if x.Sounds == nil {
		x.Sounds = map[string]sounding{}
	}
	x.Sounds[kind] = taker
}

// DeclareDialogues adds a socket for each kind that talks on one.
func DeclareDialogues(api *rest.API, s *sockets.Sockets, x Webhooks) {
	for _, kind := range slices.Sorted(maps.Keys(x.Receivers)) {
		by, talks := x.Receivers[kind].(Dialogue)
		if !talks {
			continue
		}
		sockets.Declare(api, s, sockets.Operation{Operation: rest.Operation{ID: "talk-by-" + kind,
			Path: "/api/v1/channels/" + kind + "/socket/{identifier}", Summary: "Talk on a socket, as the provider of " + kind + " does",
			Description: "The provider shows the connection's token, as Authorization: Bearer or Basic, or as the query's token. Each message is " +
				"taken as a request to the webhook is, and answered with what the agent says; what takes longer, and what people say, is said " +
				"when it is there.",
			Tags: []string{"Channels"}, Requirement: access.Public, Refusals: []fault.Code{fault.Unauthorized, fault.NotFound},
		}, Protocols: by.Protocols()}, func(ctx context.Context, in *dialogueIn) (sockets.Serve, error) { return x.open(ctx, kind, by, in) })
	}
}

type dialogueIn struct {
	Identifier string `path:"identifier" maxLength:"320" doc:"The externalIdentifier of the connection."`
	Token      string `query:"token" maxLength:"16384" doc:"The connection's token, where the provider sets no header."`

	rest.AsSent
}

func (x Webhooks) open(ctx context.Context, kind string, by Dialogue, in *dialogueIn) (sockets.Serve, error) {
	c, r, err := x.opens(ctx, kind, by, in.Identifier, in.Sent())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *sockets.Socket) { x.serve(ctx, s, by, c, r) }, nil
}

// opens judges who opens a socket. Where there is no connection, as much is judged as where there is one.
func (x Webhooks) opens(ctx context.Context, kind string, by Answerer, identifier string, r channels.Request) (
	channels.Connection, channels.Request, error) {
	r.URL, r.At, r.Frame = x.PublicURL()+r.URL, x.Now(), true
	found, err := x.Connections.Named(ctx, kind, []string{identifier})
	if err == nil && len(found) == 0 {
		_ = by.Verify(decoy, r)
		err = connections.Unknown()
	}
	for _, c := range found { // of kinds that accounts name themselves there may be several
		if err = by.Verify(c, r); err == nil {
			return c, r, nil
		}
	}
	return channels.Connection{}, r, err
}

// still is how the connection of a socket stands now, by what it was opened with: a socket may last for days, and
// what is changed, put to rest or deleted meanwhile, with its project too, holds for it. What cannot be told now is not held against it.
func (x Webhooks) still(ctx context.Context, by Answerer, c channels.Connection, r channels.Request) (channels.Connection, error) {
	long := rest.LongAnswerOf(ctx).Apart()
	long.Look()
	now, err := x.Connections.Taking(ctx, c.TenantID, c.ID)
	switch {
	case err == nil:
		return now, by.Verify(now, r)
	case fault.Is(err, fault.NotFound) && long.Holds(ctx) == nil:
		return c, err
	}
	return c, nil
}

// notStill is why a socket is closed whose connection does not let it in any more.
const notStill = "the connection is gone, or its token is another one"

// serve hears one message after the other. Another goroutine reads: signs of life come the same way.
func (x Webhooks) serve(ctx context.Context, s *sockets.Socket, by Dialogue, c channels.Connection, r channels.Request) {
	frames := make(chan sockets.Frame, mostFrames)
	go func() {
		defer close(frames)
		for {
			f, err := s.Read()
			if err != nil {
				return
			}
			select {
			case frames <- f:
			default:
				s.Close(sockets.TooSlow, fmt.Sprintf("%d messages wait to be heard", mostFrames))
				return
			}
		}
	}()
	first, late := true, lateness{}
	for f := range frames {
		if sound := x.Sounds[c.Kind]; sound != nil && first && !f.Binary && !c.Inactive && sound.Begins(f.Data) {
			sound.Serve(ctx, s, c, f.Data, frames)
			return
		}
		first = false
		r.Body, r.Binary, r.At = f.Data, f.Binary, x.Now()
		var err error
		if c, err = x.still(ctx, by, c, r); err == nil {
			err = x.hears(ctx, s, by, c, r, late)
		}
		switch {
		case err == nil, ctx.Err() != nil:
		case disbelief(err):
			s.Close(sockets.Refused, notStill)
			return
		default:
			rest.Logger(ctx).Warn("a message on a socket of a channel is not answered", "connection", c.ID, "kind", c.Kind, "error", err)
			s.Close(sockets.Broken, "a message cannot be taken")
		}
	}
}

// lateness has, by conversation, who waits for what is said behind the last answer.
type lateness map[string]waiting

type waiting struct {
	cancel func()
	ended  chan struct{} // closed when nobody waits any more
}

// end has nobody wait for more of a conversation.
func (l lateness) end(conversation string) {
	if w, is := l[conversation]; is {
		w.cancel()
		<-w.ended
		delete(l, conversation)
	}
}

// full is whether so many wait that no more may. Of conversations that are over nobody does.
func (l lateness) full() bool {
	if len(l) < mostLater {
		return false
	}
	maps.DeleteFunc(l, func(_ string, w waiting) bool {
		select {
		case <-w.ended:
			return true
		default:
			return false
		}
	})
	return len(l) >= mostLater
}

// hears takes a message and answers it. What was said is taken also where the socket ends meanwhile; what is said
// to it then waits for the next request.
func (x Webhooks) hears(ctx context.Context, s *sockets.Socket, by Dialogue, c channels.Connection, r channels.Request,
	late lateness) error {
	got, err := by.Parse(c, r)
	switch {
	case err != nil:
		rest.Logger(ctx).Warn("what is said on a socket cannot be read; it is left", "connection", c.ID, "kind", c.Kind, "error", err)
		x.Counts.Refused(c.Kind, connected.Unreadable)
		return nil
	case c.Inactive:
		x.Counts.Refused(c.Kind, connected.Inactive)
		return tells(s, by.Answer(c, r, channels.Reply{State: channels.Unanswered, Code: threads.CodeInactive}))
	case len(got.Entries) == 0:
		return tells(s, got.Answer)
	}
	last := got.Entries[len(got.Entries)-1]
	late.end(last.Thread) // what is still to come is in this answer: of two the other side would say the second over the first
	reply, err := x.Talks.Hear(ctx, c, got.Entries, by.Patience())
	if err != nil {
		return err
	}
	if last.Says == channels.Leaves { // what the receiver says to that, if anything: no agent says more
		return tells(s, got.Answer)
	}
	if err := tells(s, by.Answer(c, r, reply)); err != nil {
		return err
	}
	over := reply.State == channels.Ended || reply.State == channels.Unanswered
	if !over && (reply.State == channels.Working || !late.full()) {
		within, cancel := context.WithCancel(ctx)
		w := waiting{cancel, make(chan struct{})}
		late[last.Thread] = w
		s.Beside(func() {
			defer close(w.ended)
			defer cancel()
			x.later(within, s, by, c, r, last, reply.State)
		})
	}
	return nil
}

// tells says an answer. Without a body it is none: not everything wants one.
func tells(s *sockets.Socket, answer channels.Answer) error {
	if answer.Body == nil {
		return nil
	}
	return ignoreClosed(s.Send(answer.Body))
}

// ignoreClosed passes over a socket that ends: what was to be said waits in the conversation.
func ignoreClosed(err error) error {
	if err == sockets.ErrClosed {
		return nil
	}
	return err
}

// later says what is said behind the answer to a message: the rest, where that took longer, and what people say, or the agent
// by itself. What nobody has heard yet when the socket ends, or when the next message comes, waits for that. told is how the
// conversation goes on by that answer: where it goes on otherwise that is told too, also in silence.
func (x Webhooks) later(ctx context.Context, s *sockets.Socket, by Dialogue, c channels.Connection, r channels.Request, e channels.Entry,
	told channels.ReplyState) {
	id, behind := e.ExternalID, e
	e.Says, e.Text, e.Choice, e.Files = channels.Waits, "", "", nil
	for n := 1; ; n++ {
		e.ExternalID = id + "/" + strconv.Itoa(n)
		err := x.Talks.More(ctx, c, behind, e, told)
		var now channels.Connection
		if err == nil {
			now, err = x.still(ctx, by, c, r)
		}
		var reply channels.Reply
		if err == nil && !now.Inactive {
			reply, err = x.Talks.Hear(ctx, c, []channels.Entry{e}, laterFor)
		}
		switch {
		case ctx.Err() != nil && err != nil, errors.Is(err, errOver), now.Inactive:
			return
		case disbelief(err):
			s.Close(sockets.Refused, notStill)
			return
		case err != nil:
			rest.Logger(ctx).Warn("what an agent says late is not said on its socket", "connection", c.ID, "kind", c.Kind, "error", err)
			return
		}
		if len(reply.Said) == 0 && reply.State == told { // it was no news
			return
		}
		if tells(s, by.Later(c, r, reply)) != nil {
			return
		}
		if behind, told = e, reply.State; told == channels.Ended || told == channels.Unanswered {
			return
		}
	}
}
