package voice

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/projections"
)

// Trunk is a SIP trunk as who calls over it needs it.
type Trunk struct {
	TenantID      string
	Name          string
	Address       string
	Transport     trunks.Transport
	Username      string
	Password      string // sealed
	Settings      trunks.Settings
	Unreachable   string // why it does not answer; empty: it does
	RegisteredBy  string // the node
	NotRegistered string // why nobody is
}

const trunkColumns = `tenant, name, address, transport, username, password, settings, unreachable, registered_by, not_registered`

func readTrunk(row pgx.CollectableRow) (Trunk, error) {
	var t Trunk
	var settings []byte
	err := row.Scan(&t.TenantID, &t.Name, &t.Address, &t.Transport, &t.Username, &t.Password, &settings, &t.Unreachable, &t.RegisteredBy,
		&t.NotRegistered)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(settings, &t.Settings)
}

// Trunk is one of a tenant's SIP trunks. ok is false when there is none of the name.
func (v *Setups) Trunk(ctx context.Context, tenant, name string) (t Trunk, ok bool, err error) {
	all, err := v.trunks(ctx, `WHERE tenant = $1 AND name = $2 AND settings IS NOT NULL`, tenant, name)
	if err != nil || len(all) == 0 {
		return t, false, err
	}
	return all[0], true, nil
}

// SIPTrunks are those of all tenants.
func (v *Setups) SIPTrunks(ctx context.Context) ([]Trunk, error) {
	return v.trunks(ctx, `WHERE settings IS NOT NULL ORDER BY tenant, name`)
}

func (v *Setups) trunks(ctx context.Context, where string, args ...any) ([]Trunk, error) {
	rows, err := v.db.Query(ctx, `SELECT `+trunkColumns+` FROM trunks `+where, args...)
	if err != nil {
		return nil, projections.Found(err, "reading trunks")
	}
	all, err := pgx.CollectRows(rows, readTrunk)
	return all, projections.Found(err, "reading trunks")
}

// Keepers say which node keeps which trunk. They are no read model: nobody misses them after a restart.
type Keepers struct{ db *pgxpool.Pool }

// NewKeepers writes through the pool.
func NewKeepers(db *pgxpool.Pool) *Keepers { return &Keepers{db: db} }

// Keep takes a trunk for a node, or takes it for longer. It reports whether the node has it: another may, until
// its time is up.
func (k *Keepers) Keep(ctx context.Context, tenant, name, node string, lease time.Duration) (bool, error) {
	tag, err := k.db.Exec(ctx, `INSERT INTO trunk_keepers AS k (tenant, name, node, until) VALUES ($1, $2, $3, now() + $4)
		ON CONFLICT (tenant, name) DO UPDATE SET node = excluded.node, until = excluded.until WHERE k.node = $3 OR k.until < now()`,
		tenant, name, node, lease)
	return err == nil && tag.RowsAffected() == 1, projections.Found(err, "taking a trunk")
}

// Release lets others take what the node has.
func (k *Keepers) Release(ctx context.Context, node string) error {
	_, err := k.db.Exec(ctx, `DELETE FROM trunk_keepers WHERE node = $1`, node)
	return projections.Found(err, "giving trunks up")
}
