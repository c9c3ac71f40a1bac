package connections

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Create makes a connection. What it is called by was claimed for it before.
type Create struct {
	ConnectionID string
	ClaimID      string // by which the external identifier was claimed
	TenantID     string
	ProjectID    string
	Kind         Kind
	External     string // as Kind.CheckExternal gives it
	Settings     Settings
	Credentials  map[string]Credential
	At           time.Time
}

// Created says that messages may come by the connection.
type Created struct {
	ConnectionID string                `json:"connectionId"`
	ClaimID      string                `json:"claimId"`
	TenantID     string                `json:"tenantId"`
	ProjectID    string                `json:"projectId"`
	Kind         string                `json:"channelType"`
	External     string                `json:"externalIdentifier"`
	Settings     Settings              `json:"settings"`
	Credentials  map[string]Credential `json:"credentials"`
	At           time.Time             `json:"at"`
}

var _ = event.Register[Created](Connections, "created", 1)

// Decide refuses what somebody else has taken meanwhile.
func (c Create) Decide(s State) ([]event.Payload, error) {
	settings, err := c.settings()
	switch {
	case slices.Contains(s.GivenUp, c.ClaimID):
		return nil, Taken()
	case s.ID != "":
		return nil, fault.New(fault.Conflict, "the connection %s exists already", s.ID)
	case err != nil:
		return nil, err
	}
	return []event.Payload{Created{ConnectionID: c.ConnectionID, ClaimID: c.ClaimID, TenantID: c.TenantID, ProjectID: c.ProjectID,
		Kind: c.Kind.Slug, External: c.External, Settings: settings, Credentials: held(c.Credentials), At: event.Stamp(c.At)}}, nil
}

func held(c map[string]Credential) map[string]Credential {
	if c == nil {
		return map[string]Credential{}
	}
	return c
}

// Check says what is wrong with the connection that is to be made, before anything is claimed
// for it.
func (c Create) Check() error {
	_, err := c.settings()
	return err
}

func (c Create) settings() (Settings, error) {
	given := c.Settings
	given.Name = cmp.Or(strings.TrimSpace(given.Name), c.External)
	settings, err := given.clean()
	if err != nil {
		return settings, err
	}
	return settings, c.Kind.lacks(c.Credentials)
}

// clean gives settings as they are stored.
func (s Settings) clean() (Settings, error) {
	var f fault.Fields
	var problem string
	if s.Name, problem = access.CleanText(s.Name, MaxName); problem != "" {
		f.Add("name", "%s", problem)
	}
	if s.AgentName = strings.TrimSpace(s.AgentName); s.AgentName != "" {
		if s.AgentName, problem = access.CleanName(s.AgentName); problem != "" {
			f.Add("agentName", "%s", problem)
		}
	}
	if s.DeploymentID != "" && !access.ValidID(s.DeploymentID) {
		f.Add("deploymentId", "must be the id of a deployment")
	}
	if s.Environment != "" && !slices.Contains(deployments.Environments, s.Environment) {
		f.Add("environment", "must be one of %s", strings.Join(deployments.Environments, ", "))
	}
	return s, f.Err()
}

// MaxName is the longest name of a connection, in characters: longer than any external
// identifier, which it is without one of its own.
const MaxName = 300

// Apply folds the event.
func (e Created) Apply(s *State) {
	*s = State{ID: e.ConnectionID, TenantID: e.TenantID, ProjectID: e.ProjectID, Kind: e.Kind, External: e.External, Settings: e.Settings,
		Credentials: maps.Clone(e.Credentials), CreatedAt: e.At, UpdatedAt: e.At, ClaimID: e.ClaimID,
		GivenUp: s.GivenUp}
}
