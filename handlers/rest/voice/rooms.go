package voice

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// RoomMaker asks the provider of rooms.
type RoomMaker struct {
	Check func(c channels.Connection) error
	// Create makes a room, with an agent where one is named, by one request: what is there stays as it is.
	Create func(ctx context.Context, c channels.Connection, room, agent, metadata string, emptyFor time.Duration) channels.Outcome
	Join   func(c channels.Connection, identity, room, agent, metadata string, now time.Time) (string, error)
}

// RoomsAPI is what the operations by which people come into rooms need.
type RoomsAPI struct {
	rest.Commands
	Talkers
	Rooms       *brought.Rooms
	Connections openConnections
	Deployments takers.Deployments
	Make        RoomMaker
	Pages       PageCalls
}

const (
	joinFor  = 15 * time.Minute // how long a token is good
	emptyFor = 5 * time.Minute  // how long the provider keeps a room in which nobody is
)

// DeclareRooms adds what a client asks before it comes into a room.
func DeclareRooms(api *rest.API, x RoomsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "rtc-capabilities", Method: "GET", Path: "/api/v1/rtc/capabilities", Tags: []string{tagVoice},
		Summary: "Whether there are rooms",
		Description: "`enabled`: the server allows rooms, and there is an account for them: an active connection of the kind livekit in the " +
			"project, or without one in any of the account, or the server's own. `configured`: that account has its URL, key and secret. " +
			"Without such an account both say whether pages call this server itself (rtc-connect), and `own` that they do. Where the operator " +
			"wants no rooms all are false.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(), Refusals: []fault.Code{fault.NotFound},
	}, x.capabilities)
	rest.Declare(api, rest.Operation{
		ID: "rtc-token", Method: "POST", Path: "/api/v1/rtc/token", Tags: []string{tagVoice},
		Summary: "Come into a room, or call",
		Description: "Without an account at LiveKit, where pages call this server itself: a token for one call, good for 15 minutes, which is " +
			"made at `url` (rtc-connect) in the name of `identity`, and answered by `agentName` or the entry agent; `sessionId` is the session " +
			"that the call gets, of the channel `voice`. With an account: an access token of LiveKit, good for 15 minutes, for the room of a " +
			"session, which is made if it is not there. With " +
			"`agentName` an agent participant of that name is dispatched to LiveKit's agents, once for each room. A session of that id in the " +
			"project is the room's: it goes on as it did. Where there is none the room gets a session of the channel `voice`, which begins " +
			"when somebody comes and ends with the room; `sessionId` of the answer is its id, by which chat-agent talks in it. While " +
			"somebody is there, what is said in the session comes into the room as data messages of the topic `parley.text` ({id, text}), and " +
			"its agent is in the room as a participant of the kind agent, who hears the microphones of people and what they write " +
			"(topic `lk.chat`) and speaks (PCMU), unless another agent participant is there, or comes within 5 seconds where one was " +
			"dispatched. A room counts until it is over, which its webhooks tell, or until nobody came for 16 minutes; " +
			"one of which LiveKit does not say that it made it counts when somebody is let in.",
		Requirement: access.SignedIn(access.CanChat).OrSDK(),
		Refusals:    []fault.Code{fault.NotFound, fault.Conflict, fault.Gone, fault.QueueFull, fault.Unavailable},
	}, x.token)
}

type rtcCapabilitiesOut struct {
	Body struct {
		Success    bool `json:"success"`
		Enabled    bool `json:"enabled"`
		Configured bool `json:"configured"`
		Own        bool `json:"own" doc:"Pages call this server itself: rtc-token leads to rtc-connect (extension)."`
	}
}

func (x RoomsAPI) capabilities(ctx context.Context, in *capabilitiesIn) (*rtcCapabilitiesOut, error) {
	project, err := in.project(ctx)
	if err != nil {
		return nil, err
	}
	c, ok, err := x.account(ctx, project)
	out := &rtcCapabilitiesOut{}
	b := &out.Body
	b.Success, b.Own = true, !ok && x.callable()
	b.Enabled, b.Configured = ok || b.Own, ok && x.Make.Check(c) == nil || b.Own
	return out, err
}

// callable is whether a call of a page stands for a room. Where the operator wants none it does not: voice-token is the way to call.
func (x RoomsAPI) callable() bool { return x.Pages.On && x.Rooms.Most > 0 }

