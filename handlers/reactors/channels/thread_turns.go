package channels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// ThreadTurns gives the messages of channels to sessions, one after the other in each thread: to
// the one that answered last, for as long as it takes messages, else to one that begins. Each step
// is taken once, as the streams know it, whoever is killed in between.
type ThreadTurns struct {
	Turns       *driving.Turns
	Connections connectionReader
	Deployments takers.Deployments
	Settings    takers.Settings
	Adapters    func(kind string) (carrier, bool)
	Blobs       fileStore // where files of messages go
	Tasks       tasks.Tasks

	inHand   *inHand
	typing   chan struct{} // a place for each who is shown for longer that somebody is about to answer
	drafting chan struct{} // a place for each turn of which is shown what is being said
	pace     *pace         // of what is shown of them
}

// connectionReader knows connections, with their credentials opened.
type connectionReader interface {
	WithID(ctx context.Context, tenant, id string) (channels.Connection, error)
}

const threadTurns = "channel-turns"

// Reactor declares it. A message that comes while a turn runs has its time when the turn ends.
func (x ThreadTurns) Reactor() reactors.Reactor {
	x.typing, x.drafting = make(chan struct{}, mostTyping), make(chan struct{}, mostDrafts)
	x.pace, x.inHand = &pace{next: map[string]time.Time{}}, &inHand{of: map[numbered]chan struct{}{}}
	return reactors.Reactor{Name: threadTurns, Side: reactors.AtLeastOnce, Handle: x.handle, Only: ofThreads,
		Categories: []*event.Category{threads.Threads.Category, sessions.Sessions.Category},
		Events: []event.Payload{threads.Received{}, threads.Left{}, threads.Opted{}, threads.TakenBack{}, threads.Dropped{},
			sessions.TurnEnded{}}}
}

// ofThreads spares the sessions that answer no thread the waiting for them.
func ofThreads(r *eventstore.Record) bool {
	return threads.Threads.Category.Topic() == r.Topic || bytes.Contains(r.Data, []byte(`"thread":"`+threads.Threads.Prefix+`-`))
}

func (x ThreadTurns) handle(ctx context.Context, e reactors.Event) error {
	if opted, is := e.Payload.(threads.Opted); is {
		return x.opted(ctx, e, opted)
	}
	stream, ctx := e.Stream, projections.OneWork(ctx)
	ended, over := e.Payload.(sessions.TurnEnded)
	if over {
		if stream = ended.Thread; stream == "" {
			return nil
		}
	}
	if err := x.withdrawn(ctx, e); err != nil {
		return err
	}
	_, came := e.Payload.(threads.Received)
	for waited := !over; ; {
		read, err := eventstore.Read(ctx, x.Turns.Store, threads.Threads, stream)
		if err != nil {
			return fmt.Errorf("folding %s: %w", stream, err)
		}
		m, waits := read.State.Next()
		if !waits {
			return nil
		}
		this := numbered{stream, m.Number}
		left := read.State.IsTakenBack(m.Number) || read.State.IsDropped(m)
		if (over || left) && x.inHand.put(ctx, this) {
			continue
		}
		if !waited && !noted(read.State, e.Stream, ended.Turn) {
			if waited = true; awhile(ctx) != nil {
				return ctx.Err()
			}
			continue
		}
		if files := read.State.Unfetched(); len(files) > 0 && (came || files[0].Number == m.Number) {
			if err := x.fetch(ctx, stream, e, files...); err != nil {
				return err
			}
			continue
		}
		g := &giving{ThreadTurns: x, stream: stream, thread: read.State, message: m}
		g.by = acts.Caller{Command: eventstore.Command{Tenant: m.TenantID, Actor: "reactor:" + threadTurns, CorrelationID: e.CorrelationID,
			CausationID: e.ID, RequestID: eventstore.CauseID(threadTurns, stream, "message/"+strconv.Itoa(m.Number))}}
		give := g.give
		if left {
			give = g.leave
		}
		later, err := x.inHand.while(this, func() (bool, error) { return give(ctx) })
		if err != nil || later {
			return err
		}
	}
}

// withdrawn sees to what is not wanted any more: by whoever has left, or took back or dropped a message.
func (x ThreadTurns) withdrawn(ctx context.Context, e reactors.Event) error {
	switch p := e.Payload.(type) {
	case threads.Left:
		return x.end(ctx, e, p)
	case threads.TakenBack:
		return x.takenBack(ctx, e, p)
	case threads.Dropped:
		x.drop(ctx, p.Left)
		return x.cut(ctx, e, p)
	}
	return nil
}

// opted ends the session of somebody who wants no replies any more.
func (x ThreadTurns) opted(ctx context.Context, e reactors.Event, p threads.Opted) error {
	if !p.Out || p.SessionID == "" {
		return nil
	}
	by := reactors.Because(threadTurns, "opted", e)
	if err := eventstore.Do(ctx, x.Turns.Store, sessions.Sessions, sessions.Sessions.Stream(p.SessionID), by,
		unwanted(p.At).Decide); err != nil {
		return fmt.Errorf("ending %s: %w", p.SessionID, err)
	}
	return nil
}

