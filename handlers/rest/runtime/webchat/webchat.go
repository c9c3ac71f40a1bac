// Package webchat is the door of widgets that stay connected: a socket for one session, on which
// its user says something and is told what is said back, as it comes. What is said is what chat-send
// takes, and what is told stands in the session; the package adds nothing to either.
package webchat

import (
	"context"
	"strconv"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/live"
	"github.com/parley-platform/parley/handlers/sockets"
)

// API is what the socket needs.
type API struct {
	Chat    runtime.ChatAPI
	Live    live.Source
	Sockets *sockets.Sockets
}

// Protocol is the one that is agreed on.
const Protocol = "sdk.v1"

// perSession is how many sockets one session may have on a node: pages that its user has open.
const perSession = 10

const says = "Messages are JSON objects with a `type`. The client says `message` {id, text, attachmentIds, metadata} and `action` {id, " +
	"actionId, value, text}, which are what chat-send takes: `id` is the client's own, and one that comes again is the same message, also " +
	"as the Idempotency-Key of a chat-send with the same body; `ping`; and `typing`, of which nothing is made yet.\n\nThe server says " +
	"`ready` {sessionId, status, eventId, resumed} first, and then what stands in the session behind eventId, each once and in order, on " +
	"whichever node: `message` {eventId, id, role, agentName, text, richContent, actions, attachmentIds, timestamp}, of user, assistant, " +
	"and agent (a person); `turn_ended` {eventId, action}; `cleared` {eventId}, after a reset; `ended` {eventId, reason}, behind which the " +
	"socket is closed with 1000. Beside it, and provisional: `delta` {callId, agentName, delta} of what a model is about to say, if this " +
	"node asks it; `reset` {callId, reason}, which takes that back; `typing` {active}. What a `message` of the assistant says replaces the " +
	"deltas before it. Of what the client said: `ack` {id, messageId} when it is on the log, or `error` {id, code, message, field, " +
	"retryAfterMs} with the codes of chat-send; and `pong`. A client that comes again names the last eventId that it has seen, drops its " +
	"deltas, and sends again what was not acknowledged."

// Declare adds the socket.
func Declare(api *rest.API, x API) {
	sockets.Declare(api, x.Sockets, sockets.Operation{Says: says, Protocols: []string{Protocol}, Most: perSession,
		Of: func(ctx context.Context) string { return rest.PrincipalOf(ctx).SessionID }, Operation: rest.Operation{
			ID: "web-chat", Path: "/api/v1/channels/web_chat/ws", Extension: true, Tags: []string{"Chat"},
			Summary: "Talk with an agent on a socket",
			Description: "For the session of the SDK token, which comes in X-SDK-Token or, as pages cannot set headers, as the word " +
				"`token.<token>` in Sec-WebSocket-Protocol, beside `sdk.v1`. A page must be one that the public key is for. A session has at " +
				"most 10 sockets on a node.",
			Requirement: access.SDKOnly(), Refusals: []fault.Code{fault.NotFound, fault.Gone},
		}}, func(ctx context.Context, in *openIn) (sockets.Serve, error) {
		t, err := x.open(ctx, in)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *sockets.Socket) {
			t.socket = s
			t.serve(ctx)
		}, nil
	})
}

type openIn struct {
	LastEventID string `query:"lastEventId" doc:"The last eventId that was seen: what came behind it is told. 0: all that was said. Left out: what comes from now on." example:"17"`
}

// talk is one socket.
type talk struct {
	API
	socket  *sockets.Socket
	session string
	stream  string
	from    int64
	resumed bool
	begun   *eventstore.Loaded[sessions.State] // until all was told that there was

	parts runtime.Parts
	typed *bool // whether an agent is at it, as it was told last; nil: it was not
	inbox sockets.Inbox[heard]
}

// mostWaiting is how many messages of a socket may wait for the one before them.
const mostWaiting = 10

func (x API) open(ctx context.Context, in *openIn) (*talk, error) {
	t := &talk{API: x, session: rest.PrincipalOf(ctx).SessionID}
	t.inbox.Most, t.inbox.Deal = mostWaiting, t.take
	t.stream = sessions.Sessions.Stream(t.session)
	if in.LastEventID != "" {
		var err error
		if t.from, err = strconv.ParseInt(in.LastEventID, 10, 64); err != nil || t.from < 0 {
			return nil, fault.Field("lastEventId", "must be the eventId of something that was told on this socket, or 0")
		}
		t.resumed = t.from > 0
	}
	if err := x.Chat.Mine(ctx, t.session); err != nil {
		return nil, err
	}
	begun, err := eventstore.Read(ctx, x.Chat.Store, sessions.Sessions, t.stream)
	if err != nil {
		return nil, err
	}
	t.begun = &begun
	switch {
	case in.LastEventID == "":
		t.from = t.begun.Version
	case t.from > t.begun.Version:
		return nil, fault.New(fault.Gone, "lastEventId: the session has no such event; begin again with 0")
	}
	return t, nil
}

// serve tells and listens, each beside the other.
func (t *talk) serve(ctx context.Context) {
	t.say(frame{Type: "ready", SessionID: t.session, Status: string(t.begun.State.Status), EventID: strconv.FormatInt(t.from, 10),
		Resumed: t.resumed})
	stop, err := t.tell(ctx)
	if err != nil {
		t.untold(ctx, err)
		return
	}
	defer stop()
	for {
		data, err := t.socket.ReadText()
		if err != nil {
			return
		}
		t.hear(ctx, data)
	}
}

func (t *talk) say(f frame) { _ = t.socket.SendJSON(f) } // on one that is closed nobody hears
