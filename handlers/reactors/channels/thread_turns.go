package channels

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/identities"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/runtime"
)

// ThreadTurns gives the messages of channels to sessions, one after the other in each thread: to
// the one that answered last, for as long as it takes messages, else to one that begins. Each step
// is taken once, as the streams know it, whoever is killed in between.
type ThreadTurns struct {
	Turns       *acts.Turns
	Connections connectionReader
	Deployments deploymentReader
	Settings    settingsReader
	Adapters    func(kind string) (carrier, bool)
}

// connectionReader knows connections, with their credentials opened.
type connectionReader interface {
	WithID(ctx context.Context, tenant, id string) (channels.Connection, error)
}

// deploymentReader knows what is deployed.
type deploymentReader interface {
	Get(ctx context.Context, tenant, project, id string) (runtime.Deployment, bool, error)
	Serving(ctx context.Context, tenant, project, environment string) (runtime.Deployment, bool, error)
}

// settingsReader knows by which settings a project's sessions go.
type settingsReader interface {
	Held(ctx context.Context, tenant, project, deployment string) (projectsettings.Settings, error)
}

// typer shows that somebody is about to answer. It may fail, and nobody minds.
type typer interface {
	Typing(ctx context.Context, c channels.Connection, to string)
}

// presser ends the waiting of whoever pressed a button.
type presser interface {
	Pressed(ctx context.Context, c channels.Connection, externalID string)
}

const threadTurns = "channel-turns"

// Reactor declares it. A message that comes while a turn runs has its time when the turn ends.
func (x ThreadTurns) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: threadTurns, Side: reactors.AtLeastOnce, Handle: x.handle, Only: ofThreads,
		Categories: []*event.Category{threads.Threads.Category, sessions.Sessions.Category},
		Events:     []event.Payload{threads.Received{}, sessions.TurnEnded{}}}
}

// ofThreads spares the sessions that answer no thread the waiting for them.
func ofThreads(r *eventstore.Record) bool {
	return threads.Threads.Category.Topic() == r.Topic || bytes.Contains(r.Data, []byte(`"thread":"`+threads.Threads.Prefix+`-`))
}

func (x ThreadTurns) handle(ctx context.Context, e reactors.Event) error {
	stream := e.Stream
	if ended, is := e.Payload.(sessions.TurnEnded); is {
		if stream = ended.Thread; stream == "" {
			return nil
		}
	}
	for {
		read, err := eventstore.Read(ctx, x.Turns.Store, threads.Threads, stream)
		if err != nil {
			return fmt.Errorf("folding %s: %w", stream, err)
		}
		m, waits := read.State.Next()
		if !waits {
			return nil
		}
		g := giving{ThreadTurns: x, stream: stream, thread: read.State, message: m}
		g.by = acts.Caller{Command: eventstore.Command{Tenant: m.TenantID, Actor: "reactor:" + threadTurns, CorrelationID: e.CorrelationID,
			CausationID: e.ID, RequestID: eventstore.CauseID(threadTurns, stream, "message/"+strconv.Itoa(m.Number))}}
		later, err := g.give(ctx)
		if err != nil || later {
			return err
		}
	}
}

// giving is one message on its way to a session.
type giving struct {
	ThreadTurns
	by      acts.Caller
	stream  string
	thread  threads.State
	message threads.Received
}

// give has a session take the message, or notes that none will. later: another turn runs, and its
// end leads here again.
func (g giving) give(ctx context.Context) (later bool, err error) {
	session := g.thread.Session
	taken := false
	if session != "" {
		taken, err = g.goOn(ctx, session)
	}
	if err == nil && !taken {
		session = threads.SessionOf(g.stream, g.message.Number)
		err = g.begin(ctx, session)
	}
	switch {
	case turns.IsRunning(err), fault.Is(err, fault.TurnSuspended):
		return true, nil
	case err == nil:
		cmd := threads.Take{Number: g.message.Number, SessionID: session, At: g.Turns.Now()}
		return false, g.note(ctx, cmd.Decide)
	case !acts.WorthRepeating(err):
		acts.Logger(ctx).Warn("nobody answers a message of a channel", "stream", g.stream, "error", err)
		cmd := threads.Refuse{Number: g.message.Number, Code: fault.CodeOf(err), Reason: told(err), At: g.Turns.Now()}
		return false, g.note(ctx, cmd.Decide)
	}
	return false, err
}

