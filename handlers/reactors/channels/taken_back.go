package channels

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// takenBack has the session that has a message show it no more. One that no session had is left by who would give it,
// and of one that is just being given who gives it sees that.
func (x ThreadTurns) takenBack(ctx context.Context, e reactors.Event, back threads.TakenBack) error {
	if back.SessionID == "" {
		return nil
	}
	by := acts.Caller{Command: reactors.Because(threadTurns, "taken-back", e)}
	return x.takeBack(ctx, by, e.Stream, back.Number, back.SessionID, back.MessageID)
}

// takeBack has a session show a message no more, and deletes its files. It may be done again.
func (x ThreadTurns) takeBack(ctx context.Context, by acts.Caller, thread string, number int, session, message string) error {
	stream := sessions.Sessions.Stream(session)
	told, err := eventstore.History(ctx, x.Turns.Store, sessions.Sessions, stream)
	if err != nil {
		return fmt.Errorf("reading what was said in the session %s: %w", session, err)
	}
	cmd, blobs := sessions.TakeBack{At: x.Turns.Now()}, map[string]string{}
	for _, e := range told.Events {
		if file, is := e.Payload.(sessions.Attached); is {
			blobs[file.AttachmentID] = file.Blob
		}
		if said, is := sessions.HeardAs(e.Payload); is && said.MessageID == message {
			cmd.Message = said
		}
	}
	if cmd.Message.MessageID == "" {
		return nil
	}
	by.RequestID = eventstore.CauseID(threadTurns, thread, "taken-back/"+strconv.Itoa(number))
	if _, err := acts.Execute(ctx, x.Turns.Log, by, sessions.Sessions, stream, cmd.Decide); err != nil {
		return fmt.Errorf("taking back a message of the session %s: %w", session, err)
	}
	for _, id := range cmd.Message.Attachments {
		x.drop(ctx, []string{blobs[id]})
	}
	return nil
}

// leave leaves a message that was taken back, or whose answer nobody wants any more, before any session had it.
func (g *giving) leave(ctx context.Context) (later bool, err error) {
	if g.thread.IsTakenBack(g.message.Number) {
		return false, g.leaveFor(ctx, threads.CodeTakenBack, "its sender has taken it back")
	}
	return false, g.leaveFor(ctx, threads.CodeDropped, "whoever sent it wants no answer any more")
}

// leaveFor notes why no session gets a message. One may have it all the same: whoever gave it died before noting that.
func (g *giving) leaveFor(ctx context.Context, code, why string) error {
	session, has, err := g.given(ctx)
	if err != nil {
		return err
	}
	for _, e := range has.Events {
		said, is := sessions.HeardAs(e.Payload)
		switch {
		case !is:
		case code == threads.CodeTakenBack:
			if err := g.takeBack(ctx, g.by, g.stream, g.message.Number, session, said.MessageID); err != nil {
				return err
			}
		default:
			return g.took(ctx, threads.Take{Number: g.message.Number, SessionID: session, Turn: turnOf(has), Left: g.leftOf(has.State),
				MessageID: said.MessageID, At: g.Turns.Now()})
		}
	}
	cmd := threads.Refuse{Number: g.message.Number, Code: fault.Code(code), Reason: why, At: g.Turns.Now()}
	_, err = g.note(ctx, cmd.Decide, threads.BlobsOf(g.thread.Fetched[g.message.Number]))
	return err
}

// given is what gave the message to a session; empty: none has it.
func (g *giving) given(ctx context.Context) (session string, has eventstore.Result[sessions.State], err error) {
	of := []string{threads.SessionOf(g.stream, g.message.Number)}
	if session := g.thread.Answerer(g.message); session != "" && !slices.Contains(of, session) {
		of = append(of, session)
	}
	for _, session := range of {
		res, err := acts.Earlier(ctx, g.Turns.Log, g.by, sessions.Sessions, sessions.Sessions.Stream(session))
		switch {
		case fault.Is(err, fault.Conflict):
		case err != nil:
			return "", has, err
		case res.Replayed:
			return session, res, nil
		}
	}
	return "", has, nil
}