// cut ends the turn that runs for what was dropped: whoever dropped it may have died before they did.
func (x ThreadTurns) cut(ctx context.Context, e reactors.Event, dropped threads.Dropped) error {
	by := acts.Caller{Command: reactors.Because(threadTurns, "dropped", e)}
	err := x.Tasks.Cut(ctx, x.Turns.Log, by, tasks.Ref{Thread: e.Stream, Number: dropped.Number})
	if err != nil && !fault.Is(err, fault.NotFound) { // it was erased
		return fmt.Errorf("ending what runs for message %d of %s: %w", dropped.Number, e.Stream, err)
	}
	return nil
}

func unwanted(at time.Time) sessions.End { return sessions.End{Reason: "Opted out", At: at} }

// end ends the sessions of whoever has left: the one that answered last, and those that a message may
// have begun which no one was known to have taken.
func (x ThreadTurns) end(ctx context.Context, e reactors.Event, left threads.Left) error {
	all := []string{left.SessionID}
	for _, number := range left.Waiting {
		all = append(all, threads.SessionOf(e.Stream, number))
	}
	is := gone(x.Turns.Now())
	for _, session := range all {
		if session == "" {
			continue
		}
		by := reactors.Because(threadTurns, "end/"+session, e)
		if err := eventstore.Do(ctx, x.Turns.Store, sessions.Sessions, sessions.Sessions.Stream(session), by, is.Decide); err != nil {
			return fmt.Errorf("ending %s: %w", session, err)
		}
	}
	return nil
}

func gone(at time.Time) sessions.End {
	return sessions.End{Reason: string(calls.ReasonCallerDisconnected), At: at}
}

// giving is one message on its way to a session.
type giving struct {
	ThreadTurns
	by      acts.Caller
	stream  string
	thread  threads.State
	message threads.Received
	left    []string // blobs of its files that the session has no room for
	id      string   // what the message is in the session
	speaks  string   // the session's language
	people  bool     // have the session

	through channels.Connection // by which it came, as it is now
	account channels.Connection // of a session that is to begin; zero: none is
	serving string              // the deployment that it would begin with; empty: none begins any
}

// give has a session take the message, or notes that none will. later: another turn runs, and its
// end leads here again.
func (g *giving) give(ctx context.Context) (later bool, err error) {
	if code, why, err := g.closed(ctx); err != nil {
		return false, err
	} else if code != "" {
		return false, g.leaveFor(ctx, code, why)
	}
	session, turn := g.thread.Answerer(g.message), 0
	taken := false
	if session != "" {
		turn, taken, err = g.goOn(ctx, session)
	}
	if err == nil && !taken {
		if err = g.hearOut(ctx, g.thread.Session); err == nil {
			session = threads.SessionOf(g.stream, g.message.Number)
			turn, err = g.begin(ctx, session)
		}
	}
	switch {
	case turns.IsRunning(err), fault.Is(err, fault.TurnSuspended):
		return true, nil
	case err == nil:
		g.see(ctx, nil)
		cmd := threads.Take{Number: g.message.Number, SessionID: session, Turn: turn, People: g.people && turn == 0, Left: g.left,
			MessageID: g.id, Language: g.speaks, At: g.Turns.Now()}
		return false, g.took(ctx, cmd)
	case !acts.WorthRepeating(err):
		acts.Logger(ctx).Warn("nobody answers a message of a channel", "stream", g.stream, "error", err)
		g.see(ctx, &connections.Trouble{Code: string(fault.CodeOf(err)), Reason: told(err), DeploymentID: g.serving})
		cmd := threads.Refuse{Number: g.message.Number, Code: fault.CodeOf(err), Reason: told(err), At: g.Turns.Now()}
		_, err := g.note(ctx, cmd.Decide, threads.BlobsOf(g.thread.Fetched[g.message.Number]))
		return false, err
	}
	return false, err
}

// closed is why a message that waited goes to nobody: what came by its connection is taken no more. Empty: it is. A session
// that goes on needs no connection, so nobody else would ask.
func (g *giving) closed(ctx context.Context) (code, why string, err error) {
	g.through, err = g.Connections.WithID(ctx, g.message.TenantID, g.message.ConnectionID)
	switch {
	case fault.Is(err, fault.NotFound):
		return threads.CodeConnection, "its connection was deleted while it waited", nil
	case err != nil:
		return "", "", fmt.Errorf("reading the connection %s of a message: %w", g.message.ConnectionID, err)
	case g.through.Inactive:
		return threads.CodeInactive, "its connection was switched off while it waited", nil
	}
	return "", "", nil
}

// told is what may be shown of a refusal.
func told(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Message
	}
	return "nobody can answer"
}

