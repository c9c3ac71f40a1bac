package channels

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// Line is an Answerer whose provider opens a socket for a conversation, on which it hears what is said. It
// goes on to say by requests what the person says.
type Line interface {
	Answerer
	// Conversation is the one that a socket is opened for; empty: the request does not say.
	Conversation(r channels.Request) string
	// Tell is what is said there.
	Tell(c channels.Connection, r channels.Request, reply channels.Reply) channels.Answer
}

// DeclareLines adds a socket for each kind whose provider hears on one.
func DeclareLines(api *rest.API, s *sockets.Sockets, x Webhooks) {
	for _, kind := range slices.Sorted(maps.Keys(x.Receivers)) {
		by, hears := x.Receivers[kind].(Line)
		if !hears {
			continue
		}
		sockets.DeclareTaking(api, s, sockets.Operation{Operation: rest.Operation{ID: "listen-by-" + kind,
			Path: "/api/v1/channels/" + kind + "/socket/{identifier}", Summary: "Hear on a socket, as the provider of " + kind + " does",
			Description: "The provider shows the connection's token, as Authorization: Bearer or Basic, and hears what is said in the " +
				"conversation: at once, also when a turn takes long, or a person says it. While the socket is open its requests are answered " +
				"without that; when it is not they have it in the response, after a node that was killed with the socket once 8 seconds later. " +
				"The newest socket of a conversation counts.",
			Tags: []string{"Channels"}, Requirement: access.Public, Refusals: []fault.Code{fault.Unauthorized, fault.NotFound},
		}}, func(ctx context.Context, in *lineIn) (sockets.Opening, error) { return x.listen(ctx, kind, by, in) })
	}
}

type lineIn struct {
	Identifier   string `path:"identifier" maxLength:"320" doc:"The externalIdentifier of the connection."`
	Conversation string `query:"conversation" maxLength:"256" minLength:"1" required:"true" doc:"As the requests of the conversation call it."`

	rest.AsSent
}

func (x Webhooks) listen(ctx context.Context, kind string, by Line, in *lineIn) (out sockets.Opening, err error) {
	c, r, err := x.opens(ctx, kind, by, in.Identifier, in.Sent())
	if err != nil {
		return out, err
	}
	line := ""
	if !c.Inactive { // before the other side knows of the socket: what it asks then is said there
		out.Take = func(ctx context.Context) (err error) {
			line, err = x.Talks.Open(ctx, c, by.Conversation(r))
			return err
		}
	}
	out.Serve = func(ctx context.Context, s *sockets.Socket) { x.tell(ctx, s, by, c, r, line) }
	return out, nil
}

// tell says what is said until the socket ends. Nothing is heard on it.
func (x Webhooks) tell(ctx context.Context, s *sockets.Socket, by Line, c channels.Connection, r channels.Request, line string) {
	if c.Inactive {
		x.rests(s, by, c, r)
		return
	}
	s.Beside(func() { x.speak(ctx, s, by, c, r, line) })
	for {
		if _, err := s.Read(); err != nil {
			return
		}
	}
}

// rests says on a socket that nobody answers by its connection.
func (Webhooks) rests(s *sockets.Socket, by Line, c channels.Connection, r channels.Request) {
	_ = s.Send(by.Tell(c, r, channels.Reply{State: channels.Unanswered, Code: threads.CodeInactive}).Body)
	s.Close(sockets.Done, "nobody answers by this connection")
}

func (x Webhooks) speak(ctx context.Context, s *sockets.Socket, by Line, c channels.Connection, r channels.Request, line string) {
	err := x.Talks.Speak(ctx, c, by.Conversation(r), line, func(reply channels.Reply) error {
		now, err := x.still(ctx, by, c, r)
		switch {
		case err != nil:
			return err
		case now.Inactive:
			return errResting
		}
		if err := s.Send(by.Tell(c, r, reply).Body); err != nil {
			return err
		}
		return s.Drained(ctx)
	})
	switch {
	case ctx.Err() != nil, errors.Is(err, sockets.ErrClosed):
	case disbelief(err):
		s.Close(sockets.Refused, notStill)
	case errors.Is(err, errResting):
		x.rests(s, by, c, r)
	case errors.Is(err, errOver):
		s.Close(sockets.Done, "the conversation is over, or is heard on another socket")
	case err != nil:
		rest.Logger(ctx).Warn("what an agent says is not said on its socket", "connection", c.ID, "kind", c.Kind, "error", err)
		s.Close(sockets.Broken, "an unexpected failure")
	}
}

