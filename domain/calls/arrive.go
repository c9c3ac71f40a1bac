package calls

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Direction is who began a call, as reports show it.
type Direction string

// The directions, from our side.
const (
	Inbound  Direction = "Inbound"
	Outbound Direction = "Outbound"
)

// The providers that bring calls, as events and lists name them.
const (
	ProviderTwilio   = "twilio"
	ProviderLiveKit  = "livekit"
	ProviderSIP      = "sip"            // a trunk of ours
	ProviderPipeline = "voice_pipeline" // a pipeline that brings sound
	ProviderPage     = "webrtc"         // nobody: a page calls the node itself
)

// Arrive takes a call that its provider brings by a connection: one that comes in, one that
// somebody had the provider place, or a room in which people talk.
type Arrive struct {
	CallID       string // follows from the connection and ProviderID, so that it is one call whoever tells of it first
	TenantID     string
	ProjectID    string
	ConnectionID string // empty: the server's own account at the provider
	Provider     string
	ProviderID   string // what the provider calls the call
	Person       string // who talks with us, as the provider says: a number, a client's identity
	OurNumber    string // what they called, or were called by; of a room its name
	Direction    Direction
	AgentName    string // who is to take it; empty: the entry agent of what is deployed when it is answered
	DeploymentID string // that answers; empty: the newest active one at that moment
	Environment  string // in which that one is looked for
	SessionID    string // that the call is in; empty: it gets one of its own when it is answered
	Joins        bool   // that session is there already, and outlives the call
	AnswerBy     time.Time
	At           time.Time

	// Of a call that rings at a trunk here, and whose sound is at one node from the first moment.
	Trunk  string // its name
	Branch string // of the request that brought it
	Flow   *Flow  // of the number; nil: of another call
	Try    string // fresh for each try, so that a node knows its own; empty: of another call
	Node   string // the node that it rings at, and that is trusted until AnswerBy
}

// Arrived is a call that a provider brought.
type Arrived struct {
	CallID       string    `json:"callId"`
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	ConnectionID string    `json:"connectionId,omitempty"`
	Provider     string    `json:"provider"`
	ProviderID   string    `json:"providerCallId"`
	Person       string    `json:"person" personal:"callee"`
	OurNumber    string    `json:"ourNumber"`
	Direction    Direction `json:"direction"`
	AgentName    string    `json:"agentName,omitempty"`
	DeploymentID string    `json:"deploymentId,omitempty"`
	Environment  string    `json:"environment,omitempty"`
	SessionID    string    `json:"sessionId,omitempty"`
	Joins        bool      `json:"joins,omitempty"`
	AnswerBy     time.Time `json:"answerBy"`
	At           time.Time `json:"at"`
	Trunk        string    `json:"trunk,omitempty"`
	Branch       string    `json:"branch,omitempty"` // of the request that brought it
	Flow         *Flow     `json:"flow,omitempty"`
	Try          string    `json:"try,omitempty"`
	Node         string    `json:"node,omitempty"` // that has its sound
}

var _ = event.Register[Arrived](Calls, "arrived", 1)

// Decide takes a call once.
func (c Arrive) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Phase != PhaseNone && !s.Came():
		return nil, fault.New(fault.Conflict, "the call %s is one that was placed here", c.CallID)
	case s.Phase != PhaseNone:
		return nil, nil
	case c.Direction != Inbound && c.Direction != Outbound:
		return nil, fault.Field("direction", "must be %s or %s", Inbound, Outbound)
	}
	return []event.Payload{Arrived{CallID: c.CallID, TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ConnectionID,
		Provider: c.Provider, ProviderID: c.ProviderID, Person: c.Person, OurNumber: c.OurNumber, Direction: c.Direction,
		AgentName: c.AgentName, DeploymentID: c.DeploymentID, Environment: c.Environment, SessionID: c.SessionID, Joins: c.Joins,
		AnswerBy: event.Stamp(c.AnswerBy), At: event.Stamp(c.At), Trunk: c.Trunk, Branch: c.Branch, Flow: c.Flow.clone(), Try: c.Try,
		Node: c.Node}}, nil
}

// Apply makes it a call that is on its way. What a dial-out would have said of it stands in Request,
// by which calls are told in reports and to agents.
func (e Arrived) Apply(s *State) {
	e.Flow = e.Flow.clone()
	s.Phase, s.Arrival, s.SID, s.Provider = PhaseDialing, &e, e.ProviderID, e.Provider
	if e.Trunk != "" {
		s.SID = e.CallID // what the other side calls it is its own
	}
	s.DialedAt = e.At
	s.Request = Requested{CallID: e.CallID, SID: e.ProviderID, TenantID: e.TenantID, ProjectID: e.ProjectID, AccountID: e.TenantID,
		Target: targetOf(e.Person), OurNumber: e.OurNumber, Provider: e.Provider, Trunk: e.Trunk, MachineDetection: DetectionDisabled,
		Flow: Flow{AgentName: e.AgentName}, At: e.At, DialBy: e.AnswerBy}
	if e.Flow != nil {
		s.Request.Flow = *e.Flow
	}
	s.Line, s.Node = e.Try, e.Node
	s.Attempt.Start(1, e.Try, e.AnswerBy)
	s.sign(e.At)
}

