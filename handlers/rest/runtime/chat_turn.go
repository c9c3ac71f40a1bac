package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// talked is a turn that has begun: the first commit of it, if not all.
type talked struct {
	stream string
	first  *eventstore.Result[sessions.State]
	try    sessions.Claimed
	leave  func() // the line of those who wait for the session
}

func (x ChatAPI) talk(ctx context.Context, in *chatIn) (*talked, error) {
	b := in.Body
	if b.TestContext != nil && !rest.PrincipalOf(ctx).May(access.PermAgentWrite) {
		return nil, fault.New(fault.Forbidden, "testContext needs the permission %s", access.PermAgentWrite)
	}
	ctx, err := rest.ResolveProject(ctx, b.ProjectID)
	if err != nil {
		return nil, err
	}
	if who := rest.PrincipalOf(ctx); who.Kind == access.SDKCredential && b.SessionID == "" {
		in.Body.SessionID, b.SessionID = who.SessionID, who.SessionID
	}
	if err := checkMetadata(b.Metadata); err != nil {
		return nil, err
	}
	turn := turns.Receive{Text: b.Message, Action: b.Action.chosen(), Metadata: json.RawMessage(b.Metadata), At: x.Now()}
	if b.SessionID == "" {
		return x.first(ctx, in, turn)
	}
	return x.next(ctx, in, turn)
}

// Message is what is said in a session that there is, as chat-send takes it.
type Message struct {
	SessionID     string
	Text          string
	AttachmentIDs []string
	Metadata      jsontext.Object
	Action        *ChosenAction
}

func (x ChatAPI) send(ctx context.Context, in *sendIn) (*chatOut, error) {
	b := in.Body
	t, err := x.sent(ctx, Message{b.SessionID, b.Message, b.AttachmentIDs, b.Metadata, b.Action}, b.OnBusy)
	if err != nil {
		return nil, err
	}
	return x.settle(ctx, t)
}

// sent puts a message on the log.
func (x ChatAPI) sent(ctx context.Context, m Message, busy OnBusy) (*talked, error) {
	s, err := x.talkAt(ctx, m.SessionID)
	if err != nil {
		return nil, err
	}
	turn := turns.Receive{Text: m.Text, Action: m.Action.chosen(), Metadata: json.RawMessage(m.Metadata), Attached: m.AttachmentIDs,
		At: x.Now()}
	if !turn.Says() {
		return nil, fault.Field("message", "is required, or attachmentIds")
	}
	if err := checkMetadata(m.Metadata); err != nil {
		return nil, err
	}
	if ctx, err = rest.ResolveProject(ctx, s.ProjectID); err != nil {
		return nil, err
	}
	return x.say(ctx, s, turn, busy)
}

