package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// ChatAPI is what the operations by which somebody talks with agents need.
type ChatAPI struct {
	rest.Commands
	Agents      workingCopies
	Sessions    sessionReader
	Contacts    contactReader
	Deployments deploymentReader
	Programs    *acts.Programs
	Turns       *driving.Turns
	Settings    takers.Settings
	Files       rest.FileLinks // to what users attach
	Budgets     budgetKeeper
	Concurrent  int           // sessions that a tenant may have at a time; 0: sessions.MostConcurrent
	Heartbeat   time.Duration // of turns that are streamed; 0: 15 s
}

// budgetKeeper refuses where a project has spent what it may.
type budgetKeeper interface {
	Room(ctx context.Context, tenant, project string) error
}

// workingCopies knows agents by name, with their working copies.
type workingCopies interface {
	Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error)
	WithID(ctx context.Context, tenant, project, id string) (runtime.Agent, bool, error)
}

// sessionReader knows the sessions of projects.
type sessionReader interface {
	Get(ctx context.Context, tenant, id string) (runtime.Session, bool, error)
	ToTalk(ctx context.Context, tenant, id string) (runtime.Talk, bool, error)
	Shown(ctx context.Context, tenant, id string) (runtime.ShownSession, bool, error)
	List(ctx context.Context, q runtime.SessionQuery) ([]runtime.ShownSession, int, error)
	Full(ctx context.Context, b runtime.Beginning, n int, since time.Time) (at time.Time, full bool, err error)
}

// deploymentReader knows what is deployed.
type deploymentReader interface {
	// Choose gives the deployment that a new session begins with: the one with an id, or
	// the newest active one of an environment, or of the first that has one.
	Choose(ctx context.Context, id, environment string) (Deployed, error)
}

// Deployed is a deployment as a session needs it.
type Deployed struct {
	ID          string
	Environment string
	EntryAgent  string
	Manifest    map[string]sessions.Pinned
}

// chatRefusals are those of what is said to agents.
var chatRefusals = []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.NotFound, fault.Conflict, fault.TurnSuspended,
	fault.QueueFull, fault.BudgetExceeded, fault.Gone, fault.Unavailable}

// DeclareChat adds the operations by which somebody talks with agents.
func DeclareChat(api *rest.API, x ChatAPI) {
	rest.Declare(api, rest.Operation{
		ID: "chat-agent", Method: http.MethodPost, Path: "/api/v1/chat/agent", Tags: []string{tagChat},
		Summary: "Say something to an agent",
		Description: "Without `sessionId` a session begins, with the newest active deployment of production, else of staging, else of dev, or " +
			"the one that is named. The answer is durable, and readable on every node, when it comes: with an Idempotency-Key a repeat is " +
			"answered with it. `testContext` needs the permission agent:write and begins a session, or comes with the first message in one " +
			"that create-session began; such sessions are in no report, but for the beginning of the latter. With `Accept: " +
			"text/event-stream` (extension) the turn is told as it goes on, by Server-Sent Events: `begun` {sessionId, turn}, `delta` {callId, " +
			"agentName, delta} of what a model is about to say, `trace` and `said` as in the answer, and at last the answer itself as " +
			"`complete`, or `error` {code, error}. Deltas are provisional: what is said is in `said`, behind the `llm_call` of their callId, and " +
			"`reset` {callId, reason} takes them back. An agent with guardrails of output has none. A comment comes every 15 seconds in which " +
			"nothing else does. A caller who goes away cancels nothing.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(), Refusals: chatRefusals,
	}, x.chat)
	rest.Declare(api, rest.Operation{
		ID: "chat-send", Method: http.MethodPost, Path: "/api/v1/chat/send", Tags: []string{tagChat},
		Summary: "Say something in a session that there is",
		Description: "Answers as chat-agent does. Files come with it by the ids that add-attachment gave. Agents see them as " +
			"session.messageMetadata.files, a list of {name, type, sizeBytes, attachmentId}, which is in place of a member `files` of metadata; " +
			"models are told name, type and size with the message.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(), Refusals: chatRefusals,
	}, x.send)
	answer, paths := map[string]*huma.MediaType{eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}, api.Description().Paths
	maps.Copy(answer, paths["/api/v1/chat/send"].Post.Responses["200"].Content)
	paths["/api/v1/chat/agent"].Post.Responses["200"].Content = answer
}

