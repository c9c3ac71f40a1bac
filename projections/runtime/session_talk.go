package runtime

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/projections"
)

// Talk is a session in which something is about to be said, with the deployment by which it goes.
type Talk struct {
	Session
	Pins
	Deployment deployments.Status // empty: the session has none, or there is none any more
	DrainAt    *time.Time
}

// Serves refuses where the deployment of the session serves none any more that has begun.
func (t Talk) Serves(now time.Time) error {
	if t.Deployment == "" {
		return deployments.Unknown()
	}
	if _, begun := deployments.Serves(t.Deployment, t.DrainAt, now); !begun {
		return fault.New(fault.Gone, "the deployment of the session is retired")
	}
	return nil
}

type talkRow struct {
	Tenant string
	Talk
	Held   *projectsettings.Settings // by the session's deployment
	Newest *projectsettings.Settings
}

// ToTalk finds a session of a tenant, with what each message in it asks for: its deployment, and the settings that
// hold, which the piece of work knows from then on (see ProjectSettings.Held). It is one query for all of it, and
// for all who ask at once.
func (x *Sessions) ToTalk(ctx context.Context, tenant, id string) (Talk, bool, error) {
	asked := time.Now()
	found, ok, err := x.talk.Get(ctx, ofTenant{tenant, id})
	if err != nil || !ok {
		return Talk{}, false, err
	}
	for deployment, held := range map[string]*projectsettings.Settings{"": found.Newest, found.DeploymentID: found.Held} {
		projections.Known(ctx, settingsKey{tenant, found.ProjectID, deployment}, asked, orNone(held))
	}
	return found.Talk, true, nil
}

func (x *Sessions) askToTalk(ctx context.Context, keys []ofTenant) (map[ofTenant]talkRow, error) {
	found, err := projections.All[talkRow](ctx, x.db, "reading sessions that go on", `SELECT p.*,
			coalesce(d.status, '') AS deployment, d.drain_at, coalesce(d.manifest, '{}') AS manifest, coalesce(d.overrides, '{}') AS overrides,
			held.settings AS held, newest.settings AS newest
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) q(tenant, id)
		CROSS JOIN LATERAL (`+sessionColumns+`, s.tenant FROM sessions s WHERE session_id = q.id AND tenant = q.tenant LIMIT 1) p
		LEFT JOIN LATERAL (SELECT status, drain_at, manifest, overrides, settings_version FROM deployments
			WHERE deployment_id = p.deployment_id AND tenant = p.tenant AND project_id = p.project_id LIMIT 1) d ON true`+settingsThatHold,
		projections.Column(keys, func(k ofTenant) string { return k.tenant }), projections.Column(keys, func(k ofTenant) string { return k.id }))
	out := make(map[ofTenant]talkRow, len(found))
	for _, f := range found {
		out[ofTenant{f.Tenant, f.SessionID}] = f
	}
	return out, err
}