// next is a turn of a session that there is.
func (x ChatAPI) next(ctx context.Context, in *chatIn, turn turns.Receive) (*talked, error) {
	b := in.Body
	s, err := x.talkInProject(ctx, b.SessionID)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	switch {
	case b.DeploymentID != "" && b.DeploymentID != s.DeploymentID:
		f.Add("deploymentId", "is not the session's")
	case b.Environment != "" && b.Environment != s.Environment:
		f.Add("environment", "is not the session's")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	turn.IgnoredAgent = b.AgentID
	if t := b.TestContext; t != nil {
		begins, err := t.into(&turn)
		if err != nil {
			return nil, err
		}
		if !s.Test || t.SessionVariables != nil || t.CallerContext != nil || t.StartAtStep != "" || t.SkipOnStart {
			turn.Begins = &begins // the session itself knows whether something was said in it
		}
	}
	return x.say(ctx, s, turn, b.OnBusy)
}

// say runs a turn of a session of the project at hand.
func (x ChatAPI) say(ctx context.Context, session runtime.Talk, turn turns.Receive, busy OnBusy) (*talked, error) {
	stream := sessions.Sessions.Stream(session.SessionID)
	met := anyTurn
	done, is, err := rest.RepeatedOr(ctx, x.Commands, sessions.Sessions, stream, func(s sessions.State) { met = running(s) })
	switch {
	case err != nil:
		return nil, err
	case is:
		return &talked{stream, &done, turn.Try, func() {}}, nil
	}
	// Without a chat it may still see what goes on in its session: one that only speaks shows what was heard.
	if err := rest.PrincipalOf(ctx).MayChat(); err != nil {
		return nil, err
	}
	if err := x.count(ctx, session.Session); err != nil {
		return nil, err
	}
	if err := x.affords(ctx, stream); err != nil {
		return nil, err
	}
	manifest, err := x.manifest(ctx, session)
	if err != nil {
		return nil, err
	}
	if turn.Programs, err = x.programs(ctx, session.DeploymentID, session.AgentName, manifest); err != nil {
		return nil, err
	}
	if err := x.Turns.Room(rest.ProjectOf(ctx).TenantID); err != nil {
		return nil, err
	}
	turn.Try = x.Turns.Try()
	leave, err := x.enter(ctx, stream, &turn, busy, met)
	if err != nil {
		return nil, err
	}
	res, err := x.take(ctx, stream, turn, busy)
	if err != nil {
		leave()
		if errors.Is(err, turns.ErrDropped) {
			x.dropped(ctx, stream)
		}
		return nil, err
	}
	return &talked{stream, &res, turn.Try, leave}, nil
}

// take puts a message on the log, when no other turn of the session runs.
func (x ChatAPI) take(ctx context.Context, stream string, turn turns.Receive, busy OnBusy) (eventstore.Result[sessions.State], error) {
	for {
		res, err := rest.Execute(x.Caller(ctx).Carried(ctx), x.Commands, sessions.Sessions, stream, turn.Decide)
		if err == nil || !turns.IsRunning(err) || busy == busyReject {
			return res, err
		}
		rest.LongAnswerOf(ctx).MayTakeLong()
		if err := x.waits(ctx, stream, &turn); err != nil {
			return res, err
		}
		waited, err := x.Turns.Lines.Wait(rest.PrincipalOf(ctx).TenantID)
		if err != nil {
			return res, err
		}
		err = x.Turns.Free(ctx, stream)
		waited()
		if err != nil {
			return res, err
		}
		turn.At = x.Now()
	}
}

// settle is the answer of a turn: at once where its first commit has all of it, else when it has
// ended. A caller who goes away meanwhile ends nothing.
func (x ChatAPI) settle(ctx context.Context, t *talked) (*chatOut, error) {
	defer t.leave()
	turn, whole := t.turn()
	if whole {
		return answerOf(t.first), nil
	}
	rest.LongAnswerOf(ctx).MayTakeLong()
	ended, err := x.Turns.Ended(ctx, t.stream, turn, x.drive(ctx, t))
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, ended), nil
}

// turn is the number of the turn, and whether its first commit has all of it.
func (t *talked) turn() (turn int, whole bool) {
	said, is := eventstore.Find[sessions.MessageReceived](*t.first)
	_, ended := eventstore.Find[sessions.TurnEnded](*t.first)
	return said.Turn, ended || !is
}

// drive makes the calls of a turn, for whoever took the message.
func (x ChatAPI) drive(ctx context.Context, t *talked) *driving.Driven {
	if t.first.Replayed {
		return nil
	}
	return x.Turns.Drive(ctx, x.Caller(ctx), t.stream, t.first, t.try)
}

// answer is that of a turn that has ended or is suspended. Pages are not told by what the answer comes: where nothing signs it,
// whoever knows that can give it.
func (x ChatAPI) answer(ctx context.Context, whole *eventstore.Result[sessions.State]) *chatOut {
	out := answerOf(whole)
	if waits := whole.State.Talk.Suspended(); waits != nil {
		out.Body.Action = ChatOutcome{Type: "suspended"}
		if rest.PrincipalOf(ctx).Kind != access.SDKCredential {
			out.Body.Action.CallbackID = x.CallbackID(whole.State.ID, waits.CallID)
		}
	}
	return out
}

// manifest names the sources that a session goes by. A deployment never changes, so only one
// of working copies has its stream read for it. What the user says to people is taken for as long
// as they have the session, also when the deployment serves nothing any more.
func (x ChatAPI) manifest(ctx context.Context, session runtime.Talk) (map[string]sessions.Pinned, error) {
	var gone error
	if session.DeploymentID != "" {
		gone = session.Serves(x.Now())
		if !fault.Is(gone, fault.Gone) {
			return session.Pinned(), gone
		}
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session.SessionID))
	if err == nil && read.State.Talk.People == nil {
		err = gone
	}
	return read.State.Talk.Manifest, err
}

// programs are those of a manifest, if turns can run each to whom a session may come that begins with
// an agent.
func (x ChatAPI) programs(ctx context.Context, deployment, agent string, manifest map[string]sessions.Pinned) (turns.Programs,
	error) {
	project := rest.ProjectOf(ctx)
	programs, err := x.Programs.Of(ctx, project.TenantID, project.ID, manifest)
	if err != nil {
		return nil, err
	}
	all := make([]*dsl.Program, 0, len(programs))
	for _, name := range slices.Sorted(slices.Values(programs.From(agent))) {
		all = append(all, programs[name])
	}
	of := driving.ModelsOf{Tenant: project.TenantID, Project: project.ID, Deployment: deployment}
	return programs, x.Turns.CanRun(ctx, of, all...)
}

