package runtime

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/runtime"
)

// Served finds the deployments of the project at hand for sessions.
type Served struct {
	Deployments takers.Deployments
	Now         func() time.Time
}

// Choose implements deploymentReader.
func (x Served) Choose(ctx context.Context, id, environment string) (Deployed, error) {
	project := rest.ProjectOf(ctx)
	if id == "" {
		d, ok, err := x.Deployments.Serving(ctx, project.TenantID, project.ID, environment)
		if err == nil && !ok {
			err = noneActive(environment)
		}
		return deployed(d), err
	}
	d, err := x.get(ctx, id)
	if err != nil {
		return Deployed{}, err
	}
	if environment != "" && environment != d.Environment {
		return Deployed{}, fault.Field("environment", "is not that of the deployment")
	}
	return deployed(d), deployments.Begins(d.Status, d.DrainAt, x.Now())
}

// noneActive says where there is none, so that nobody looks for a fault of what serves elsewhere.
func noneActive(environment string) error {
	where := ""
	if environment != "" {
		where = " in " + environment
	}
	return fault.New(fault.NotFound, "the project has no active deployment%s to begin a session with: see create-deployment", where)
}

func (x Served) get(ctx context.Context, id string) (runtime.Deployment, error) {
	project := rest.ProjectOf(ctx)
	if !access.ValidID(id) {
		return runtime.Deployment{}, deployments.Unknown()
	}
	d, ok, err := x.Deployments.Get(ctx, project.TenantID, project.ID, id)
	if err == nil && !ok {
		err = deployments.Unknown()
	}
	return d, err
}

func deployed(d runtime.Deployment) Deployed {
	return Deployed{ID: d.DeploymentID, Environment: d.Environment, EntryAgent: d.EntryAgent, Manifest: d.Pinned()}
}

// begins is how a session, by its id, begins with a deployment, or with none. It refuses where there may be no
// more sessions, so what a caller has named wrong is refused before.
func (x ChatAPI) begins(ctx context.Context, id string, deployed Deployed, language string) (*sessions.Begun, error) {
	begun, err := x.settled(ctx, id, deployed.ID, language)
	if err != nil {
		return nil, err
	}
	begun.Environment, begun.Manifest = deployed.Environment, deployed.Manifest
	return begun, x.room(ctx, id)
}

// Wanted is a session that is to be begun before anything is said in it.
type Wanted struct {
	Channel      string // the word that lists show
	DeploymentID string // or the newest active one of Environment
	Environment  string
	Language     string
}

// OpenSession begins a session with a deployment of the project at hand.
func (x ChatAPI) OpenSession(ctx context.Context, w Wanted) (id string, err error) {
	project := rest.ProjectOf(ctx)
	id = x.NewID(ctx, "session").String()
	stream := sessions.Sessions.Stream(id)
	if _, is, err := rest.Repeated(ctx, x.Commands, sessions.Sessions, stream); err != nil || is {
		return id, err
	}
	deployed, err := x.Deployments.Choose(ctx, w.DeploymentID, w.Environment)
	if err != nil {
		return "", err
	}
	begun, err := x.begins(ctx, id, deployed, w.Language)
	if err != nil {
		return "", err
	}
	if _, err := x.programs(ctx, deployed.ID, deployed.EntryAgent, deployed.Manifest); err != nil {
		return "", err
	}
	open := sessions.Open{ID: id, TenantID: project.TenantID, ProjectID: project.ID, Channel: w.Channel, AgentName: deployed.EntryAgent,
		At: x.Now(), Begun: begun}
	_, err = rest.Create(ctx, x.Commands, sessions.Sessions, stream, open.Decide)
	return id, err
}

// GoesOn refuses a session that is none of the project at hand and of a channel, has ended, or is of a deployment that
// serves nothing any more: whatever is said in it would be refused.
func (x ChatAPI) GoesOn(ctx context.Context, id, channel string) error {
	s, err := x.talkInProject(ctx, id)
	switch {
	case err != nil:
		return err
	case s.Channel != channel:
		return unknownSession()
	case s.Status != string(sessions.Active):
		return fault.New(fault.Conflict, "the session has ended: begin another")
	}
	_, err = x.manifest(ctx, s)
	return err
}

// Spoken is what agents said in a turn.
type Spoken struct {
	SessionID string
	MessageID string
	Texts     []string
	Took      completions.Usage // the models that were asked in it
}

// BeginTurn is chat-agent for operations of another form: a turn of a session of a deployment, or of
// a new one, that has begun. It must be told.
func (x ChatAPI) BeginTurn(ctx context.Context, d runtime.Deployment, session, message string) (*BegunTurn, error) {
	in := &chatIn{}
	in.Body.ProjectID, in.Body.DeploymentID, in.Body.SessionID, in.Body.Message = d.ProjectID, d.DeploymentID, session, message
	t, err := x.talk(ctx, in)
	if err != nil {
		return nil, err
	}
	said, _ := eventstore.Find[sessions.MessageReceived](*t.first)
	return &BegunTurn{SessionID: t.first.State.ID, MessageID: said.MessageID, api: x, turn: t}, nil
}

