package runtime

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

const (
	sessionsPath = "/api/projects/{projectId}/sessions"
	sessionPath  = sessionsPath + "/{id}"
	tagSessions  = "Sessions"
)

// DeclareSessions adds the operations by which the sessions of a project are begun, found,
// read and ended.
func DeclareSessions(api *rest.API, x ChatAPI) {
	tags, writes := []string{tagSessions}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	read, end := access.Needs(access.PermSessionRead), access.SignedIn(access.CanEndSessions)
	rest.Declare(api, rest.Operation{
		ID: "create-session", Method: http.MethodPost, Path: sessionsPath, Status: http.StatusCreated, Tags: tags,
		Summary: "Begin a session with the working copy of an agent",
		Description: "And with those of all agents that it can hand over to, as they are now: later changes are not seen by it. They are " +
			"compiled; what is wrong with them is told with lines. With `deploymentId` or `environment` (extensions) it goes by what is deployed " +
			"there, and its channel is `api`, else `web_debug`. Say something in it with chat-agent or chat-send.",
		Requirement: access.Needs(access.PermSessionExecute), Resolve: rest.ProjectFrom("projectId"),
		Refusals: append(writes, fault.Unavailable, fault.Conflict, fault.Gone),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "list-sessions", Method: http.MethodGet, Path: sessionsPath, Tags: tags, Summary: "List sessions, the newest activity first",
		Description: "Of chats and of calls. `total` counts all that match.",
		Requirement: read, Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-session", Method: http.MethodGet, Path: sessionPath, Tags: tags, Summary: "Read a session",
		Description: "With where its conversation stands; values that are sensitive are masked.",
		Requirement: read, Resolve: x.SessionOfPath(),
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "end-session", Method: http.MethodDelete, Path: sessionPath, Tags: tags, Summary: "End a session",
		Description: "What was said in it stays readable, and a turn that runs is cancelled. Once more changes nothing. The call of a " +
			"voice session is hung up, at the latest with the next sign of life of the node that carries it (a third of `--call-lease`).",
		Requirement: end, Resolve: x.SessionOfPath(), Refusals: writes,
	}, x.end)
	rest.Declare(api, rest.Operation{
		ID: "reset-session", Method: http.MethodPost, Path: sessionPath + "/reset", Tags: tags,
		Summary: "Make a session as if nothing had been said in it",
		Description: "Its id and its figures stay, and so do its earlier messages, which transcripts show on demand. A turn that " +
			"runs is cancelled, open callbacks and messages that wait for their turn are dropped: whoever sent one is told by 409.",
		Requirement: end, Resolve: x.SessionOfPath(), Refusals: append(writes, fault.Conflict),
	}, x.reset)
	rest.Declare(api, rest.Operation{
		ID: "cancel-turn", Method: http.MethodPost, Path: sessionPath + "/cancel", Tags: tags, Extension: true,
		Summary: "Cancel the turn that runs in a session",
		Description: "Or that is suspended. What was said in it stays. What it waits for is cut off, on whatever node: a tool, a model, a " +
			"callback, whose answer is 410 from then on. A write that may have been done has the outcome `unknown`. Who waits for the turn's " +
			"answer gets it with `action.type` cancelled, and the next message may come. Once more changes nothing. Where nothing runs it is " +
			"409, so a turn that ended in the same moment has its answer.",
		Requirement: access.SignedIn(access.CanChat), Resolve: x.SessionOfPath(), Refusals: append(writes, fault.Conflict),
	}, x.cancel)
}

// SessionSummary is a session as lists show it; what has more embeds it.
type SessionSummary struct {
	ID               string  `json:"id"`
	RuntimeSessionID string  `json:"runtimeSessionId" doc:"The same."`
	AgentID          string  `json:"agentId" doc:"Of the agent that it began with; empty where there is none of that name any more."`
	AgentName        string  `json:"agentName"`
	Status           string  `json:"status" enum:"active,ended"`
	Channel          string  `json:"channel" example:"api"`
	MessageCount     int     `json:"messageCount" doc:"Of both sides."`
	TraceEventCount  int     `json:"traceEventCount"`
	TokenCount       int     `json:"tokenCount" doc:"Of models: in and out."`
	EstimatedCost    float64 `json:"estimatedCost" doc:"Of models, in US dollars."`
	ErrorCount       int     `json:"errorCount" doc:"Calls of tools and of models that failed, and turns that did."`
	DurationMs       int64   `json:"durationMs" doc:"To the end, or to the last activity."`
	HandoffCount     int     `json:"handoffCount"`
	CreatedAt        string  `json:"createdAt" format:"date-time"`
	LastActivityAt   string  `json:"lastActivityAt" format:"date-time"`
}

