package node

import (
	"context"
	"errors"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
)

// findDatabase starts the embedded Postgres if there is no other. It comes before the
// log: the read models remember how far the log was.
func (n *Node) findDatabase(ctx context.Context) error {
	if n.cfg.DatabaseURL != "" {
		return nil
	}
	url, err := n.embeddedPostgres(ctx)
	n.cfg.DatabaseURL, n.embeddedTables = url, true
	return err
}

// knownEnds are the ends that the embedded log must reach. A database that does not
// answer is not waited for: the log's own notes are beside it.
func (n *Node) knownEnds(ctx context.Context) []logfolder.Known {
	all, err := postgres.Checkpoints(ctx, n.cfg.DatabaseURL)
	if err != nil {
		n.log.Warn("the database does not say how far the log was; the notes beside the log do", "error", err)
	}
	return KnownEnds(all)
}

const readModels = "the checkpoint of the read models"

// KnownEnds are those that checkpoints speak of.
func KnownEnds(checkpoints []postgres.Checkpoint) (ends []logfolder.Known) {
	for _, c := range checkpoints { // a row is made after the genesis
		ends = append(ends, logfolder.Known{Topic: c.Topic, Partition: c.Partition, End: max(1, c.Next), Who: readModels, LogID: c.LogID})
	}
	return ends
}

// remembered is asked before a log is begun, or a part of one. It must be answered: a
// new beginning under old read models would hide that a log is gone. A node without its
// database does not start, so there is no waiting.
func (n *Node) remembered(ctx context.Context) (all []kafka.Remembered, err error) {
	found, err := postgres.Checkpoints(ctx, n.cfg.DatabaseURL)
	if err != nil { // not wrapped: a database that is away is not Kafka being away
		return nil, errors.New(err.Error())
	}
	for _, c := range found {
		all = append(all, kafka.Remembered{Topic: c.Topic, Partition: c.Partition, LogID: c.LogID, Who: readModels})
	}
	return all, nil
}
