package runtime

import (
	"context"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

type createSessionIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		AgentID      string `json:"agentId" required:"true" minLength:"1" maxLength:"256" doc:"Id, name or path of the agent that begins." example:"acme-bot/greeter"`
		DeploymentID string `json:"deploymentId,omitempty" maxLength:"128" doc:"Begins with the agent as it is deployed there, in place of its working copy (extension)."`
		Environment  string `json:"environment,omitempty" enum:"dev,staging,production" doc:"The same, with the newest active deployment there (extension)."`
		ContactID    string `json:"contactId,omitempty" maxLength:"128" doc:"Who talks, as link-contact-session says it afterwards (extension). Needs the permission contact:write or admin:apply."`
		Language     string `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"In which agents speak (extension)." example:"de-AT"`
	}
}

// SessionBegun is a session that was just made.
type SessionBegun struct {
	ID        string `json:"id"`
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	CreatedAt string `json:"createdAt" format:"date-time"`
}

type createSessionOut struct {
	Body struct {
		Success bool         `json:"success"`
		Session SessionBegun `json:"session"`
	}
}

func (x ChatAPI) create(ctx context.Context, in *createSessionIn) (*createSessionOut, error) {
	project := rest.ProjectOf(ctx)
	agent, err := x.agent(ctx, in.Body.AgentID)
	if err != nil {
		return nil, err
	}
	id := x.NewID(ctx, "session").String()
	done, is, err := rest.Repeated(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(id))
	switch {
	case err != nil:
		return nil, err
	case is:
		return answerBegun(done, agent)
	}
	if err = x.mayName(ctx, in.Body.ContactID); err != nil {
		return nil, err
	}
	open := sessions.Open{ID: id, TenantID: project.TenantID, ProjectID: project.ID, AgentName: agent.Name, ContactID: in.Body.ContactID,
		At: x.Now()}
	if in.Body.DeploymentID != "" || in.Body.Environment != "" {
		open.Channel = "api"
		open.Begun, err = x.beginsDeployed(ctx, id, in, agent)
	} else {
		open.Channel = "web_debug"
		open.Begun, err = x.beginsWorking(ctx, id, in, agent)
	}
	if err != nil {
		return nil, err
	}
	res, err := rest.Create(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(id), open.Decide)
	if err != nil {
		return nil, err
	}
	return answerBegun(res, agent)
}

// mayName refuses a contact that nobody knows, or of whom the caller may not say in which session they talk: agents tell what
// they keep of who talks.
func (x ChatAPI) mayName(ctx context.Context, contact string) error {
	if contact == "" {
		return nil
	}
	who := rest.PrincipalOf(ctx)
	if !who.May(access.PermContactWrite, access.PermAdminApply) {
		return fault.New(fault.Forbidden, "contactId needs the permission %s or %s", access.PermContactWrite, access.PermAdminApply)
	}
	if access.ValidID(contact) {
		if _, known, err := x.Contacts.Get(ctx, who.TenantID, contact); known || err != nil {
			return err
		}
	}
	return fault.Field("contactId", "names no contact")
}

// beginsWorking is how a session begins with the working copy of an agent.
func (x ChatAPI) beginsWorking(ctx context.Context, id string, in *createSessionIn, agent runtime.Agent) (*sessions.Begun, error) {
	manifest, err := x.freeze(ctx, agent)
	if err != nil {
		return nil, err
	}
	return x.begins(ctx, id, Deployed{Manifest: manifest}, in.Body.Language)
}

// beginsDeployed is how a session begins with an agent as a deployment has it.
func (x ChatAPI) beginsDeployed(ctx context.Context, id string, in *createSessionIn, agent runtime.Agent) (*sessions.Begun,
	error) {
	deployed, err := x.Deployments.Choose(ctx, in.Body.DeploymentID, in.Body.Environment)
	if err != nil {
		return nil, err
	}
	if _, is := deployed.Manifest[agent.Name]; !is {
		return nil, fault.Field("agentId", "names no agent of the deployment")
	}
	if _, err = x.programs(ctx, deployed.ID, agent.Name, deployed.Manifest); err != nil {
		return nil, err
	}
	return x.begins(ctx, id, deployed, in.Body.Language)
}

// answerBegun is the answer of a request that has begun a session.
func answerBegun(res eventstore.Result[sessions.State], agent runtime.Agent) (*createSessionOut, error) {
	opened, err := rest.Payload[sessions.Opened](res)
	if err != nil {
		return nil, err
	}
	out := &createSessionOut{}
	out.Body.Success = true
	s := &out.Body.Session
	s.ID, s.AgentID, s.AgentName, s.CreatedAt = opened.SessionID, agent.AgentID, opened.AgentName, rest.ISOTime(&opened.At)
	return out, nil
}