// errOver and errResting end the speaking.
var (
	errOver    = errors.New("nobody hears on this line any more")
	errResting = errors.New("the connection of the line is not active")
)

// overlap is how long a line waits for the one before it to have said what it was saying. One whose node was
// killed, or whose other side takes nothing, never has.
const overlap = 2 * lookAgain

// Open opens a line for a conversation, which takes the place of one that there was. It is closed when ctx
// ends, also where nobody came to speak on it.
func (x Talks) Open(ctx context.Context, c channels.Connection, conversation string) (line string, err error) {
	stream, line := threads.Stream(x.MAC, c.TenantID, c.ID, conversation), uuid.NewString()
	cmd := threads.OpenLine{ID: line, TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ID, Kind: c.Kind, Thread: conversation,
		At: x.Now()}
	if _, err = acts.Execute(ctx, x.Log, x.by(ctx, c, ""), threads.Threads, stream, cmd.Decide); err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { x.close(context.WithoutCancel(ctx), c, stream, line) })
	return line, nil
}

// close notes that a line has ended, where nobody has yet.
func (x Talks) close(ctx context.Context, c channels.Connection, stream, line string) {
	cmd := threads.CloseLine{ID: line, At: x.Now()}
	if _, err := acts.Execute(ctx, x.Log, x.by(ctx, c, ""), threads.Threads, stream, cmd.Decide); err != nil {
		rest.Logger(ctx).Warn("it is not noted that a socket has ended: a request waits for it", "connection", c.ID, "kind", c.Kind,
			"error", err)
	}
}

// Speak says on a line what is said in a conversation as it comes, by say, until ctx ends, the person has left,
// or another line is opened for the conversation. What is said is noted behind that: what a line broke off in
// comes again on the next one.
func (x Talks) Speak(ctx context.Context, c channels.Connection, conversation, line string, say func(channels.Reply) error) error {
	stream, by := threads.Stream(x.MAC, c.TenantID, c.ID, conversation), x.by(ctx, c, "")
	run := func(ctx context.Context, decide func(threads.State) ([]event.Payload, error)) (threads.State, error) {
		res, err := acts.Execute(ctx, x.Log, by, threads.Threads, stream, decide)
		return res.State, err
	}
	news, stop, err := x.follow(stream)
	if err != nil {
		return err
	}
	defer stop()
	told := context.WithoutCancel(ctx) // what is so is noted also where the socket ends meanwhile
	defer x.close(told, c, stream, line)
	s, err := x.stands(ctx, stream)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, overlap)
	defer cancel()
	for s.Line == line && s.LineBefore != "" && within.Err() == nil { // or both say what that one says just now
		if s, err = x.awaited(ctx, stream, news, within.Done()); err != nil {
			return err
		}
	}
	ended := ""
	for {
		reply, replies, handsOver := s.OnLine()
		switch {
		case s.Line != line || s.HasLeft():
			return errOver
		case handsOver:
			if s, err = run(ctx, threads.HandOver{Line: line, At: x.Now()}.Decide); err != nil {
				return err
			}
			continue
		}
		over := reply.State != channels.GoesOn && ended != s.Session+"/"+string(reply.State)
		if len(replies) > 0 || over {
			if err := say(reply); err != nil {
				return err
			}
			if over {
				ended = s.Session + "/" + string(reply.State)
			}
		}
		if len(replies) > 0 {
			if s, err = run(told, threads.Speak{Line: line, Replies: replies, At: x.Now()}.Decide); err != nil {
				return err
			}
			continue
		}
		if s, err = x.awaited(ctx, stream, news, nil); err != nil {
			return err
		}
	}
}

// awaited is how the conversation stands when there are news of it, or when late is closed.
func (x Talks) awaited(ctx context.Context, stream string, news, late <-chan struct{}) (threads.State, error) {
	var again <-chan time.Time
	if news == nil {
		again = time.After(lookAgain)
	}
	select {
	case <-news:
	case <-again:
	case <-late:
	case <-ctx.Done():
		return threads.State{}, ctx.Err()
	}
	return x.stands(ctx, stream)
}

// stands is how the conversation stands.
func (x Talks) stands(ctx context.Context, stream string) (threads.State, error) {
	for {
		read, err := eventstore.Read(ctx, x.Store, threads.Threads, stream)
		if err == nil || !fault.Is(err, fault.CatchingUp) {
			return read.State, err
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return threads.State{}, ctx.Err()
		}
	}
}
