// Package humanagents owns the people who talk to customers: their records, whether
// they are there, and how many conversations they have.
//
// Records stand in the stream of their organisation, so that an e-mail belongs to one
// agent. Presence and capacity stand in a stream of each agent (see Desks), so that
// an agent never has more than it can. The package never chooses an agent for a
// conversation: that is routing's.
package humanagents

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Organisations holds one stream per organisation (see OrganisationStream). Its rules:
//
//   - an e-mail belongs to one agent of the organisation, compared without case
//   - an update leaves what it does not mention
//   - a definition repeated changes nothing, whatever was updated since
var Organisations = event.NewAggregate[Organisation]("organisations", "organisation", event.Quiet)

// OrganisationStream names the stream of an organisation. The separator is a character
// that no id can hold, so that two pairs of ids never share a stream.
func OrganisationStream(tenantID, orgID string) string {
	return Organisations.Stream(tenantID + "." + orgID)
}

// IDPrefix begins the id of every human agent.
const IDPrefix = "a-"

// Organisation is the state of one organisation's stream.
type Organisation struct {
	Agents map[string]Agent  // by id
	Emails map[string]string // the agent's id, by EmailKey
}

// Agent is one human agent as the organisation knows it.
type Agent struct {
	Record
	Declared  Record // the last definition, whatever happened since
	CreatedAt time.Time
	UpdatedAt time.Time
}

// EmailKey is the form in which e-mails are compared: letters of any case are alike.
func EmailKey(emailID string) string { return strings.ToLower(emailID) }

func (o *Organisation) put(a Agent) {
	if o.Agents == nil {
		o.Agents, o.Emails = map[string]Agent{}, map[string]string{}
	}
	if old, ok := o.Agents[a.ID]; ok {
		delete(o.Emails, EmailKey(old.EmailID))
	}
	a.Record, a.Declared = a.Record.Normal(), a.Declared.Normal()
	o.Agents[a.ID] = a
	o.Emails[EmailKey(a.EmailID)] = a.ID
}
