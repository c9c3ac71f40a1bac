package doctor

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// dataKeys reads the keys of personal members, and compares them with those that the read
// models have met.
func (c *Command) dataKeys(ctx context.Context, x *examination) error {
	master, err := vault.Open(c.keysetFile())
	if err != nil {
		return nil // said already
	}
	keys, err := keyring.ReadCopy(ctx, x.log.Keys(), master)
	if err != nil {
		return err
	}
	n := keys.Count(master)
	if n.Closed > 0 {
		x.find(failure, "data keys", "start the nodes with the keyset that wrapped them (--keyset): what was sealed with them cannot be read",
			"%d of %d data keys do not open with this keyset", n.Closed, n.Live)
		return nil
	}
	lost, err := lostKeys(ctx, x, keys)
	if err != nil {
		return err
	}
	if lost > 0 {
		x.find(failure, "data keys", "bring the topic parley.keys back as it was, or write back what is known of it: parley keys mend",
			"%d data keys that nodes have read are not on parley.keys any more, and were not erased", lost)
		return nil
	}
	if n.Older > 0 {
		x.find(warning, "data keys", "run: parley keys rewrap", "%d of %d data keys are wrapped by an older master key", n.Older, n.Live)
		return nil
	}
	x.find(fine, "data keys", "", "all %d data keys open with this keyset; %d are erased", n.Live, n.Erased)
	return nil
}

// lostKeys counts those of the table that the topic does not have.
func lostKeys(ctx context.Context, x *examination, keys *keyring.Copy) (lost int, err error) {
	rows, err := x.db.Queries.Query(ctx, `SELECT id FROM data_keys`)
	if err != nil {
		return 0, err
	}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		if !keys.Has(sealed.ID(id)) {
			lost++
		}
		return nil
	})
	return lost, err
}