func shownSession(s runtime.ShownSession) SessionSummary {
	return SessionSummary{ID: s.SessionID, RuntimeSessionID: s.SessionID, AgentID: s.AgentID, AgentName: s.AgentName, Status: s.Status,
		Channel: s.Channel, MessageCount: s.Messages, TraceEventCount: s.Traces, ErrorCount: s.Errors, HandoffCount: s.Handoffs,
		TokenCount: int(s.Tokens), EstimatedCost: completions.Dollars(s.Cost),
		DurationMs: s.Lasted().Milliseconds(), CreatedAt: rest.ISOTime(&s.OpenedAt), LastActivityAt: rest.ISOTime(&s.ActiveAt)}
}

type listSessionsIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Status    string `query:"status" enum:"active,ended"`
	Channel   string `query:"channel" enum:"api,web_debug,voice,assist,web,mobile,sdk,slack,msteams,whatsapp,messenger,instagram,telegram,line,twilio_sms,email,zendesk,genesys,audiocodes,jambonz,vxml,twilio_voice,livekit,voice_pipeline,web_chat,ag_ui,a2a,http_async,http,sms,sip,voice_gateway,rtc" doc:"Of a connection the kind."`
	AgentName string `query:"agentName" maxLength:"128" doc:"That began with this agent (extension)."`
	ContactID string `query:"contactId" maxLength:"128" doc:"In which this contact talked (extension)."`
	From      string `query:"from" doc:"A day or a moment: begun then or later (extension)." example:"2026-11-21"`
	To        string `query:"to" doc:"A moment: begun before; or a day, which is included (extension)." example:"2026-11-22T00:00:00Z"`
	rest.Page
}

type listSessionsOut struct {
	Body struct {
		Success  bool             `json:"success"`
		Total    int              `json:"total" doc:"How many there are in all."`
		Offset   int              `json:"offset"`
		Limit    int              `json:"limit"`
		Sessions []SessionSummary `json:"sessions"`
	}
}