// agent finds an agent of the project by id, name or path.
func (x ChatAPI) agent(ctx context.Context, id string) (runtime.Agent, error) {
	project := rest.ProjectOf(ctx)
	if name := strings.TrimPrefix(id, project.Slug+"/"); agents.ValidName(name) {
		found, err := x.Agents.Named(ctx, project.TenantID, project.ID, name)
		if err != nil {
			return runtime.Agent{}, err
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	a, ok, err := x.Agents.WithID(ctx, project.TenantID, project.ID, id)
	if err == nil && !ok {
		err = agents.Unknown()
	}
	return a, err
}

// freeze is Frozen of agents that turns can run.
func (x ChatAPI) freeze(ctx context.Context, entry runtime.Agent) (map[string]sessions.Pinned, error) {
	manifest, programs, err := x.Frozen(ctx, entry)
	if err != nil {
		return nil, err
	}
	here := rest.ProjectOf(ctx)
	return manifest, x.Turns.CanRun(ctx, driving.ModelsOf{Tenant: here.TenantID, Project: here.ID}, programs...)
}

// Frozen compiles the working copies of an agent and of all that it can hand over to, and
// names them by their hashes. The agent's own program is the first.
func (x ChatAPI) Frozen(ctx context.Context, entry runtime.Agent) (map[string]sessions.Pinned, []*dsl.Program, error) {
	manifest, reached, err := acts.Freeze(entry.Name, func(name string) (string, bool, error) {
		if name == entry.Name {
			return entry.DSL, true, nil
		}
		a, ok, err := agentNamed(ctx, x.Agents, name)
		return a.DSL, ok, err
	})
	if err != nil {
		return nil, nil, err
	}
	problems := fault.Fields(wrongIn(reached.Errors))
	for _, m := range reached.Missing {
		problems = append(problems, wrongIn([]project.Problem{m.Problem})...)
	}
	return manifest, reached.Programs, problems.Err()
}

// VersionsOf are the versions of agents as answers name them.
func VersionsOf(manifest map[string]sessions.Pinned) map[string]string {
	out := map[string]string{}
	for agent, pinned := range manifest {
		out[agent] = "working-copy"
		if pinned.Version > 0 {
			out[agent] = strconv.Itoa(pinned.Version)
		}
	}
	return out
}

// SessionStatus says whether a session takes messages.
type SessionStatus struct {
	ID      string `json:"id"`
	Status  string `json:"status" enum:"active,ended"`
	EndedAt string `json:"endedAt,omitempty" format:"date-time"`
}

type sessionEndOut struct {
	Body struct {
		Success bool          `json:"success"`
		Session SessionStatus `json:"session"`
	}
}

func endOf(s sessions.State) *sessionEndOut {
	out := &sessionEndOut{}
	out.Body.Success = true
	out.Body.Session.ID, out.Body.Session.Status = s.ID, string(s.Status)
	if s.Status == sessions.Ended {
		out.Body.Session.EndedAt = rest.ISOTime(&s.EndedAt)
	}
	return out
}

// end ends a session, and hangs up the call that it belongs to. The call goes first: should
// nothing follow, its end ends the session too.
func (x ChatAPI) end(ctx context.Context, _ *struct{ SessionPath }) (*sessionEndOut, error) {
	cmd := sessions.End{Reason: "ended", At: x.Now()}
	if s := SessionOf(ctx); s.Channel == "voice" && s.Status == string(sessions.Active) {
		read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(s.SessionID))
		if err != nil {
			return nil, err
		}
		cmd.Reason = string(calls.ReasonBotDisconnected)
		if err := (acts.HangUp{Log: x.Log}).Do(ctx, x.Caller(ctx), read.State.CallID, "its session was ended"); err != nil {
			return nil, err
		}
	}
	res, err := rest.Execute(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(SessionOf(ctx).SessionID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	return endOf(res.State), nil
}

func (x ChatAPI) reset(ctx context.Context, _ *struct{ SessionPath }) (*sessionEndOut, error) {
	cmd := sessions.Reset{At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(SessionOf(ctx).SessionID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	return endOf(res.State), nil
}

type cancelTurnIn struct {
	SessionPath
	Turn int `query:"turn" minimum:"1" doc:"Which one is meant, as traces number them; left out: whichever runs."`
}

type cancelTurnOut struct {
	Body struct {
		Success bool          `json:"success"`
		Session SessionStatus `json:"session"`
		Turn    int           `json:"turn" doc:"That was cancelled."`
	}
}

// cancel ends the turn that runs. Whoever makes its calls, on whatever node, learns it by the log.
func (x ChatAPI) cancel(ctx context.Context, in *cancelTurnIn) (*cancelTurnOut, error) {
	cmd := sessions.CancelTurn{Turn: in.Turn, At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(SessionOf(ctx).SessionID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	out := &cancelTurnOut{}
	out.Body.Success, out.Body.Session, out.Body.Turn = true, endOf(res.State).Body.Session, res.State.Talk.Cancelled
	return out, nil
}
