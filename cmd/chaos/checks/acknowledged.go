package checks

import (
	"encoding/json"
	"fmt"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// operations are the ids under which the API declares what the callers do: part of
// what a request id is derived from.
var operations = map[load.Kind]string{load.DialOut: "dial-out", load.CreateKey: "create-api-key", load.RevokeKey: "revoke-api-key",
	load.SetScope:       "update-scope",
	load.CreateCampaign: "create-campaign", load.Trigger: "trigger-campaign", load.Assign: "assign-conversation",
	load.SetPresence: "set-human-agent-presence"}

// idle are changes that leave nothing on the log when all was so already.
var idle = map[load.Kind]bool{load.SetScope: true, load.SetPresence: true}

// Acknowledged checks that each 2xx names a commit that the fold accepts, once per
// request id, with the values that the reply showed; and that what was refused for
// good never took effect.
func Acknowledged(f *Fold, ops []load.Op, v *vault.Vault, tenant string, out *Findings) {
	for id, commits := range f.Requests {
		if len(commits) > 1 {
			out.Doubled++
			out.Add("doubled", "request %s was accepted %d times: %s v%d and %s v%d", id, len(commits), commits[0][0].Stream, commits[0][0].Version,
				commits[1][0].Stream, commits[1][0].Version)
		}
	}
	for _, op := range ops {
		if !op.Kind.Writes() {
			continue
		}
		commits := f.Requests[eventstore.RequestID(v.MAC, tenant, operations[op.Kind], op.Path, op.Key)]
		switch op.Outcome {
		case load.Refused:
			if len(commits) > 0 {
				out.Add("refused", "%s under key %s was refused for good, and is accepted at %s v%d", op.Kind, op.Key, commits[0][0].Stream,
					commits[0][0].Version)
			}
		case load.OK:
			out.Acknowledged++
			if len(commits) == 0 && idle[op.Kind] {
				out.Found++
				continue
			}
			if len(commits) == 0 {
				out.Lost++
				out.Add("lost", "%s under key %s was acknowledged (%+v), and the log has no accepted commit of it", op.Kind, op.Key,
					op.Tries[len(op.Tries)-1])
				continue
			}
			if err := shows(op, commits[0]); err != nil {
				out.Lost++
				out.Add("values", "%s under key %s: %v", op.Kind, op.Key, err)
				continue
			}
			out.Found++
		}
	}
}

// shows compares the commit with the answer.
func shows(op load.Op, commit []*eventstore.Record) error {
	switch op.Kind {
	case load.DialOut:
		e, err := eventOf[calls.Requested](calls.Calls.Category, commit)
		if err == nil && (e.CallID != op.CallID || e.SID != op.SID || e.Target != op.Target) {
			err = fmt.Errorf("answered call %s, leg %s, to %s; on the log is call %s, leg %s, to %s", op.CallID, op.SID, op.Target, e.CallID, e.SID,
				e.Target)
		}
		return err
	case load.CreateKey:
		e, err := eventOf[access.KeyCreated](access.Scopes.Category, commit)
		if err == nil && (e.KeyID != op.KeyID || e.Name != op.Name) {
			err = fmt.Errorf("answered key %s named %q; on the log is %s named %q", op.KeyID, op.Name, e.KeyID, e.Name)
		}
		return err
	case load.RevokeKey:
		e, err := eventOf[access.KeyRevoked](access.Scopes.Category, commit)
		if err == nil && e.KeyID != op.KeyID {
			err = fmt.Errorf("answered key %s, on the log is %s", op.KeyID, e.KeyID)
		}
		return err
	case load.SetScope:
		e, err := eventOf[access.PermissionsChanged](access.Scopes.Category, commit)
		if err == nil && numberOf(e.Permissions)&^op.Number != 0 {
			err = fmt.Errorf("left %013b, on the log is %013b", op.Number, numberOf(e.Permissions))
		}
		return err
	case load.CreateCampaign, load.Trigger:
		return showsCampaign(op, commit)
	default:
		return showsTransfer(op, commit)
	}
}

func showsCampaign(op load.Op, commit []*eventstore.Record) error {
	var id, runID string
	var err error
	switch op.Campaign.Trigger {
	case "":
		var e campaigns.Defined
		e, err = eventOf[campaigns.Defined](campaigns.Campaigns.Category, commit)
		id = e.CampaignID
	case "play":
		var e campaigns.Started
		e, err = eventOf[campaigns.Started](campaigns.Campaigns.Category, commit)
		id, runID = e.CampaignID, e.RunID
	case "pause":
		var e campaigns.RunPaused
		e, err = eventOf[campaigns.RunPaused](campaigns.Campaigns.Category, commit)
		id, runID = e.CampaignID, e.RunID
	default:
		var e campaigns.RunResumed
		e, err = eventOf[campaigns.RunResumed](campaigns.Campaigns.Category, commit)
		id, runID = e.CampaignID, e.RunID
	}
	if err == nil && (id != op.Campaign.ID || runID != op.Campaign.RunID) {
		err = fmt.Errorf("answered campaign %s, run %q; on the log is campaign %s, run %q", op.Campaign.ID, op.Campaign.RunID, id, runID)
	}
	return err
}

func showsTransfer(op load.Op, commit []*eventstore.Record) error {
	asked := op.Transfer
	if op.Kind == load.SetPresence {
		e, err := eventOf[humanagents.AgentPresenceChanged](humanagents.Desks.Category, commit)
		if err == nil && (e.HumanAgentID != asked.Agent || string(e.Type) != asked.Presence) {
			err = fmt.Errorf("asked for %s %s, on the log is %s %s", asked.Agent, asked.Presence, e.HumanAgentID, e.Type)
		}
		return err
	}
	e, err := eventOf[transfers.Requested](transfers.Transfers.Category, commit)
	if err == nil && (e.TransferID != asked.ID || e.SessionID != asked.Session || e.HumanAgentID != asked.Agent || e.QueueID != asked.Queue) {
		err = fmt.Errorf("asked for %+v, on the log is transfer %s of session %s to %s%s", asked, e.TransferID, e.SessionID, e.HumanAgentID,
			e.QueueID)
	}
	return err
}

func numberOf(permissions map[access.KeyPermission]string) int {
	plain := map[string]string{}
	for name, value := range permissions {
		plain[string(name)] = value
	}
	return load.NumberOf(plain)
}

// eventOf finds the event of a type in a commit.
func eventOf[E event.Payload](c *event.Category, commit []*eventstore.Record) (E, error) {
	var none E
	for _, r := range commit {
		p, err := c.Decode(r.Type, r.Data)
		if err != nil {
			return none, err
		}
		if e, ok := p.(E); ok {
			return e, nil
		}
	}
	return none, fmt.Errorf("the commit %s holds no %T", commit[0].Commit, none)
}

// same compares two payloads as the log would hold them.
func same(a, b event.Payload) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}