// told is what may be shown of a refusal.
func told(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Message
	}
	return "nobody can answer"
}

func (g giving) note(ctx context.Context, decide func(threads.State) ([]event.Payload, error)) error {
	_, err := acts.Execute(ctx, g.Turns.Log, g.by, threads.Threads, g.stream, decide)
	return err
}

func (g giving) turn() turns.Receive {
	m := g.message
	out := turns.Receive{Text: m.Text, Action: m.Chosen, At: g.Turns.Now(), Try: g.Turns.Try()}
	if out.Text == "" && len(m.Files) > 0 {
		out.Text = "(a file)"
	}
	about := map[string]any{"channel": m.Kind, "externalMessageId": m.ExternalID}
	if len(m.Files) > 0 {
		kinds := make([]string, len(m.Files))
		for i, f := range m.Files {
			kinds[i] = f.ContentType
		}
		about["files"] = kinds
	}
	out.Metadata, _ = json.Marshal(about) // of texts, which always can be
	return out
}

// goOn gives the message to a session that there is; taken is false where it takes none any more.
func (g giving) goOn(ctx context.Context, session string) (taken bool, err error) {
	stream := sessions.Sessions.Stream(session)
	read, err := eventstore.Read(ctx, g.Turns.Store, sessions.Sessions, stream)
	if err != nil {
		return false, err
	}
	s, turn := read.State, g.turn()
	gone := false
	if s.Status == sessions.Active && s.Talk.People == nil {
		serves, err := g.serves(ctx, s.Talk.DeploymentID)
		if err != nil {
			return false, err
		}
		gone = !serves
	}
	if turn.Programs, err = g.Turns.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest); err != nil {
		return false, err
	}
	decide := turn.Decide
	if gone {
		decide = func(sessions.State) ([]event.Payload, error) { return nil, deployments.Unknown() }
	}
	err = g.take(ctx, stream, turn.Try, decide) // one that takes none any more may have taken this before
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// serves is whether a session of a deployment still may talk.
func (g giving) serves(ctx context.Context, deployment string) (bool, error) {
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
func (g giving) take(ctx context.Context, stream string, try sessions.Claimed, decide func(sessions.State) ([]event.Payload, error)) error {
	if err := g.Turns.Room(); err != nil {
		return err
	}
	res, err := acts.Execute(ctx, g.Turns.Log, g.by, sessions.Sessions, stream, decide)
	if err != nil || res.Replayed {
		return err
	}
	if res.State.Talk.Running.Claimed(try.Try) {
		g.Turns.Drive(ctx, g.by, stream, res, try)
	}
	g.show(ctx, res.State.Talk.Running != nil)
	return nil
}

// show tells the person's client that the message has come; nobody waits for that.
func (g giving) show(ctx context.Context, works bool) {
	adapter, ok := g.Adapters(g.message.Kind)
	types, shows := adapter.(typer)
	presses, waits := adapter.(presser)
	if !ok || !(shows && works) && !(waits && g.message.Chosen != nil) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showWithin)
		defer cancel()
		c, err := g.Connections.WithID(ctx, g.message.TenantID, g.message.ConnectionID)
		if err != nil {
			return
		}
		if waits && g.message.Chosen != nil {
			presses.Pressed(ctx, c, g.message.ExternalID)
		}
		if shows && works {
			types.Typing(ctx, c, g.message.ReplyTo)
		}
	}()
}

const showWithin = 5 * time.Second