// took notes who answers. Whoever has left meanwhile did not know of the session, nor did who wants no answer any more.
func (g *giving) took(ctx context.Context, cmd threads.Take) error {
	thread, err := g.note(ctx, cmd.Decide, g.left)
	if err == nil && thread.IsTakenBack(cmd.Number) { // while it was given
		err = g.takeBack(ctx, g.by, g.stream, cmd.Number, cmd.SessionID, cmd.MessageID)
	}
	if err == nil && thread.IsDropped(g.message) {
		err = g.cut(ctx, cmd.SessionID, cmd.Turn)
	}
	over := gone(cmd.At)
	switch {
	case err != nil:
		return err
	case thread.OptedOutOf(cmd.Number, cmd.SessionID):
		over = unwanted(cmd.At)
	case thread.Left < cmd.Number:
		return nil
	}
	_, err = acts.Execute(ctx, g.Turns.Log, g.by.Further(), sessions.Sessions, sessions.Sessions.Stream(cmd.SessionID), over.Decide)
	return err
}

// cut ends the turn that answers the message, where it has not ended by itself.
func (g *giving) cut(ctx context.Context, session string, turn int) error {
	if turn == 0 { // people have it
		return nil
	}
	cancel := sessions.CancelTurn{Turn: turn, At: g.Turns.Now()}
	_, err := acts.Execute(ctx, g.Turns.Log, g.by.Further(), sessions.Sessions, sessions.Sessions.Stream(session), cancel.Decide)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// note ends the giving of the message, and of its files those that no session has.
func (g *giving) note(ctx context.Context, decide func(threads.State) ([]event.Payload, error), left []string) (threads.State, error) {
	res, err := acts.Execute(ctx, g.Turns.Log, g.noting(), threads.Threads, g.stream, decide)
	if err == nil {
		g.drop(ctx, left)
	}
	return res.State, err
}

func (g *giving) turn() turns.Receive {
	text, _ := heard(g.message)
	return turns.Receive{Text: text, Action: g.message.Chosen, At: g.Turns.Now(), Try: g.Turns.Try()}
}

// goOn gives the message to a session that there is; taken is false where it takes none any more.
func (g *giving) goOn(ctx context.Context, session string) (turn int, taken bool, err error) {
	stream := sessions.Sessions.Stream(session)
	read, err := eventstore.Read(ctx, g.Turns.Store, sessions.Sessions, stream)
	if err != nil {
		return 0, false, err
	}
	s, said := read.State, g.turn()
	g.speaks = s.Talk.Language
	gone := false
	if s.Status == sessions.Active && s.Talk.People == nil {
		serves, err := g.serves(ctx, s.Talk.DeploymentID)
		if err != nil {
			return 0, false, err
		}
		gone = !serves
	}
	if said.Programs, err = g.Turns.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest); err != nil {
		return 0, false, err
	}
	decide := g.taking(said)
	switch {
	case gone:
		decide = func(sessions.State) ([]event.Payload, error) { return nil, deployments.Unknown() }
	case g.message.Says == channels.Begins: // who is there already does not begin anew
		decide = func(s sessions.State) ([]event.Payload, error) { return nil, s.Takes("messages") }
	}
	turn, err = g.take(ctx, stream, said.Try, decide) // one that takes none any more may have taken this before
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return 0, false, nil
	}
	return turn, err == nil, err
}

// serves is whether a session of a deployment still may talk.
func (g *giving) serves(ctx context.Context, deployment string) (bool, error) {
	if deployment == "" {
		return true, nil
	}
	d, ok, err := g.Deployments.Get(ctx, g.message.TenantID, g.message.ProjectID, deployment)
	if err != nil || !ok {
		return false, err
	}
	_, begun := deployments.Serves(d.Status, d.DrainAt, g.Turns.Now())
	return begun, nil
}

// take puts the message on a session's log, and has the calls made that its turn wants.
func (g *giving) take(ctx context.Context, stream string, try sessions.Claimed,
	decide func(sessions.State) ([]event.Payload, error)) (turn int, err error) {
	if err := g.Turns.Room(g.message.TenantID); err != nil {
		return 0, err
	}
	res, err := acts.Execute(ctx, g.Turns.Log, g.by, sessions.Sessions, stream, decide)
	if err != nil {
		return 0, err
	}
	if said, is := eventstore.Find[sessions.MessageReceived](res); is {
		g.id = said.MessageID
	} else if said, is := eventstore.Find[sessions.PassedOn](res); is {
		g.id = said.MessageID
	}
	g.people = res.State.Talk.People != nil
	if g.left = g.leftOf(res.State); res.Replayed {
		return turnOf(res), nil
	}
	if res.State.Talk.Running.Claimed(try.Try) {
		drafts := g.drafts(stream, turnOf(res)) // before anybody speaks
		drafts.until(ctx, g.Turns.Drive(ctx, g.by, stream, &res, try).Done)
	}
	g.show(ctx, stream, res.State.Talk.Running != nil)
	return turnOf(res), nil
}

// turnOf is the turn that a commit begins; 0: none.
func turnOf(res eventstore.Result[sessions.State]) int {
	if said, is := eventstore.Find[sessions.MessageReceived](res); is {
		return said.Turn
	}
	began, _ := eventstore.Find[sessions.PickedUp](res)
	return began.Turn
}
