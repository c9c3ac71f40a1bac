package keys

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// MendCmd writes back to parley.keys what it lacks.
type MendCmd struct {
	GiveUpLost bool `help:"Let keys that are nowhere count as erased: what was sealed with them then reads [erased], for ever."`
	connect.PartsFlags
	Show show.Flags `embed:""`
}

// Help says when to use it.
func (*MendCmd) Help() string {
	return `The topic parley.keys holds the keys that personal members of events are sealed with. Where it was cut, lost, or an
older copy of it was put in place, nodes do not start, and doctor says so. First look for the newest copy of the topic
and put it in place. Then this reads the whole log, and writes back:
  - that a key is erased, for every key that an erasure on the log is about: what came back with an old copy goes again;
  - the keys that the database remembers and the topic lacks.
It says how many keys are still missing that events need. Partitions with such events stand still until the keys are
back, or --give-up-lost lets them count as erased. It may be ended (Ctrl-C, kill -9) and begun again, and nodes may
run meanwhile. The heads of a partition's streams are in memory, about 200 bytes a stream.

Examples:
  parley keys mend --data .data
  parley keys mend --kafka-brokers kafka:9092 --database-url postgres://parley@db/parley
  parley keys mend --kafka-brokers kafka:9092 --database-url postgres://parley@db/parley --give-up-lost`
}

// mended is what is told.
type mended struct {
	keyring.Mended
	Lost int `json:"lost"` // keys that events need and nobody has
}

// Run mends.
func (c *MendCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	log, db, closeAll, err := c.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer closeAll()
	done, err := c.mend(ctx, log, db)
	if err != nil {
		return fmt.Errorf("keys mend: %w; the same command goes on", err)
	}
	out := show.To(os.Stdout, c.Show)
	if out.JSON() {
		err = out.Object(done)
	} else {
		err = out.Say("%d keys are erased again, %d are back, %d were given up", done.Erased, done.Returned, done.GivenUp)
	}
	if err == nil && done.Lost > 0 {
		err = fmt.Errorf("keys mend: %d keys that events need are nowhere: put a newer copy of %s in place, or give them up with "+
			"--give-up-lost", done.Lost, kafka.KeysTopic)
	}
	return err
}

func (c *MendCmd) mend(ctx context.Context, log *kafka.Log, db *postgres.DB) (done mended, err error) {
	if err := sameLog(ctx, log, db.Queries.Config().ConnString()); err != nil {
		return done, err
	}
	topic, err := log.OpenKeys(ctx, false)
	if err != nil {
		return done, err
	}
	m := &keyring.Mending{Topic: topic, Now: time.Now}
	if err := m.Begin(ctx); err != nil {
		return done, err
	}
	used := map[sealed.ID]bool{}
	usage, err := readUsage(ctx, log, func(id sealed.ID) { used[id] = true }, func(done, of int) {
		fmt.Fprintf(os.Stderr, "parley: %d of %d topics read\n", done, of)
	})
	if err != nil {
		return done, err
	}
	if err := usage.erasedKeys(ctx, func(ids []sealed.ID) error { return m.Erase(ctx, ids) }); err != nil {
		return done, err
	}
	table := postgres.DataKeys{Pool: db.Queries}
	if err := m.Return(ctx, table.All(ctx)); err != nil {
		return done, err
	}
	lost, err := m.Lost(ctx, slices.Collect(maps.Keys(used)))
	if err == nil && c.GiveUpLost {
		err, lost = m.GiveUp(ctx, lost), nil
	}
	if err != nil {
		return done, err
	}
	end, err := topic.End(ctx)
	if err == nil {
		err = table.Reread(ctx, end)
	}
	return mended{m.Done(), len(lost)}, err
}

// sameLog refuses a database that was built from another log: its keys are others.
func sameLog(ctx context.Context, log *kafka.Log, url string) error {
	all, err := postgres.Checkpoints(ctx, url)
	for _, c := range all {
		if c.LogID != log.LogID() {
			return exit.Wrongf("the database was built from log %s, and the brokers have %s: name the one that belongs to the other", c.LogID,
				log.LogID())
		}
	}
	return err
}