// begin opens a session for the message, with who talks there, and gives it the message: one
// commit.
func (g giving) begin(ctx context.Context, session string) error {
	m := g.message
	c, err := g.Connections.WithID(ctx, m.TenantID, m.ConnectionID)
	if err != nil {
		return err
	}
	d, err := g.deployed(ctx, c)
	if err != nil {
		return err
	}
	held, err := g.Settings.Held(ctx, m.TenantID, m.ProjectID, d.DeploymentID)
	if err != nil {
		return err
	}
	language, _ := held.Languages.Choose("")
	open := sessions.Open{ID: session, TenantID: m.TenantID, ProjectID: m.ProjectID, Channel: m.Kind, Thread: g.stream,
		AgentName: cmp.Or(c.AgentName, d.EntryAgent), At: g.Turns.Now(), Begun: &sessions.Begun{DeploymentID: d.DeploymentID,
			Environment: d.Environment, Manifest: d.Pinned(), Language: language, Caller: g.caller(),
			BudgetPico: held.Budgets.SessionPico(), Patience: sessions.Patience{IdleMinutes: held.Sessions.IdleMinutes}}}
	if _, is := open.Begun.Manifest[open.AgentName]; !is {
		return fault.New(fault.NotFound, "the agent %s is not in the deployment", open.AgentName)
	}
	turn := g.turn()
	if turn.Programs, err = g.programs(ctx, open); err != nil {
		return err
	}
	link := sessions.LinkContact{At: open.At}
	if link.ContactID, err = g.contact(ctx); err != nil {
		return err
	}
	decide := acts.OneAfterTheOther(open.Decide, link.Decide, turn.Decide)
	if link.ContactID == "" {
		decide = acts.OneAfterTheOther(open.Decide, turn.Decide)
	}
	return g.take(ctx, sessions.Sessions.Stream(session), turn.Try, decide)
}

// caller is what agents know of who talks.
func (g giving) caller() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, value := range map[string]string{"userId": g.message.From, "channel": g.message.Kind, "name": g.message.Name} {
		if value != "" {
			out[name], _ = json.Marshal(value)
		}
	}
	return out
}

// deployed is what answers by a connection at this moment.
func (g giving) deployed(ctx context.Context, c channels.Connection) (d runtime.Deployment, err error) {
	var ok bool
	if c.DeploymentID == "" {
		d, ok, err = g.Deployments.Serving(ctx, c.TenantID, c.ProjectID, c.Environment)
	} else {
		d, ok, err = g.Deployments.Get(ctx, c.TenantID, c.ProjectID, c.DeploymentID)
	}
	switch {
	case err != nil:
	case !ok:
		err = fault.New(fault.NotFound, "nothing is deployed that could answer")
	default:
		if fresh, _ := deployments.Serves(d.Status, d.DrainAt, g.Turns.Now()); !fresh {
			err = fault.New(fault.Gone, "the deployment is retired")
		}
	}
	return d, err
}

// programs are those of a session that begins. What the server lacks for one of them is not
// waited for.
func (g giving) programs(ctx context.Context, open sessions.Open) (turns.Programs, error) {
	programs, err := g.Turns.Programs.Of(ctx, open.TenantID, open.ProjectID, open.Begun.Manifest)
	if err != nil {
		return nil, err
	}
	all := make([]*dsl.Program, 0, len(programs))
	for _, agent := range programs.From(open.AgentName) {
		all = append(all, programs[agent])
	}
	of := acts.ModelsOf{Tenant: open.TenantID, Project: open.ProjectID, Deployment: open.Begun.DeploymentID}
	if err = g.Turns.CanRun(ctx, of, all...); fault.Is(err, fault.Unavailable) {
		err = fault.New(fault.Gone, "%s", told(err))
	}
	return programs, err
}

// contact is who talks, as the account knows them; empty: what the provider says names nobody.
func (g giving) contact(ctx context.Context) (string, error) {
	m := g.message
	d := contacts.Details{DisplayName: shortened(m.Name), Channel: m.Kind}
	d.IdentityType, d.Identity = threads.IdentityOf(m.Kind, m.From)
	clean, err := d.Clean()
	if err != nil {
		return "", nil
	}
	return identities.Known(ctx, g.Turns.Log, g.by, clean)
}

func shortened(name string) string {
	if all := []rune(name); len(all) > contacts.MaxName {
		return string(all[:contacts.MaxName])
	}
	return name
}