// BegunTurn is a turn that has begun.
type BegunTurn struct {
	SessionID string
	MessageID string // of what the user said

	api  ChatAPI
	turn *talked
}

// Whole is what agents said in it, when it has ended or is suspended.
func (t *BegunTurn) Whole(ctx context.Context) (Spoken, error) {
	said, err := t.api.settle(ctx, t.turn)
	if err != nil {
		return Spoken{}, err
	}
	return said.spoken(), nil
}

// Told is Whole, with each text as soon as it is on the log.
func (t *BegunTurn) Told(ctx context.Context, to *EventWriter, each func(text string)) (Spoken, error) {
	said, err := t.api.tell(ctx, t.turn, func(news driving.News) error {
		for _, e := range news.Events {
			if said, is := e.Payload.(sessions.Said); is {
				each(said.Text)
			}
		}
		if len(news.Events) == 0 && len(news.Deltas) == 0 {
			to.Beat()
		}
		return to.failed
	})
	if err != nil {
		return Spoken{}, err
	}
	return said.spoken(), nil
}

func (o *chatOut) spoken() Spoken {
	out := Spoken{SessionID: o.Body.SessionID, MessageID: o.Body.MessageID, Took: o.took}
	for _, m := range o.Body.Messages {
		out.Texts = append(out.Texts, m.Text)
	}
	return out
}

// DoorsAPI is what the operations need by which programs talk with agents through a connection, and
// wait for the answer.
type DoorsAPI struct {
	ChatAPI
	Connections interface {
		Door(ctx context.Context, tenant, project, kind, external string) (channels.Connection, error)
	}
}

// DeclareDoors adds one for each of these kinds of channels: http and api.
func DeclareDoors(api *rest.API, x DoorsAPI) {
	for _, kind := range []string{"http", "api"} {
		rest.Declare(api, rest.Operation{
			ID: "post-" + kind + "-message", Method: http.MethodPost, Path: "/api/v1/channels/" + kind + "/messages", Tags: []string{"Channels"},
			Summary: "Say something to an agent by a connection of the kind " + kind + ", and have the answer",
			Description: "Answers as chat-agent does. Who answers is said by the connection: the one whose externalIdentifier is " +
				"`connection`, else the project's newest active one. Its deployment, or the newest active one of its environment, begins a session, " +
				"with its agent in place of the entry agent; a session that there is goes on with its own. Sessions have the channel " + kind + ".",
			Requirement: access.SignedIn(access.CanChat), Refusals: chatRefusals,
		}, func(ctx context.Context, in *doorIn) (*chatOut, error) { return x.through(ctx, kind, in) })
	}
}

type doorIn struct {
	Body struct {
		ProjectID  string          `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
		Message    string          `json:"message" required:"true" minLength:"1" maxLength:"20000" doc:"What is said." example:"Hello"`
		Connection string          `json:"connection,omitempty" maxLength:"257" doc:"The externalIdentifier of the connection." example:"shop"`
		SessionID  string          `json:"sessionId,omitempty" maxLength:"128" doc:"Goes on with a session of this kind; left out: a new one begins."`
		Metadata   jsontext.Object `json:"metadata,omitempty" doc:"As of chat-agent."`
		Language   string          `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"Of a new session." example:"de-AT"`
		Action     *ChosenAction   `json:"action,omitempty" doc:"What was chosen among what was shown."`
	}
}

func (x DoorsAPI) through(ctx context.Context, kind string, in *doorIn) (*chatOut, error) {
	b := in.Body
	ctx, err := rest.ResolveProject(ctx, b.ProjectID)
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	c, err := x.Connections.Door(ctx, project.TenantID, project.ID, kind, b.Connection)
	if err != nil {
		return nil, err
	}
	said := &chatIn{channel: kind}
	said.Body.ProjectID, said.Body.Message, said.Body.SessionID, said.Body.Metadata = project.ID, b.Message, b.SessionID, b.Metadata
	said.Body.Language, said.Body.Action = b.Language, b.Action
	if b.SessionID == "" {
		said.Body.DeploymentID, said.Body.Environment, said.Body.AgentID = c.DeploymentID, c.Environment, c.AgentName
	} else if s, err := x.SessionInProject(ctx, b.SessionID); err != nil || s.Channel != kind {
		return nil, cmp.Or(err, unknownSession())
	}
	t, err := x.talk(ctx, said)
	if err != nil {
		return nil, err
	}
	return x.settle(ctx, t)
}