// first begins a session, with its first turn, as one commit.
func (x ChatAPI) first(ctx context.Context, in *chatIn, turn turns.Receive) (*talked, error) {
	b, project := in.Body, rest.ProjectOf(ctx)
	id := x.NewID(ctx, "session").String()
	done, is, err := rest.Repeated(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(id))
	switch {
	case err != nil:
		return nil, err
	case is:
		return &talked{sessions.Sessions.Stream(id), &done, turn.Try, func() {}}, nil
	}
	deployed, err := x.Deployments.Choose(ctx, b.DeploymentID, b.Environment)
	if err != nil {
		return nil, err
	}
	agent := deployed.EntryAgent
	if b.AgentID != "" {
		if agent, err = x.entry(ctx, b.AgentID, deployed.Manifest); err != nil {
			return nil, err
		}
	}
	begun, err := x.begins(ctx, id, deployed, b.Language)
	if err != nil {
		return nil, err
	}
	if err := x.Budgets.Room(ctx, project.TenantID, project.ID); err != nil {
		return nil, err
	}
	open := sessions.Open{ID: id, TenantID: project.TenantID, ProjectID: project.ID, Channel: cmp.Or(in.channel, "api"),
		AgentName: agent, At: turn.At, Begun: begun}
	if b.TestContext != nil {
		brought, err := b.TestContext.into(&turn)
		if err != nil {
			return nil, err
		}
		open.Begun.Test, open.Begun.Variables, open.Begun.Caller = true, brought.Variables, brought.Caller
	}
	if turn.Programs, err = x.programs(ctx, deployed.ID, open.AgentName, deployed.Manifest); err != nil {
		return nil, err
	}
	return x.begin(ctx, open, turn)
}

// begin opens a session and runs its first turn, as one commit.
func (x ChatAPI) begin(ctx context.Context, open sessions.Open, turn turns.Receive) (*talked, error) {
	turn.Try = x.Turns.Try()
	stream := sessions.Sessions.Stream(open.ID)
	res, err := rest.Create(x.Caller(ctx).Carried(ctx), x.Commands, sessions.Sessions, stream,
		driving.OneAfterTheOther(open.Decide, turn.Decide))
	if err != nil {
		return nil, err
	}
	return &talked{stream, &res, turn.Try, func() {}}, nil
}

// entry is the name of the agent whom a caller names by id, name or path.
func (x ChatAPI) entry(ctx context.Context, id string, manifest map[string]sessions.Pinned) (string, error) {
	project := rest.ProjectOf(ctx)
	name := strings.TrimPrefix(id, project.Slug+"/")
	if _, ok := manifest[name]; ok {
		return name, nil
	}
	a, ok, err := x.Agents.WithID(ctx, project.TenantID, project.ID, id)
	if err != nil {
		return "", err
	}
	if _, in := manifest[a.Name]; !ok || !in {
		return "", fault.Field("agentId", "names no agent of the deployment")
	}
	return a.Name, nil
}

// into is what a test brings to a turn, and to its session where that is new.
func (t *TestContext) into(turn *turns.Receive) (of sessions.Tested, err error) {
	turn.SkipOnStart, turn.StartAt = t.SkipOnStart, t.StartAtStep
	if turn.Mocks, err = t.mocks(); err != nil {
		return of, err
	}
	if turn.Slots, err = members("testContext.gatherValues", t.GatherValues); err != nil {
		return of, err
	}
	if of.Variables, err = members("testContext.sessionVariables", t.SessionVariables); err != nil {
		return of, err
	}
	for _, name := range slices.Sorted(maps.Keys(of.Variables)) {
		if dsl.OfSession(name) {
			return of, fault.Field("testContext.sessionVariables", "has %s, which is the session's own", name)
		}
	}
	if c := t.CallerContext; c != nil {
		if of.Caller, err = members("testContext.callerContext.customAttributes", c.CustomAttributes); err != nil {
			return of, err
		}
		if of.Caller == nil {
			of.Caller = map[string]json.RawMessage{}
		}
		for name, value := range map[string]string{"userId": c.UserID, "channel": c.Channel} {
			if value != "" {
				of.Caller[name], _ = json.Marshal(value)
			}
		}
	}
	return of, nil
}

// members are an object's, bounded as variables are.
func members(field string, raw jsontext.Object) (map[string]json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	if len(raw) > attached.MostOfTurn {
		return nil, fault.Field(field, "must be at most %d bytes, has %d", attached.MostOfTurn, len(raw))
	}
	var out map[string]json.RawMessage
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fault.Field(field, "must be an object")
	}
	return out, nil
}
