package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/reactorlog"
	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// checkpoint is up to where one partition is projected.
type checkpoint struct {
	Topic     string
	Partition int
	Next      int64
	LogID     string
	Owned     bool // a projector has it now
}

// checkpoints are those of the live tables.
func (x *examination) checkpoints(ctx context.Context) ([]checkpoint, error) {
	rows, err := x.db.Queries.Query(ctx,
		`SELECT topic, partition, next_offset, log_id, owner IS NOT NULL AND lease_until > now() FROM checkpoints WHERE projection = 'live'`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[checkpoint])
}

// standing reads the checkpoints, and the ends of the log after them: while a node writes,
// a checkpoint that is read later than the end may be past it.
func standing(ctx context.Context, checkpoints func(context.Context) ([]checkpoint, error),
	logEnds func(context.Context) (map[string]map[int]int64, error)) ([]checkpoint, map[string]map[int]int64, error) {
	at, err := checkpoints(ctx)
	if err != nil {
		return nil, nil, err
	}
	e, err := logEnds(ctx)
	return at, e, err
}

// projectionLag compares the checkpoints with the ends of the log.
func projectionLag(ctx context.Context, x *examination) error {
	at, ends, err := standing(ctx, x.checkpoints, x.log.Ends)
	if err != nil {
		return err
	}
	var behind int64
	var oldest time.Duration
	known, idle := 0, []string{}
	for _, c := range at {
		end, there := ends[c.Topic][c.Partition]
		if !there {
			continue // of a category that this binary does not know
		}
		known++
		at := fmt.Sprintf("%s/%d", c.Topic, c.Partition)
		if !c.Owned {
			idle = append(idle, at)
		}
		switch {
		case c.LogID != x.log.LogID():
			x.find(failure, "projections", "correct --kafka-brokers or --database-url; if the old log is gone for good, drop the database and start",
				"%s was built from log %s, the brokers hold log %s", at, c.LogID, x.log.LogID())
		case c.Next > end:
			x.find(failure, "projections", "bring the old log back (replica, backup); if it is gone for good, drop the database and start",
				"%s stands at %d, the log ends at %d: its tail was lost", at, c.Next, end)
		case c.Next < end:
			behind += end - c.Next
			oldest = max(oldest, x.age(ctx, c.Topic, c.Partition, c.Next))
		}
	}
	total := 0
	for _, t := range ends {
		total += len(t)
	}
	switch {
	case known < total:
		x.find(warning, "projections", "start a node with the role projector", "%d of %d partitions have no checkpoint yet", total-known, total)
	case len(idle) > 0:
		x.find(warning, "projections", "start a node with the role projector; while it starts this is normal", "nobody projects %s",
			strings.Join(some(idle), ", "))
	}
	l := fine
	if oldest > time.Minute {
		l = warning
	}
	x.find(l, "projections", "", "%d records behind the log, the oldest %s old", behind, oldest.Round(time.Millisecond))
	return nil
}

// age is that of the record at an offset, 0 when it is none of ours.
func (x *examination) age(ctx context.Context, topic string, partition int, offset int64) time.Duration {
	got, err := x.log.Fetch(ctx, topic, partition, offset)
	if err != nil {
		return 0
	}
	for _, e := range got.Entries {
		if e.Record != nil {
			return max(0, time.Since(e.Record.Time))
		}
	}
	return 0
}

// some are the first of many names.
func some(names []string) []string {
	sort.Strings(names)
	if len(names) > 5 {
		return append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
	}
	return names
}

// setAsides counts what read models could not take.
func setAsides(ctx context.Context, x *examination) error {
	rows, err := x.db.Queries.Query(ctx, `SELECT model, count(*), min(error) FROM projection_errors GROUP BY model ORDER BY model`)
	if err != nil {
		return err
	}
	var model, message string
	var count int64
	none := true
	_, err = pgx.ForEachRow(rows, []any{&model, &count, &message}, func() error {
		none = false
		x.find(failure, "set aside", "run a binary that can take them, then: parley rebuild "+strings.ReplaceAll(model, " ", "-"),
			"%d commits are missing from the read model %s: %s", count, model, message)
		return nil
	})
	if err == nil && none {
		x.find(fine, "set aside", "", "no read model misses a commit")
	}
	return err
}

// reactorLag looks at the groups and at what they set aside.
func reactorLag(ctx context.Context, x *examination) error {
	store := reactorlog.NewStore(x.log)
	defer store.Close()
	known, err := eventstore.Read(ctx, store, registrations.Registrations, registrations.SystemStream())
	if err != nil {
		return err
	}
	aside, err := reactorlog.ReadPoison(ctx, x.log)
	if err != nil {
		return err
	}
	open := map[string]int{}
	for _, p := range aside {
		if p.Replay.Status != registrations.ReplaySucceededStatus {
			open[p.Reactor]++
		}
	}
	on := &handling.Edges{Groups: watermillkafka.Groups{Client: x.log.Client()}}
	for _, name := range slices.Sorted(maps.Keys(known.State.Reactors)) {
		r := known.State.Reactors[name]
		lag, err := handling.LagOf(ctx, on, x.log, time.Now(), r.Group, r.Topics(), r.Pending)
		if err != nil {
			return err
		}
		subject := "reactor " + name
		if len(lag.Lost) > 0 {
			x.find(failure, subject, fmt.Sprintf("restart with --reactor-from %s=end, or =OFFSET to have old events handled", name),
				"its group has lost its place: %v", lag.Lost)
			continue
		}
		if open[name] > 0 {
			x.find(warning, subject, "see parley reactor poison list --open; after the cause is mended: parley reactor replay --reactor "+name,
				"%d events are set aside", open[name])
		}
		l := fine
		if lag.Age > time.Minute {
			l = warning
		}
		x.find(l, subject, "", "%d records behind the log, the oldest %s old", lag.Events, lag.Age.Round(time.Millisecond))
	}
	if len(known.State.Reactors) == 0 {
		x.find(warning, "reactors", "start a node with the role reactor", "none was ever registered: nobody dials and nobody is notified")
	}
	return nil
}

// foreign reads the whole log and counts what does not belong there.
func (c *Command) foreign(ctx context.Context, x *examination) error {
	if !c.Scan {
		x.find(fine, "foreign appends", "parley doctor --scan reads the whole log", "not looked for")
		return nil
	}
	var topics []string
	for _, cat := range catalog.Categories() {
		topics = append(topics, cat.Topic())
	}
	tlsConfig, mechanism, err := c.Login()
	if err != nil {
		return err
	}
	count := newScan()
	err = consumer.Run(ctx, consumer.Config{Brokers: c.KafkaBrokers, TLS: tlsConfig, SASL: mechanism, ClientID: "parley-doctor",
		Topics: topics, ToEnd: true, Sink: count})
	if err != nil {
		return err
	}
	for _, reason := range []eventstore.Reason{eventstore.Malformed, eventstore.Foreign, eventstore.Torn} {
		if n := count.skipped[reason]; n > 0 {
			x.find(warning, "foreign appends", "nobody but Parley may write these topics: give Write to its principal alone (Kafka ACLs)",
				"%d %s, first at %s; passed over by everybody who reads", n, reason, strings.Join(count.where[reason], ", "))
		}
	}
	x.find(fine, "foreign appends", "", "%d events accepted; %d duplicate and %d superseded commits passed over, which is normal",
		count.accepted, count.skipped[eventstore.Duplicate], count.skipped[eventstore.Superseded])
	return nil
}
