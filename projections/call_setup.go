package projections

import "github.com/parley-platform/parley/domain/flows"

// CallSetup is what the tenant has set up for a call.
type CallSetup struct {
	Trunk    string // empty: there is none by that name, or no default
	Provider string
	Flow     flows.Flow // chosen by the caller's number; zero: none
	AgentDSL string     // what the flow's agent is deployed with (see AgentSource); empty when it names none
}