// account is that by which a project has rooms: its own, else the server's; false: there are none.
func (x RoomsAPI) account(ctx context.Context, project string) (channels.Connection, bool, error) {
	if x.Rooms.Most == 0 {
		return channels.Connection{}, false, nil
	}
	found, err := x.Connections.Of(ctx, rest.PrincipalOf(ctx).TenantID, project, KindRooms)
	if err != nil || len(found) > 0 {
		return first(found), err == nil, err
	}
	return x.Rooms.Server, len(x.Rooms.Server.Credentials) > 0, nil
}

func first(all []channels.Connection) (c channels.Connection) {
	if len(all) > 0 {
		c = all[0]
	}
	return c
}

type rtcTokenIn struct {
	Body struct {
		SessionID    string `json:"sessionId" required:"true" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"A session of the caller's account that has not ended, or what the caller calls a new one." example:"s-4711"`
		ProjectID    string `json:"projectId" required:"true" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"A project's id or alias." example:"acme-bot"`
		AgentName    string `json:"agentName,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$" doc:"Of the agent participant that comes into the room; an agent of that name begins a new session." example:"desk"`
		DeploymentID string `json:"deploymentId,omitempty" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" doc:"That answers in a new session; left out: the newest active one."`
	}
}

type rtcTokenOut struct {
	Body struct {
		Success   bool   `json:"success"`
		Token     string `json:"token"`
		RoomName  string `json:"roomName" example:"t_acme__p_a-1__s_s-4711"`
		URL       string `json:"url" example:"wss://rooms.example.com" doc:"Of LiveKit; or where the page brings its offer."`
		Identity  string `json:"identity" example:"s_s-4711"`
		SessionID string `json:"sessionId" doc:"In which the room is, or the call (extension)."`
	}
}

func (x RoomsAPI) token(ctx context.Context, in *rtcTokenIn) (*rtcTokenOut, error) {
	b := in.Body
	ctx, err := rest.ResolveProject(ctx, b.ProjectID)
	if err != nil {
		return nil, err
	}
	project, now := rest.ProjectOf(ctx), x.Now()
	open := brought.Opening{TenantID: project.TenantID, ProjectID: project.ID, SessionID: b.SessionID, AgentName: b.AgentName,
		DeploymentID: b.DeploymentID, JoinBy: now.Add(joinFor + time.Minute)}
	if open.In, err = x.session(ctx, b.SessionID, project.ID); err != nil {
		return nil, err
	}
	c, ok, err := x.account(ctx, project.ID)
	switch {
	case err != nil:
		return nil, err
	case !ok && x.callable():
		return x.call(ctx, in)
	case !ok:
		return nil, fault.New(fault.Unavailable, "rooms are not configured")
	case x.Make.Check(c) != nil:
		return nil, fault.New(fault.Unavailable, "the voice credentials are missing: a room needs the URL, the key and the secret of LiveKit")
	}
	if err := x.deployed(ctx, b.DeploymentID); err != nil {
		return nil, err
	}
	if c.TenantID != "" { // else it is the server's own account
		open.ConnectionID = c.ID
	}
	by := x.Caller(ctx).Further()
	s, fresh, err := x.Rooms.Open(ctx, by, open)
	if err != nil {
		return nil, err
	}
	if !s.Answered() { // until somebody has come nobody knows that it was made: whoever asked for that may have died
		if err := x.made(ctx, by, c, s, fresh); err != nil {
			return nil, err
		}
	}
	out := &rtcTokenOut{}
	o := &out.Body
	o.Success, o.RoomName, o.URL, o.Identity = true, s.Arrival.ProviderID, c.Credentials.Reveal("url"), brought.Identity(b.SessionID)
	o.SessionID = s.Arrival.SessionID
	o.Token, err = x.Make.Join(c, o.Identity, o.RoomName, s.Arrival.AgentName, metadataOf(s), now)
	return out, err
}

