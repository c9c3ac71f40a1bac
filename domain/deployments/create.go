package deployments

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Create makes a deployment, which is the active one of its environment at once.
type Create struct {
	TenantID     string
	ProjectID    string
	ProjectSlug  string
	DeploymentID string
	What
	CreatedBy string
	At        time.Time
}

// Created says that it serves the new sessions of its environment.
type Created struct {
	TenantID     string `json:"tenantId"`
	ProjectID    string `json:"projectId"`
	DeploymentID string `json:"deploymentId"`
	EndpointSlug string `json:"endpointSlug"`
	What
	CreatedBy string    `json:"createdBy"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Created](Deployments, "created", 1)

// Decide refuses one more than there may be.
func (c Create) Decide(s State) ([]event.Payload, error) {
	if err := s.HasRoom(); err != nil {
		return nil, err
	}
	if _, ok := c.Manifest[c.EntryAgent]; !ok {
		return nil, fault.Field("entryAgentName", "is not in agentVersionManifest")
	}
	return []event.Payload{Created{TenantID: c.TenantID, ProjectID: c.ProjectID, DeploymentID: c.DeploymentID,
		EndpointSlug: s.endpoint(c.ProjectSlug, c.Environment, c.DeploymentID), What: c.What, CreatedBy: c.CreatedBy,
		At: event.Stamp(c.At)}}, nil
}

// shortest is how many digits of a deployment's id its endpoint has, unless another one has
// the same.
const shortest = 8

// endpoint names what a deployment is called by from outside: project, environment, and as much
// of the end of its id as makes it unique in the project.
func (s State) endpoint(project, environment, id string) string {
	digits := strings.ReplaceAll(strings.TrimPrefix(id, IDPrefix), "-", "")
	for n := min(shortest, len(digits)); ; n++ {
		slug := project + "-" + environment + "-" + digits[len(digits)-n:]
		if n == len(digits) || !s.hasEndpoint(slug) {
			return slug
		}
	}
}

func (s State) hasEndpoint(slug string) bool {
	for _, d := range s.Deployments {
		if d.Endpoint == slug {
			return true
		}
	}
	return false
}

// HasRoom refuses where one more may not be: who prepares something for a deployment asks it
// before.
func (s State) HasRoom() error {
	if len(s.Deployments) >= MostDeployments {
		return fault.New(fault.LimitReached, "a project has at most %d deployments", MostDeployments)
	}
	return nil
}

// Apply folds the event.
func (e Created) Apply(s *State) {
	what := e.What
	what.Manifest = maps.Clone(what.Manifest)
	s.put(Deployment{What: what, ID: e.DeploymentID, Endpoint: e.EndpointSlug, Status: Active})
}

func (s *State) put(d Deployment) {
	if s.Deployments == nil {
		s.Deployments = map[string]Deployment{}
	}
	s.Deployments[d.ID] = d
}

// Promote makes a deployment of another environment out of one, with the very same versions.
type Promote struct {
	From         string
	To           string // empty: the environment behind that one
	Label        string
	SkipTests    bool
	TenantID     string
	ProjectID    string
	ProjectSlug  string
	DeploymentID string
	CreatedBy    string
	At           time.Time
}

// Decide refuses to promote from the last environment, and to one that does not come behind
// the one where it is.
func (c Promote) Decide(s State) ([]event.Payload, error) {
	from, err := s.find(c.From)
	if err != nil {
		return nil, err
	}
	to := c.To
	if to == "" {
		to = After(from.Environment)
	}
	switch to {
	case "":
		return nil, fault.Field("targetEnvironment", "is required: nothing comes behind %s", from.Environment)
	case from.Environment:
		return nil, fault.Field("targetEnvironment", "is where the deployment is")
	}
	if from.Environment == Environments[len(Environments)-1] {
		return nil, fault.Field("deploymentId", "is in production, from which nothing is promoted")
	}
	if slices.Index(Environments, to) < slices.Index(Environments, from.Environment) {
		return nil, fault.Field("targetEnvironment", "comes before %s, where the deployment is: it is promoted forward only", from.Environment)
	}
	what := from.What
	what.Environment, what.PromotedFrom, what.SkipTests = to, from.ID, c.SkipTests
	if c.Label != "" {
		what.Label = c.Label
	}
	return Create{TenantID: c.TenantID, ProjectID: c.ProjectID, ProjectSlug: c.ProjectSlug, DeploymentID: c.DeploymentID,
		What: what, CreatedBy: c.CreatedBy, At: c.At}.Decide(s)
}
