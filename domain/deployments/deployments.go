// Package deployments owns what of a project's agents is live: which versions, in which
// environment, and until when.
//
// It never reads a source: that the versions exist and compile is known to who deploys
// them. It never runs an agent.
package deployments

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Deployments holds one stream per project (see Stream). Its rules:
//
//   - what a deployment serves never changes, and no two are called alike from outside
//   - the one of an environment that was made active last serves its new sessions
//   - one that is retired serves the sessions that it has for a while, then none
//   - one that is retired can be made the active one again, at any time
var Deployments = event.NewAggregate[State]("deployments", "deployments", event.Quiet)

// Stream names the stream of a project's deployments.
func Stream(tenantID, projectID string) string { return Deployments.Stream(tenantID + "." + projectID) }

// IDPrefix is what ids of deployments begin with.
const IDPrefix = "d-"

// Environments are where agents are deployed, from the first to the last.
var Environments = []string{"dev", "staging", "production"}

// MostDeployments is how many a project may have.
const MostDeployments = 1_000

// Pin is one version of an agent.
type Pin struct {
	AgentID string `json:"agentId"`
	Version int    `json:"version"`
	Hash    string `json:"hash"` // of its source
}

// What is what a deployment serves, and what is said of it.
type What struct {
	Environment       string                     `json:"environment"`
	Label             string                     `json:"label,omitempty"`
	Description       string                     `json:"description,omitempty"`
	EntryAgent        string                     `json:"entryAgent"`
	Manifest          map[string]Pin             `json:"manifest"` // by the agents' names
	Overrides         map[string]json.RawMessage `json:"modelOverrides,omitempty"`
	Workflows         map[string]int             `json:"workflows,omitempty"`         // versions by name
	WorkflowIDs       map[string]string          `json:"workflowIds,omitempty"`       // which workflow a name was, whatever it is called later
	SettingsVersionID string                     `json:"settingsVersionId,omitempty"` // of the project's settings; empty: the newest at each moment
	PromotedFrom      string                     `json:"promotedFrom,omitempty"`
	SkipTests         bool                       `json:"skipTests,omitempty"`
}

// Status of a deployment.
type Status string

// The statuses.
const (
	Active  Status = "active"
	Retired Status = "retired"
)

// Deployment is one of them.
type Deployment struct {
	What
	ID       string
	Endpoint string // what it is called by from outside
	Status   Status
	DrainAt  time.Time // of a retired one: from then on it serves nothing
	Drained  bool      // that it has come
}

// State is the state of one project's stream.
type State struct {
	Deployments map[string]Deployment // by id
}

func (s State) find(id string) (Deployment, error) {
	d, ok := s.Deployments[id]
	if !ok {
		return d, Unknown()
	}
	return d, nil
}

// Unknown is the refusal of a deployment that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such deployment") }

// nextDrain is when the next of those that are retired serves nothing more, with a change
// of one of them; nil: there is none.
func (s State) nextDrain(changed Deployment) *time.Time {
	var next *time.Time
	look := func(d Deployment) {
		if d.Status == Retired && !d.Drained && (next == nil || d.DrainAt.Before(*next)) {
			at := d.DrainAt
			next = &at
		}
	}
	for id, d := range s.Deployments {
		if id != changed.ID {
			look(d)
		}
	}
	look(changed)
	return next
}

// Serves says which sessions a deployment serves at a moment: new ones, and those that it
// has.
func Serves(status Status, drainAt *time.Time, at time.Time) (fresh, begun bool) {
	if status == Active {
		return true, true
	}
	return false, drainAt != nil && at.Before(*drainAt)
}

// Begins refuses new sessions where a deployment serves none.
func Begins(status Status, drainAt *time.Time, at time.Time) error {
	if fresh, _ := Serves(status, drainAt, at); !fresh {
		return fault.New(fault.Gone, "the deployment is retired")
	}
	return nil
}

// After is the environment behind another; empty: there is none.
func After(environment string) string {
	i := slices.Index(Environments, environment)
	if i < 0 || i+1 == len(Environments) {
		return ""
	}
	return Environments[i+1]
}

const (
	largestOverride = 4 << 10 // bytes
	deepestOverride = 5
)

// ReadOverride is what a deployment says in place of an agent's MODEL. Members that it does not
// know stay where they are, and say nothing. What is wrong is named, and then it says nothing.
func ReadOverride(agent string, raw json.RawMessage) (dsl.Override, fault.Fields) {
	return readOverride(agent, raw, 0)
}

// NewOverride reads one that is to be deployed. A maxTokens of 0, which says nothing in those that are, is wrong.
func NewOverride(agent string, raw json.RawMessage) (dsl.Override, fault.Fields) {
	return readOverride(agent, raw, 1)
}

func readOverride(agent string, raw json.RawMessage, fewestTokens float64) (dsl.Override, fault.Fields) {
	var f fault.Fields
	if len(raw) > largestOverride || !attached.IsObject(raw, deepestOverride) {
		f.Add("modelOverrides", "of %s must be an object of at most %d bytes and %d levels", agent, largestOverride, deepestOverride)
		return dsl.Override{}, f
	}
	var written struct {
		dsl.Override
		MaxTokens *float64 `json:"maxTokens"` // a whole number may be written as 5000.0 or 5e3
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, &written); {
	case errors.As(err, &wrong):
		f.Add("modelOverrides."+agent+"."+strings.TrimPrefix(wrong.Field, "Override."), "must not be a %s", wrong.Value)
	case err != nil:
		f.Add("modelOverrides", "of %s must be an object", agent)
	default:
		if n := written.MaxTokens; n != nil {
			written.Override.MaxTokens = -1 // what is none is told with what is beyond its bounds
			if *n == math.Trunc(*n) && *n >= fewestTokens && *n <= math.MaxInt32 {
				written.Override.MaxTokens = int(*n)
			}
		}
		written.Check("modelOverrides."+agent, &f)
	}
	if len(f) > 0 {
		return dsl.Override{}, f
	}
	return written.Override, nil
}
