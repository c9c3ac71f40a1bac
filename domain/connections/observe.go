package connections

import (
	"maps"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// About is what is needed for people to talk by a connection.
type About string

// What is needed of the provider, and of the account itself.
const (
	Webhook   About = "webhook"   // that it sends us what people say
	Sending   About = "sending"   // that it takes what is said back
	Answering About = "answering" // that a session can begin: something is deployed, and has the agent
)

// Trouble is why it is not so. Code and reason hold no secret.
type Trouble struct {
	Code   string    `json:"code"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`

	DeploymentID string `json:"deploymentId,omitempty"` // about answering: that would have; empty: none began sessions
}

// Gone is a connection that is not there any more, and whose provider is still to be told so.
type Gone struct {
	ID          string
	TenantID    string
	ProjectID   string
	Kind        string
	External    string
	Credentials map[string]Credential
}

// Observe notes how it stands with a connection.
type Observe struct {
	About   About
	Trouble *Trouble  // nil: it is so
	URL     string    // that was registered as the webhook; empty: none is
	Of      time.Time // when what was asked for last changed; zero: that does not matter
	At      time.Time
}

// Observed says how it stands with a connection from now on.
type Observed struct {
	ConnectionID string    `json:"connectionId"`
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	Kind         string    `json:"channelType"`
	About        About     `json:"about"`
	Trouble      *Trouble  `json:"trouble,omitempty"`
	URL          string    `json:"url,omitempty"`
	At           time.Time `json:"at"`
}

var _ = event.Register[Observed](Connections, "observed", 1)

// Decide says nothing where nothing is new, and where what was asked for has changed meanwhile.
func (c Observe) Decide(s State) ([]event.Payload, error) {
	out := Observed{ConnectionID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, Kind: s.Kind, About: c.About, URL: c.URL,
		At: event.Stamp(c.At)}
	was, troubled := s.Troubles[c.About]
	switch g := s.Gone; {
	case s.ID == "" && g != nil && c.About == Webhook && c.Trouble == nil && c.URL == "":
		out.ConnectionID, out.TenantID, out.ProjectID, out.Kind = g.ID, g.TenantID, g.ProjectID, g.Kind
		return []event.Payload{out}, nil
	case s.ID == "", !c.Of.IsZero() && !c.Of.Equal(s.UpdatedAt):
		return nil, nil
	case c.Trouble != nil && troubled && was.same(*c.Trouble):
		return nil, nil
	case c.Trouble == nil && !troubled && (c.About != Webhook || s.Settled && c.URL == s.WebhookURL):
		return nil, nil
	}
	if out.Trouble = c.Trouble; out.Trouble != nil {
		wrong := *c.Trouble
		wrong.At, out.Trouble = out.At, &wrong
		out.URL = s.WebhookURL
	}
	return []event.Payload{out}, nil
}

func (t Trouble) same(u Trouble) bool {
	t.At = u.At
	return t == u
}

// Apply keeps it until the connection changes.
func (e Observed) Apply(s *State) {
	if s.ID == "" {
		s.Gone = nil
		return
	}
	s.Troubles = maps.Clone(s.Troubles)
	if delete(s.Troubles, e.About); e.Trouble != nil {
		if s.Troubles == nil {
			s.Troubles = map[About]Trouble{}
		}
		s.Troubles[e.About] = *e.Trouble
	}
	if e.About == Webhook && e.Trouble == nil {
		s.WebhookURL, s.Settled = e.URL, true
	}
}

// LastError is what is wrong with the connection at the moment, the newest first; nil: nothing.
func (s State) LastError() (about About, t *Trouble) {
	for _, a := range []About{Webhook, Sending, Answering} {
		if had, is := s.Troubles[a]; is && (t == nil || had.At.After(t.At)) {
			about, t = a, &had
		}
	}
	return about, t
}