func (x ChatAPI) list(ctx context.Context, in *listSessionsIn) (*listSessionsOut, error) {
	var f fault.Fields
	from, to := rest.Range{From: "from", To: "to", Late: "must not be after to"}.Read(&f, in.From, in.To)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	q := runtime.SessionQuery{Tenant: project.TenantID, Project: project.ID, Status: in.Status, AgentName: in.AgentName,
		ContactID: in.ContactID, From: orNil(from), To: orNil(to), Limit: in.Limit, Offset: in.Offset}
	if in.Channel != "" {
		q.Channels = channels.Spelled(in.Channel)
	}
	found, total, err := x.Sessions.List(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &listSessionsOut{}
	out.Body.Success, out.Body.Total, out.Body.Offset, out.Body.Limit = true, total, in.Offset, in.Limit
	out.Body.Sessions = rest.Shown(found, shownSession)
	return out, nil
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// SessionOfPath finds the session that a path names, in the project that it names.
func (x ChatAPI) SessionOfPath() rest.ResolveFunc {
	return rest.ResolveAll(rest.ProjectFrom("projectId"), func(ctx context.Context, p rest.Params) (context.Context, error) {
		s, err := x.SessionInProject(ctx, p.Path("id"))
		return rest.About(ctx, s), err
	})
}

// SessionInProject is the session of the project at hand with an id, else there is none.
func (x ChatAPI) SessionInProject(ctx context.Context, id string) (runtime.Session, error) {
	s, err := x.sessionAt(ctx, id)
	return s, cmp.Or(err, inProject(ctx, s))
}

// talkInProject is SessionInProject for who is about to say something in it.
func (x ChatAPI) talkInProject(ctx context.Context, id string) (runtime.Talk, error) {
	t, err := x.talkAt(ctx, id)
	return t, cmp.Or(err, inProject(ctx, t.Session))
}

func inProject(ctx context.Context, s runtime.Session) error {
	if s.ProjectID != rest.ProjectOf(ctx).ID {
		return unknownSession()
	}
	return nil
}

func unknownSession() error { return fault.New(fault.NotFound, "there is no such session") }

// SessionOf is the session that SessionOfPath has found.
func SessionOf(ctx context.Context) runtime.Session { return rest.Found[runtime.Session](ctx) }

// SessionPath is embedded by the inputs of the operations on one session.
type SessionPath struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	ID        string `path:"id" doc:"A session's id."`
}

// SessionDetail is a session with where its conversation stands.
type SessionDetail struct {
	SessionSummary
	DeploymentID string            `json:"deploymentId,omitempty"`
	Environment  string            `json:"environment,omitempty"`
	Language     string            `json:"language,omitempty"`
	ContactID    string            `json:"contactId,omitempty"`
	Test         bool              `json:"test" doc:"Begun with a testContext: in no report."`
	Versions     map[string]string `json:"versions" doc:"Of each agent, working-copy where it is none."`
	State        ChatState         `json:"state"`
	Suspension   *Suspension       `json:"suspension,omitempty" doc:"What the turn waits for; absent where it waits for nothing from outside."`
	People       *WithPeople       `json:"people,omitempty" doc:"Who has it in place of its agent, or was asked to (extension); absent: its agent has it."`
	EndedAt      string            `json:"endedAt,omitempty" format:"date-time"`
	EndReason    string            `json:"endReason,omitempty"`
}

// Suspension is what a turn waits for from outside.
type Suspension struct {
	CallbackID string `json:"callbackId" doc:"Where the answer is posted to, by answer-callback."`
	ExpiresAt  string `json:"expiresAt" format:"date-time"`
}

// suspension is that of a session; nil: its turn waits for nothing from outside.
func (x ChatAPI) suspension(s *sessions.State) *Suspension {
	waits := s.Talk.Suspended()
	if waits == nil {
		return nil
	}
	return &Suspension{x.CallbackID(s.ID, waits.CallID), rest.ISOTime(&waits.ExpiresAt)}
}

// WithPeople is where a session is while its agent is silent.
type WithPeople struct {
	TransferID     string `json:"transferId" doc:"As list-transfers has it."`
	ConversationID string `json:"conversationId" doc:"In which they answer."`
	QueueID        string `json:"queueId,omitempty" doc:"In whose line it waits, or waited."`
	AgentID        string `json:"agentId,omitempty" doc:"Who has it; absent: nobody yet, or nobody whom Parley knows."`
	Waiting        bool   `json:"waiting" doc:"Nobody has it yet."`
	Since          string `json:"since" format:"date-time"`
}

// withPeople is where a session is; nil: its agent has it.
func withPeople(s *sessions.State) *WithPeople {
	p := s.Talk.People
	if p == nil {
		return nil
	}
	return &WithPeople{TransferID: p.TransferID, ConversationID: p.ConversationID, QueueID: p.QueueID, AgentID: p.HumanAgentID,
		Waiting: p.Waits(), Since: rest.ISOTime(&p.Since)}
}

type getSessionOut struct {
	Body struct {
		Success bool          `json:"success"`
		Session SessionDetail `json:"session"`
	}
}

func (x ChatAPI) get(ctx context.Context, _ *struct{ SessionPath }) (*getSessionOut, error) {
	s, ok, err := x.Sessions.Shown(ctx, rest.ProjectOf(ctx).TenantID, SessionOf(ctx).SessionID)
	if err == nil && !ok {
		err = unknownSession()
	}
	if err != nil {
		return nil, err
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(s.SessionID))
	if err != nil {
		return nil, err
	}
	// The table has the figures as they were when the last turn ended, or all of the session began to wait: a turn of which a
	// delegate waits for something from outside may take a day.
	now := read.State.Talk.Figures
	s.Messages, s.Traces = max(s.Messages, now.Messages), max(s.Traces, now.Traces)
	s.Errors, s.Handoffs = max(s.Errors, now.Errors), max(s.Handoffs, now.Handoffs)
	out := &getSessionOut{}
	out.Body.Success, out.Body.Session = true, SessionDetail{SessionSummary: shownSession(s), DeploymentID: s.DeploymentID,
		Environment: s.Environment, Language: read.State.Talk.Language, ContactID: s.ContactID, Test: s.Test, State: stateOf(&read.State),
		Suspension: x.suspension(&read.State), People: withPeople(&read.State),
		Versions: VersionsOf(read.State.Talk.Manifest), EndedAt: rest.ISOTime(s.EndedAt), EndReason: s.EndedBy}
	return out, nil
}