// call is the token with which a page calls this server itself.
func (x RoomsAPI) call(ctx context.Context, in *rtcTokenIn) (*rtcTokenOut, error) {
	b, project := in.Body, rest.ProjectOf(ctx)
	if err := x.deployed(ctx, b.DeploymentID); err != nil {
		return nil, err
	}
	if err := x.answers(ctx, b.DeploymentID, b.AgentName); err != nil {
		return nil, err
	}
	out, o := &rtcTokenOut{}, brought.Opening{TenantID: project.TenantID, ProjectID: project.ID, SessionID: b.SessionID}
	out.Body.Success, out.Body.RoomName, out.Body.URL = true, o.Name(), x.Pages.address()
	out.Body.Identity = brought.Identity(b.SessionID)
	var err error
	out.Body.Token, out.Body.SessionID, err = x.Pages.grant(brought.Page{TenantID: project.TenantID, ProjectID: project.ID,
		SessionID: b.SessionID, AgentName: b.AgentName, DeploymentID: b.DeploymentID}, x.Now())
	return out, err
}

// session is the one that the room joins; empty: there is none of that id. The token of a widget is
// for its own.
func (x RoomsAPI) session(ctx context.Context, id, project string) (string, error) {
	_, s, there, err := x.own(ctx, id)
	switch {
	case err != nil:
		return "", err
	case there && s.ProjectID != project, !there && rest.PrincipalOf(ctx).Kind == access.SDKCredential:
		return "", unknownSession()
	}
	return s.SessionID, rest.PrincipalOf(ctx).MaySpeak()
}

// deployed refuses a deployment that begins no sessions.
func (x RoomsAPI) deployed(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	project := rest.ProjectOf(ctx)
	d, ok, err := x.Deployments.Get(ctx, project.TenantID, project.ID, id)
	switch {
	case err != nil:
		return err
	case !ok:
		return deployments.Unknown()
	}
	return deployments.Begins(d.Status, d.DrainAt, x.Now())
}

// answers refuses an agent that the deployment, or else the project, does not have: nobody would answer the call. In
// a room the name is that of an agent participant, which need be none of ours.
func (x RoomsAPI) answers(ctx context.Context, deployment, agent string) error {
	if agent == "" {
		return nil
	}
	project := rest.ProjectOf(ctx)
	find := func() (runtime.Deployment, bool, error) {
		return x.Deployments.Serving(ctx, project.TenantID, project.ID, "")
	}
	if deployment != "" {
		find = func() (runtime.Deployment, bool, error) {
			return x.Deployments.Get(ctx, project.TenantID, project.ID, deployment)
		}
	}
	d, _, err := find()
	_, has := d.Manifest[agent]
	if err == nil && !has && deployment == "" { // it may be deployed by the time of the call
		var read eventstore.Loaded[agents.State]
		read, err = eventstore.Read(ctx, x.Store, agents.Agents, agents.Stream(project.TenantID, project.ID))
		_, has = read.State.ByName(agent)
	}
	if err == nil && !has {
		err = fault.Field("agentName", "is no agent of the project, or not in the deployment")
	}
	return err
}

// metadataOf is what an agent participant is told of the room.
func metadataOf(s calls.State) string {
	out, _ := json.Marshal(map[string]string{"conversationId": s.Arrival.CallID, "sessionId": s.Arrival.SessionID,
		"projectId": s.Arrival.ProjectID, "deploymentId": s.Arrival.DeploymentID}) // of texts, which always can be
	return string(out)
}

// made has the provider make a room, and an agent come into it. One that was certainly not made is over; one that may
// have been is made again when somebody asks again, with the same agent, and does not count before.
func (x RoomsAPI) made(ctx context.Context, by acts.Caller, c channels.Connection, s calls.State, fresh bool) error {
	got := x.Make.Create(ctx, c, s.Arrival.ProviderID, s.Arrival.AgentName, metadataOf(s), emptyFor)
	var err error
	switch {
	case got.Status == channels.Taken:
		return x.Rooms.Made(ctx, by, s)
	case fresh && got.Status != channels.Unknown:
		err = x.Rooms.Fail(ctx, by, s, "not_created")
	default:
		err = x.Rooms.Doubt(ctx, by, s, fresh)
	}
	if err != nil {
		rest.Logger(ctx).Warn("a room that could not be made counts until nobody can come any more", "call", s.Arrival.CallID, "error", err)
	}
	return fault.New(fault.Unavailable, "the room cannot be made: %s", strings.TrimSpace(got.Reason+" "+got.Code))
}