// targetOf is a person as the target of a call would name them: numbers and addresses of SIP have
// schemes, and so have the identities of a provider's own clients.
func targetOf(person string) string {
	if scheme, _, has := strings.Cut(person, ":"); has && scheme != "" || person == "" { // nobody knows who calls
		return person
	}
	return "tel:" + person
}

// Came reports whether a provider brought the call; all others were placed here.
func (s State) Came() bool { return s.Arrival != nil }

// AtTrunk reports whether the call came in at a trunk of ours.
func (s State) AtTrunk() bool { return s.Came() && s.Arrival.Trunk != "" }

// Room reports whether the call is a room, in which several may talk.
func (s State) Room() bool { return s.Came() && s.Provider == ProviderLiveKit }

// HasSound reports whether a node here hears the call: any but a simulated one, and a room into which no agent of ours
// has come.
func (s State) HasSound() bool { return s.Provider != ProviderLocal && (!s.Room() || s.Line != "") }

// Joins reports whether the call is in a session that was there before it, and outlives it.
func (s State) Joins() bool { return s.Came() && s.Arrival.Joins }

// RoomName is what a room of a session is called at its provider, the same whoever computes it. No id
// holds two of the lines below in a row where it could be taken for another.
func RoomName(tenantID, projectID, sessionID string) string {
	return roomPrefix(tenantID) + "p_" + projectID + "__s_" + sessionID
}

// clientPrefix is how the person of a call begins that a browser makes in the name of a session.
const clientPrefix = "client:s_"

// Client is the person of a call that a browser makes in the name of a session.
func Client(sessionID string) string { return clientPrefix + sessionID }

// InNameOf is the session in whose name a browser calls; false: somebody else does.
func InNameOf(person string) (sessionID string, is bool) {
	sessionID, is = strings.CutPrefix(person, clientPrefix)
	return sessionID, is && sessionID != ""
}

func roomPrefix(tenantID string) string { return "t_" + tenantID + "__" }

// RoomOf reports whether a room may be one of an account; without one, of any.
func RoomOf(name, tenantID string) bool {
	return tenantID == "" || strings.HasPrefix(name, roomPrefix(tenantID))
}

// LineWithin is how long an answered call waits for the line that its provider opens at once.
const LineWithin = time.Minute

// AwaitLine gives a call that was answered here up where its provider does not open its line: the deadline was that of a telephone that
// rings. What the provider tells of the call later moves it again.
type AwaitLine struct{ At time.Time }

// Decide moves the deadline back, unless it is sooner, or there is a line.
func (c AwaitLine) Decide(s State) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	until := s.AnsweredAt.Add(LineWithin)
	if !s.Answered() || !s.Came() || s.Room() || s.Line != "" || !s.Attempt.Claimed() || !until.Before(s.Attempt.LeaseUntil) ||
		!at.Before(until) {
		return nil, nil
	}
	return []event.Payload{LeaseRenewed{At: at, LeaseUntil: until}}, nil
}

// TakeLine is said by the node to which the provider has opened the sound of a call.
type TakeLine struct {
	Try        string // fresh for each try, so that a node knows its own
	StreamID   string // what the provider calls the stream
	Node       string
	At         time.Time
	LeaseUntil time.Time
}

// LineTaken says which node has the sound of a call, and until when it is trusted.
type LineTaken struct {
	Try        string    `json:"try"`
	StreamID   string    `json:"streamId"`
	Node       string    `json:"node"`
	At         time.Time `json:"at"`
	LeaseUntil time.Time `json:"leaseUntil"`
}

var _ = event.Register[LineTaken](Calls, "line-taken", 1)

// Decide gives a call's line away once: who shows its token again is refused.
func (c TakeLine) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.Line == c.Try && c.Try != "":
		return nil, nil
	case !s.Came():
		return nil, fault.New(fault.NotFound, "there is no such call")
	case s.Line != "":
		return nil, fault.New(fault.Unauthorized, "the token was used")
	case !s.Answered():
		return nil, fault.New(fault.Conflict, "the call is not answered, or over")
	}
	return []event.Payload{LineTaken{Try: c.Try, StreamID: c.StreamID, Node: c.Node, At: event.Stamp(c.At),
		LeaseUntil: event.Stamp(c.LeaseUntil)}}, nil
}

// Apply hands the call to the node, which has to give signs of life from now on.
func (e LineTaken) Apply(s *State) {
	s.Line, s.Node = e.Try, e.Node
	s.Attempt.Start(1, e.Try, e.LeaseUntil)
	s.sign(e.At)
}

// Offer is a call that rings at a trunk of ours, as the trunk tells of it. It is nobody's until the
// log says whose.
type Offer struct {
	TenantID   string
	Trunk      string // its name
	ProviderID string // what the other side calls the call
	Tag        string // by which the other side tells its calls of that name apart
	Branch     string // of the request that brings it: the same request has the same one, however often it comes
	Person     string // who calls: tel:+<digits>, or an address with its scheme; empty: who does not want to be known
	Called     string // our number, as the trunk writes it in full
	Full       bool   // the trunk has as many calls as it may have
}

// Name is what makes of an offer the same call, whichever node it comes to and however often.
func (o Offer) Name() string {
	return strings.Join([]string{o.TenantID, o.Trunk, o.ProviderID, o.Tag}, "\n") // no header holds the end of a line
}

// LongestProviderID is how much another side may call a call, in bytes.
const LongestProviderID = 256
