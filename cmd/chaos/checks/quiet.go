package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/catalog"
)

// Quiet is nil once nothing is under way any more: every call has ended, every
// notification has its outcome, no timer waits.
func Quiet(ctx context.Context, databaseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for what, query := range map[string]string{
		"calls that have not ended":        `SELECT count(*) FROM interactions WHERE ended_at IS NULL`,
		"notifications without an outcome": `SELECT count(*) FROM deliveries WHERE status NOT IN ('delivered', 'undelivered')`,
		"timers":                           `SELECT count(*) FROM timers`,
		"sessions that have not ended":     `SELECT count(*) FROM sessions WHERE ended_at IS NULL`,
	} {
		var n int
		if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("there are %d %s", n, what)
		}
	}
	return nil
}

// Still waits until nothing is under way any more: Quiet, every group of reactors has
// finished all records, and the log has not grown for a while. It returns why not,
// when the time is up.
func Still(ctx context.Context, brokers []string, databaseURL func() string, atMost time.Duration) error {
	client := &kafkago.Client{Addr: kafkago.TCP(brokers...), Timeout: 5 * time.Second, Transport: &kafkago.Transport{MetadataTTL: 500 * time.Millisecond}}
	defer client.Transport.(*kafkago.Transport).CloseIdleConnections()
	var before map[string]int64
	since := time.Now()
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
		if time.Now().After(deadline) || ctx.Err() != nil {
			if err == nil {
				err = fmt.Errorf("the log still grows")
			}
			return err
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
