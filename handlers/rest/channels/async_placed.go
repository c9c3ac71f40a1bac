package channels

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
)

// callbackSecret is the credential by which answers are signed that are posted.
const callbackSecret = "callbackSecret"

// placed is what a program says as one conversation takes it.
type placed struct {
	door   channels.Connection
	stream string // of the conversation
	over   bool   // the session that it is for has ended
	entry  channels.Entry
	by     acts.Caller
	at     time.Time
}

// placed finds the conversation that a message is for: the one that has taken it already, by whichever door that was, else the one
// that it names, by the door that its project has for it now.
func (x AsyncAPI) placed(ctx context.Context, b postAsyncRequest) (placed, error) {
	if err := x.check(b); err != nil {
		return placed{}, err
	}
	if b.SessionID != "" {
		return x.inSession(ctx, b)
	}
	project := rest.ProjectOf(ctx)
	door, err := x.Connections.Door(ctx, project.TenantID, project.ID, AsyncKind, b.Connection)
	if err == nil {
		err = canPost(b, door)
	}
	if err != nil {
		return placed{}, err
	}
	to := x.at(ctx, b, door)
	if to.by.RequestID == "" || b.Connection != "" {
		return to, nil
	}
	// The newest door may be another than when the same message came first.
	doors, err := x.Connections.Doors(ctx, project.TenantID, project.ID, AsyncKind)
	if err != nil {
		return placed{}, err
	}
	for _, d := range doors {
		if d.ID == door.ID {
			continue
		}
		before := x.at(ctx, b, d)
		met, err := acts.Earlier(ctx, x.Log, before.by, threads.Threads, before.stream)
		if err != nil || met.Replayed {
			return before, err
		}
	}
	return to, nil
}

// at is a message of the conversation that it names, else of a new one, by a door.
func (x AsyncAPI) at(ctx context.Context, b postAsyncRequest, door channels.Connection) placed {
	name := cmp.Or(b.Conversation, x.NewID(ctx, "conversation").String())
	return x.said(ctx, b, placed{door: door, stream: threads.Stream(x.MAC, door.TenantID, door.ID, name)}, name)
}

// said completes what is said in a conversation by its name.
func (x AsyncAPI) said(ctx context.Context, b postAsyncRequest, to placed, name string) placed {
	to.entry = channels.Entry{From: b.From, Name: b.Name, Text: b.Message, Choice: b.Choice, Language: b.Language, Thread: name,
		ReplyTo:    channels.CallbackTo(b.CallbackURL, threads.Threads.StreamID(to.stream)),
		ExternalID: cmp.Or(b.MessageID, x.NewID(ctx, "message").String())}
	to.by, to.at = x.Caller(ctx), x.Now()
	if b.MessageID != "" {
		to.by.RequestID, to.by.KeyName = eventstore.CauseID("channel", to.door.ID, "entry/"+b.MessageID), "messageId"
		to.by.RequestHash, to.by.PlainHash = eventstore.RequestHash(x.MAC, digest(to.entry)), ""
	}
	return to
}

// decide takes the message, unless its session has ended: that may have been by this very message, whose sender has not heard that it
// was taken.
func (to placed) decide(s threads.State) ([]event.Payload, error) {
	if to.over {
		return nil, fault.New(fault.Conflict, "the session has ended: begin another")
	}
	c := to.door
	return threads.Receive{TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ID, Kind: c.Kind, Entry: to.entry, Asked: true,
		At: to.at}.Decide(s)
}

// inSession is a message of the conversation of a session, by the door by which that came.
func (x AsyncAPI) inSession(ctx context.Context, b postAsyncRequest) (placed, error) {
	unknown := fault.New(fault.NotFound, "there is no such session")
	if !access.ValidID(b.SessionID) {
		return placed{}, unknown
	}
	project := rest.ProjectOf(ctx)
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(b.SessionID))
	s := read.State
	switch {
	case err != nil:
		return placed{}, err
	case s.TenantID != project.TenantID || s.ProjectID != project.ID || s.Channel != AsyncKind || s.Thread == "":
		return placed{}, unknown
	}
	thread, err := eventstore.Read(ctx, x.Store, threads.Threads, s.Thread)
	if err != nil {
		return placed{}, err
	}
	door, err := x.Connections.WithID(ctx, project.TenantID, thread.State.ConnectionID)
	switch {
	case err != nil:
		return placed{}, err
	case b.Connection != "" && b.Connection != door.External:
		return placed{}, fault.Field("sessionId", "is not of the connection")
	case door.Inactive:
		return placed{}, connected.Resting()
	}
	if err := canPost(b, door); err != nil {
		return placed{}, err
	}
	return x.said(ctx, b, placed{door: door, stream: s.Thread, over: s.Status != sessions.Active}, b.SessionID), nil
}

// digest covers what is said, so that another message under an id that is taken is told from a repeat.
func digest(e channels.Entry) []byte {
	data, _ := json.Marshal([]string{e.Text, e.Choice, e.From, e.Name, e.Language, e.ReplyTo}) // of texts, which always can be
	sum := sha256.Sum256(data)
	return sum[:]
}

// check judges what can be told without the conversation.
func (x AsyncAPI) check(b postAsyncRequest) error {
	f := fault.Fields{}
	if sessions.Blank(b.Message) && b.Choice == "" {
		f.Add("message", "is required, or choice")
	}
	if b.Conversation != "" && b.SessionID != "" {
		f.Add("conversation", "and sessionId name a conversation both: give one of them")
	}
	if b.CallbackURL != "" {
		if err := x.CheckURL(b.CallbackURL); err != nil {
			f.Add("callbackUrl", "%s", err)
		} else if strings.Contains(b.CallbackURL, "#") {
			f.Add("callbackUrl", "must not have a fragment")
		}
	}
	return f.Err()
}

// canPost refuses to post answers by a door that cannot sign them.
func canPost(b postAsyncRequest, door channels.Connection) error {
	if b.CallbackURL == "" || door.Credentials[callbackSecret] != "" {
		return nil
	}
	return fault.Field("callbackUrl", "needs a connection with the credential %s, by which what is posted is signed", callbackSecret)
}