// CallerContext is who talks, as a test says.
type CallerContext struct {
	UserID           string          `json:"userId,omitempty" maxLength:"256"`
	Channel          string          `json:"channel,omitempty" maxLength:"64"`
	CustomAttributes jsontext.Object `json:"customAttributes,omitempty"`
}

// TestContext is what a test brings along.
type TestContext struct {
	GatherValues     jsontext.Object   `json:"gatherValues,omitempty" doc:"Values of slots of the agent, by name; judged as if the user had said them."`
	SessionVariables jsontext.Object   `json:"sessionVariables,omitempty" doc:"session.* to begin with; of a new session only."`
	CallerContext    *CallerContext    `json:"callerContext,omitempty" doc:"caller.* of a new session: userId, channel, and the custom attributes."`
	ToolMocks        []jsontext.Object `json:"toolMocks,omitempty" maxItems:"50" nullable:"false" doc:"Each {tool, when?, result or error, delayMs?, times?}, of a tool that an agent has; the first that fits answers, in this turn. Together at most 64 KiB."`
	SkipOnStart      bool              `json:"skipOnStart,omitempty"`
	StartAtStep      string            `json:"startAtStep,omitempty" maxLength:"128" doc:"A step of the agent's flow, of a new session only."`
}

// ChosenAction is what somebody chose among what was shown.
type ChosenAction struct {
	ID    string            `json:"id" required:"true" minLength:"1" maxLength:"128" doc:"Of the button, the option or the input."`
	Value jsontext.Anything `json:"value,omitempty" doc:"What goes with it: of an option its id, of an input what was filled in."`
}

func (c *ChosenAction) chosen() *sessions.Chosen {
	if c == nil {
		return nil
	}
	return &sessions.Chosen{ID: c.ID, Value: json.RawMessage(c.Value)}
}

