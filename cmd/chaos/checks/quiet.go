package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/catalog"
)

// underWay is what comes to its end by itself once all has healed: how many there still
// are, by what they are called.
var underWay = []struct{ what, query string }{
	{"calls that have not ended", `SELECT count(*) FROM interactions WHERE ended_at IS NULL`},
	{"sessions that have not ended", `SELECT count(*) FROM sessions WHERE ended_at IS NULL`},
	{"runs of campaigns that have not finished",
		`SELECT count(*) FROM campaign_starts s LEFT JOIN campaign_progress p USING (tenant, instance_id) WHERE p.ended_at IS NULL`},
	{"campaigns that are not told of the end of their run", `SELECT count(*) FROM campaigns WHERE status IN ('Active', 'Paused')`},
	{"text messages without an outcome", `SELECT count(*) FROM messages WHERE ended_at IS NULL`},
	{"transfers that have not ended", `SELECT count(*) FROM transfers WHERE ended_at IS NULL`},
	{"transfers in a line", `SELECT count(*) FROM waiting`},
	{"conversations that human agents have", `SELECT count(*) FROM agent_claims`},
	{"notifications without an outcome", `SELECT count(*) FROM deliveries WHERE status NOT IN ('delivered', 'undelivered', 'withdrawn')`},
	// One asks providers now and then for as long as a connection is there.
	{"timers", `SELECT count(*) FROM timers WHERE name <> 'registration'`},
}

// Quiet is nil once nothing is under way any more: every call, session, run, message and
// transfer has ended, every notification has its outcome, no timer waits. Else it says all
// that is.
func Quiet(ctx context.Context, databaseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var open []string
	for _, u := range underWay {
		var n int
		if err := conn.QueryRow(ctx, u.query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			open = append(open, fmt.Sprintf("%d %s", n, u.what))
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("there are %s", strings.Join(open, ", "))
	}
	return nil
}

// progressEvery is how often Still tells what is waited for.
const progressEvery = 5 * time.Second

// Still waits until nothing is under way any more: Quiet, every group of reactors has
// finished all records, and the log has not grown for a while. It tells now and then what
// it waits for, and returns why it does when the time is up.
func Still(ctx context.Context, brokers []string, databaseURL func() string, atMost time.Duration, progress func(format string,
	args ...any)) error {
	client := &kafkago.Client{Addr: kafkago.TCP(brokers...), Timeout: 5 * time.Second, Transport: &kafkago.Transport{
		MetadataTTL: 500 * time.Millisecond}}
	defer client.Transport.(*kafkago.Transport).CloseIdleConnections()
	var before map[string]int64
	since, shown := time.Now(), time.Now()
	for deadline := time.Now().Add(atMost); ; {
		err := Quiet(ctx, databaseURL())
		if err == nil {
			var ends map[string]int64
			if ends, err = caughtUp(ctx, client); err == nil && !maps.Equal(ends, before) {
				before, since = ends, time.Now()
			}
		}
		switch {
		case err != nil:
			before = nil
		case time.Since(since) > 1500*time.Millisecond:
			return nil
		}
		if err == nil {
			err = errors.New("the log still grows")
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		if time.Since(shown) > progressEvery {
			shown = time.Now()
			progress("not at rest yet: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// caughtUp gives the ends of all partitions, and an error if a group of reactors has
// not committed them all.
func caughtUp(ctx context.Context, client *kafkago.Client) (map[string]int64, error) {
	ends, err := endsOf(ctx, client)
	if err != nil {
		return nil, err
	}
	groups, err := client.ListGroups(ctx, &kafkago.ListGroupsRequest{})
	if err != nil {
		return nil, fmt.Errorf("listing groups: %w", err)
	}
	for _, g := range groups.Groups {
		if !strings.HasPrefix(g.GroupID, "parley-") {
			continue
		}
		committed, err := client.OffsetFetch(ctx, &kafkago.OffsetFetchRequest{GroupID: g.GroupID})
		if err != nil {
			return nil, fmt.Errorf("asking for the offsets of %s: %w", g.GroupID, err)
		}
		for topic, partitions := range committed.Topics {
			for _, p := range partitions {
				if at := place(topic, p.Partition); p.CommittedOffset >= 0 && p.CommittedOffset < ends[at] {
					return nil, fmt.Errorf("%s is at %d of %d in %s", g.GroupID, p.CommittedOffset, ends[at], at)
				}
			}
		}
	}
	return ends, nil
}

func place(topic string, partition int) string { return fmt.Sprintf("%s/%d", topic, partition) }

func endsOf(ctx context.Context, client *kafkago.Client) (map[string]int64, error) {
	var topics []string
	for _, c := range catalog.Categories() {
		topics = append(topics, c.Topic())
	}
	meta, err := client.Metadata(ctx, &kafkago.MetadataRequest{Topics: topics})
	if err != nil {
		return nil, fmt.Errorf("asking for the topics: %w", err)
	}
	ask := map[string][]kafkago.OffsetRequest{}
	for _, t := range meta.Topics {
		for _, p := range t.Partitions {
			ask[t.Name] = append(ask[t.Name], kafkago.LastOffsetOf(p.ID))
		}
	}
	got, err := client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Topics: ask})
	if err != nil {
		return nil, fmt.Errorf("asking for the ends: %w", err)
	}
	ends := map[string]int64{}
	for _, topic := range slices.Sorted(maps.Keys(got.Topics)) {
		for _, p := range got.Topics[topic] {
			if p.Error != nil {
				return nil, fmt.Errorf("asking for the end of %s: %w", place(topic, p.Partition), p.Error)
			}
			ends[place(topic, p.Partition)] = p.LastOffset
		}
	}
	return ends, nil
}
