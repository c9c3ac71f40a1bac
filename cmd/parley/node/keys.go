package node

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
)

// What is on its way while the log is exchanged needs it.
var _ eventstore.Doubtful = (*keyring.Ring)(nil)

// openKeys makes the data keys of personal members available, and follows them until the node
// closes. The table is prepared with the others: until it is there nobody has asked for a key.
func (n *Node) openKeys(ctx context.Context) error {
	topic, err := BeginKeys(ctx, n.kafka)
	if err != nil {
		return err
	}
	if err := n.keysReach(ctx, topic); err != nil {
		return err
	}
	table := postgres.DataKeys{Pool: n.db.Queries}
	n.keys = keyring.New(keyring.Config{Topic: topic, Table: table, Wrapper: n.vault, Now: time.Now, Log: n.log})
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		n.keys.Run(run)
		close(done)
	}()
	if n.broker != nil {
		go n.compactKeys(run, n.broker, topic, table)
	}
	n.closing(func(context.Context) {
		stop()
		<-done
	})
	return nil
}

// keysNote says on KeysetTopic that the log has keys, so that they are missed where their
// topic is gone. Who reads proofs passes it over: it has no member of one.
type keysNote struct {
	KeysOf string `json:"keysOf"` // id of the log
}

const keysNoteType = "parley.keys-begun.v1"

// BeginKeys makes parley.keys ready, and notes that the log has it now.
func BeginKeys(ctx context.Context, log *kafka.Log) (*kafka.Keys, error) {
	notes, err := log.Notes(ctx, KeysetTopic)
	if err != nil {
		return nil, fmt.Errorf("reading whether the log has keys: %w", err)
	}
	begun := false
	for _, note := range notes {
		var of keysNote
		begun = begun || json.Unmarshal(note, &of) == nil && of.KeysOf == log.LogID()
	}
	keys, err := log.OpenKeys(ctx, begun)
	if err != nil || begun {
		return keys, err
	}
	value, err := json.Marshal(keysNote{log.LogID()})
	if err == nil {
		err = log.Note(ctx, KeysetTopic, keysNoteType, uuid.NewString(), value)
	}
	if err != nil {
		return nil, fmt.Errorf("noting that the log has keys: %w", err)
	}
	return keys, nil
}

// keysReach refuses a topic that ends before what was read of it: it was cut, or an older
// copy was put in its place.
func (n *Node) keysReach(ctx context.Context, topic *kafka.Keys) error {
	all, err := postgres.Checkpoints(ctx, n.cfg.DatabaseURL)
	if err != nil { // not wrapped: a database that is away is not Kafka being away
		return fmt.Errorf("asking how far the keys were read: %v", err)
	}
	end, err := topic.End(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Topic == kafka.KeysTopic && c.LogID == n.kafka.LogID() && c.Next > end {
			return fmt.Errorf("%s ends at offset %d, and its keys were read up to %d: it was cut, or an older copy stands in its place. "+
				"Bring it back as it was. If later records are lost for good, run: parley keys mend, which writes back what the database "+
				"and the events know of it", kafka.KeysTopic, end, c.Next)
		}
	}
	return nil
}

// Between two looks whether there is something to compact, and how long compacting rests:
// so many times as it took.
const (
	compactLook = time.Minute
	compactRest = 20
)

// compactKeys takes erased keys from the disk of the embedded broker.
func (n *Node) compactKeys(ctx context.Context, b *embedded.Broker, topic *kafka.Keys, table postgres.DataKeys) {
	rest := compactLook
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
		began := time.Now()
		if err := compactOnce(ctx, b, topic, table); err != nil && ctx.Err() == nil {
			n.log.Warn("erased keys were not taken from the disk, trying again", "error", err)
		}
		rest = max(compactLook, compactRest*time.Since(began))
	}
}

// compactOnce compacts if a key was erased since the last time.
func compactOnce(ctx context.Context, b *embedded.Broker, topic *kafka.Keys, table postgres.DataKeys) error {
	erased, err := table.LastErased(ctx)
	if err != nil || erased.IsZero() {
		return err
	}
	last, err := topic.CompactedAt(ctx)
	if err != nil || !erased.After(last) {
		return err
	}
	_, err = topic.Compact(ctx, b.Drop)
	return err
}