type chatIn struct {
	channel string // the word for a new session; empty: api
	Body    struct {
		ProjectID    string          `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
		Message      string          `json:"message" required:"true" minLength:"1" maxLength:"20000" doc:"What the user says: not blanks alone, unless something was chosen." example:"Hello"`
		SessionID    string          `json:"sessionId,omitempty" maxLength:"128" doc:"Goes on with a session; left out: a new one begins."`
		DeploymentID string          `json:"deploymentId,omitempty" maxLength:"128" doc:"Of a new session, or the one of the session."`
		Environment  string          `json:"environment,omitempty" enum:"dev,staging,production" doc:"The newest active deployment there."`
		AgentID      string          `json:"agentId,omitempty" maxLength:"256" doc:"Who begins, in place of the entry agent: id, name, or path. Of the first turn only."`
		Metadata     jsontext.Object `json:"metadata,omitempty" doc:"Of this turn alone: an object of at most 16 KiB and 5 levels. Agents see it as session.messageMetadata."`
		Language     string          `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"Of a new session (extension)." example:"de-AT"`
		Action       *ChosenAction   `json:"action,omitempty" doc:"What was chosen among what was shown (extension)."`
		OnBusy       OnBusy          `json:"onBusy,omitempty" enum:"enqueue,reject,interrupt" doc:"What becomes of a message that meets a turn of the session: enqueue (the default) waits for it, reject is 429, interrupt cancels it first, also one that is suspended; who waits already comes before (extension)."`
		TestContext  *TestContext    `json:"testContext,omitempty"`
	}
}

type sendIn struct {
	Body struct {
		SessionID     string          `json:"sessionId" required:"true" minLength:"1" maxLength:"128"`
		Message       string          `json:"message,omitempty" maxLength:"20000" doc:"This or attachmentIds is required; blanks alone are none."`
		AttachmentIDs []string        `json:"attachmentIds,omitempty" maxItems:"10" nullable:"false" doc:"Files of the session, each of which comes once; with them message may be empty."`
		Metadata      jsontext.Object `json:"metadata,omitempty" doc:"As of chat-agent."`
		Action        *ChosenAction   `json:"action,omitempty" doc:"As of chat-agent (extension)."`
		OnBusy        OnBusy          `json:"onBusy,omitempty" enum:"enqueue,reject,interrupt" doc:"As of chat-agent (extension)."`
	}
}

// checkMetadata refuses what a turn may not have beside it.
func checkMetadata(raw jsontext.Object) error {
	if problem := attached.TurnProblem(json.RawMessage(raw)); problem != "" {
		return fault.Field("metadata", "%s", problem)
	}
	return nil
}

// room refuses to begin one session more than the account may have at a time. Of those that begin at the same moment a node
// knows its own.
func (x ChatAPI) room(ctx context.Context, session string) error {
	if err := x.Turns.Room(rest.ProjectOf(ctx).TenantID); err != nil {
		return err
	}
	now, most := x.Now(), cmp.Or(x.Concurrent, sessions.MostConcurrent)
	b := runtime.Beginning{Tenant: rest.ProjectOf(ctx).TenantID, Session: session}
	at, full, err := x.Sessions.Full(ctx, b, most, now.Add(-sessions.ConcurrentFor))
	if err != nil || !full {
		return err
	}
	return crowded("account", most, at, now)
}

func crowded(who string, most int, at, now time.Time) error {
	return fault.New(fault.RateLimit, "the %s has %d sessions in which something was said in the last %d minutes; end some, or wait",
		who, most, int(sessions.ConcurrentFor.Minutes())).After(max(at.Add(sessions.ConcurrentFor).Sub(now), time.Second))
}

// settled is how a session begins by the settings of the project at hand, or of a deployment of
// it. It refuses where they say that there may be no such session, or not now.
func (x ChatAPI) settled(ctx context.Context, session, deployment, language string) (*sessions.Begun, error) {
	project := rest.ProjectOf(ctx)
	held, err := x.Settings.Held(ctx, project.TenantID, project.ID, deployment)
	if err != nil {
		return nil, err
	}
	language, ok := held.Languages.Choose(language)
	if !ok {
		return nil, fault.Field("language", "is none in which the project talks: %s", strings.Join(held.Languages.Allowed, ", "))
	}
	begun := &sessions.Begun{DeploymentID: deployment, Language: language, BudgetPico: held.Budgets.SessionPico(),
		Patience: sessions.Patience{IdleMinutes: held.Sessions.IdleMinutes}}
	most := held.Limits.ConcurrentSessions
	if most == 0 {
		return begun, nil
	}
	now := x.Now()
	b := runtime.Beginning{Tenant: project.TenantID, Project: project.ID, Session: session}
	at, full, err := x.Sessions.Full(ctx, b, most, now.Add(-sessions.ConcurrentFor))
	if err == nil && full {
		err = crowded("project", most, at, now)
	}
	return begun, err
}

// count counts a message of a session of the project at hand.
func (x ChatAPI) count(ctx context.Context, s runtime.Session) error {
	project := rest.ProjectOf(ctx)
	held, err := x.Settings.Held(ctx, project.TenantID, project.ID, s.DeploymentID)
	if err != nil {
		return err
	}
	return rest.CountMessage(ctx, s.SessionID, held.Limits.MessagesPerMinute)
}

// affords refuses a message of a session of the project at hand that may ask a model, when the
// project has spent what it may. What is said to people asks none.
func (x ChatAPI) affords(ctx context.Context, stream string) error {
	project := rest.ProjectOf(ctx)
	refused := x.Budgets.Room(ctx, project.TenantID, project.ID)
	if !fault.Is(refused, fault.BudgetExceeded) {
		return refused
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, stream)
	if err == nil && read.State.Talk.People == nil {
		err = refused
	}
	return err
}

// Mine refuses a session that is not the caller's.
func (x ChatAPI) Mine(ctx context.Context, session string) error {
	_, err := x.sessionAt(ctx, session)
	return err
}

// sessionAt is the session of the caller with an id, else there is none.
func (x ChatAPI) sessionAt(ctx context.Context, id string) (runtime.Session, error) {
	if !access.ValidID(id) {
		return runtime.Session{}, unknownSession()
	}
	s, ok, err := x.Sessions.Get(ctx, rest.PrincipalOf(ctx).TenantID, id)
	return s, callers(ctx, s, ok, err)
}

// talkAt is sessionAt for who is about to say something in it.
func (x ChatAPI) talkAt(ctx context.Context, id string) (runtime.Talk, error) {
	if !access.ValidID(id) {
		return runtime.Talk{}, unknownSession()
	}
	t, ok, err := x.Sessions.ToTalk(ctx, rest.PrincipalOf(ctx).TenantID, id)
	return t, callers(ctx, t.Session, ok, err)
}

// callers refuses a session that was not found, or that is not the caller's.
func callers(ctx context.Context, s runtime.Session, ok bool, err error) error {
	who := rest.PrincipalOf(ctx)
	switch {
	case err != nil:
		return err
	case !ok || who.ProjectID != "" && who.ProjectID != s.ProjectID:
		return unknownSession()
	case who.Kind == access.SDKCredential && who.SessionID != s.SessionID:
		return unknownSession()
	}
	return nil
}
