package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// Lists are the contact lists of a project, by name, as they were at a version of their
// stream, without those who were erased since. The events are read one by one, and only what
// stands at that version is kept.
func (x *Runs) Lists(ctx context.Context, tenant, project string, version int64) (map[string][]contactlists.Contact, error) {
	rows, err := x.db.Query(ctx, `SELECT id::text, type, key_id, data FROM events WHERE stream = $1 AND version <= $2 ORDER BY version`,
		contactlists.Stream(tenant, project), version)
	if err != nil {
		return nil, fmt.Errorf("reading contact lists: %w", err)
	}
	defer rows.Close()
	names, members := map[string]string{}, map[string][]contactlists.Contact{}
	for rows.Next() {
		var r eventstore.Record
		if err := rows.Scan(&r.ID, &r.Type, &r.KeyID, &r.Data); err != nil {
			return nil, fmt.Errorf("reading contact lists: %w", err)
		}
		if err := eventstore.Open(ctx, x.keys, contactlists.Lists.Category, &r); err != nil {
			return nil, fmt.Errorf("reading contact lists: %w", err)
		}
		e, err := contactlists.Lists.Decode(r.Type, r.Data)
		if err != nil {
			return nil, fmt.Errorf("reading contact lists: %w", err)
		}
		keepList(names, members, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading contact lists: %w", err)
	}
	out := map[string][]contactlists.Contact{}
	for id, name := range names {
		out[name] = slices.DeleteFunc(members[id], func(c contactlists.Contact) bool { return c.PhoneNumber == projections.Erased })
	}
	return out, nil
}

func keepList(names map[string]string, members map[string][]contactlists.Contact, e event.Payload) {
	switch e := e.(type) {
	case contactlists.ListDefined:
		names[e.ListID] = e.Name
	case contactlists.ContactsPut:
		members[e.ListID] = append(members[e.ListID][:e.First:e.First], e.Contacts...)
	case contactlists.ListRemoved:
		delete(names, e.ListID)
		delete(members, e.ListID)
	}
}

// RunTerms is what the contacts of a run are reached with.
type RunTerms struct {
	ProjectID, CampaignID string
	Kind                  campaigns.Kind
	OurNumber, FlowID     string
	MachineDetect         bool
	MessageText           string
	Hours                 campaigns.Hours
	Unreached             string                // the trunk of calls, where it is not reached, nor any that takes its place
	Call                  projections.CallSetup `db:"-"` // as it stands now; without a flow when that was removed
	Contacts              []RunContact          `db:"-"`
}

// RunContact is a contact of a run that has its turn.
type RunContact struct {
	Index int
	contactlists.Contact
}

// Terms finds the terms of a run, and those of its contacts with these indexes that
// were taken and have no outcome yet.
func (x *Runs) Terms(ctx context.Context, tenant, runID string, indexes []int) (RunTerms, error) {
	found, ok, err := projections.One[foundTerms](ctx, x.db, "reading the terms of run "+runID,
		`SELECT r.project_id, r.campaign_id, r.kind,
			r.caller AS our_number, r.flow_id, r.machine_detect, r.message_text, r.hours,
			coalesce(t.name, '') AS trunk, coalesce(t.provider, '') AS provider,
			CASE WHEN t.unreachable <> '' AND NOT EXISTS (SELECT FROM trunks o WHERE o.tenant = t.tenant AND t.settings->'fallbacks' ? o.name
				AND o.settings IS NOT NULL AND o.unreachable = '') THEN t.name ELSE '' END AS unreached,
			coalesce(f.flow_id, '') AS flow_now, coalesce(f.name, '') AS flow_name, coalesce(f.agent_name, '') AS flow_agent,
			coalesce(f.language, '') AS flow_language, coalesce(f.recording, false) AS flow_recording, coalesce(a.dsl, '') AS agent_dsl
		FROM campaign_runs r
		LEFT JOIN default_trunks d ON d.tenant = r.tenant
		LEFT JOIN trunks t ON t.tenant = r.tenant AND t.name = d.name
		LEFT JOIN flows f ON f.tenant = r.tenant AND f.project_id = r.project_id AND f.flow_id = r.flow_id
		`+projections.AgentSource+`
		WHERE r.tenant = $1 AND r.instance_id = $2`, tenant, runID)
	if err != nil {
		return RunTerms{}, err
	}
	if !ok {
		return RunTerms{}, fmt.Errorf("reading the terms of run %s: %w", runID, pgx.ErrNoRows)
	}
	t := found.RunTerms
	t.Call = projections.CallSetup{Trunk: found.Trunk, Provider: found.Provider, AgentDSL: found.AgentDSL,
		Flow: flows.Flow{ID: found.FlowNow, Name: found.FlowName, AgentName: found.FlowAgent, Language: found.FlowLanguage,
			Recording: found.FlowRecording}}
	t.Contacts, err = x.contacts(ctx, tenant, runID, indexes)
	return t, err
}

// foundTerms is the row of terms: what the run was opened with, and what there is now.
type foundTerms struct {
	RunTerms
	Trunk, Provider                            string
	FlowNow, FlowName, FlowAgent, FlowLanguage string
	FlowRecording                              bool
	AgentDSL                                   string
}

func (x *Runs) contacts(ctx context.Context, tenant, runID string, indexes []int) ([]RunContact, error) {
	rows, err := x.db.Query(ctx, `SELECT o.idx, c.data FROM campaign_outcomes o LEFT JOIN campaign_contacts c ON c.tenant = o.tenant
		AND c.instance_id = o.instance_id AND c.idx = o.idx
		WHERE o.tenant = $1 AND o.instance_id = $2 AND o.idx = ANY($3) AND o.status = 'taken' ORDER BY o.idx`, tenant, runID, indexes)
	if err != nil {
		return nil, fmt.Errorf("reading contacts of run %s: %w", runID, err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c RunContact, err error) {
		var data json.RawMessage
		if err := r.Scan(&c.Index, &data); err != nil {
			return c, err
		}
		err = json.Unmarshal(data, &c.Contact) // one that was never listed has no data, and is an error
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading contacts of run %s: %w", runID, err)
	}
	return out, nil
}
