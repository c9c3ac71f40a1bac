package calls

import (
	"maps"

	"github.com/parley-platform/parley/domain/sessions"
)

// Agent is how the agent that takes a call runs: by which deployment, with which sources. A
// session that goes by it can be opened by anybody, and by two at once.
type Agent struct {
	DeploymentID string                     `json:"deploymentId,omitempty"` // empty: working copies
	Environment  string                     `json:"environment,omitempty"`
	Manifest     map[string]sessions.Pinned `json:"manifest"`
	Language     string                     `json:"language,omitempty"`
}

func (a *Agent) clone() *Agent {
	if a == nil {
		return nil
	}
	c := *a
	c.Manifest = maps.Clone(a.Manifest)
	return &c
}

// Talks reports whether the call has an agent that hears and answers. Of any other that is
// said which it says first, and no more.
func (s State) Talks() bool { return s.Agent != nil }
