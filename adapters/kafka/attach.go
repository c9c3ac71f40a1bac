package kafka

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/eventstore"
)

// Attach makes the log ready for reading the given topics without writing a thing:
// no topic is created, no genesis written, no setting asked for, so that a reader
// needs no right but Read. It is Open for those who only consume. An error that
// wraps eventstore.ErrOutOfRange says that a topic is not a log of Parley's, or not
// all of it.
func (l *Log) Attach(ctx context.Context, topics ...string) error {
	_, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	for _, topic := range topics {
		n := counts[topic]
		if n == 0 {
			return fmt.Errorf("topic %s is not on the brokers %v, or may not be described: check the name and the ACLs", topic, l.cfg.Brokers)
		}
		for i := range n {
			if err := patiently(ctx, func() error { return l.attach(ctx, topic, i, n) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Log) attach(ctx context.Context, topic string, number, live int) error {
	g, found, err := l.readGenesis(ctx, topic, number)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s/%d is empty: %w: its genesis is missing, so nothing can be said about it; start parley serve or run parley "+
			"topics first", topic, number, eventstore.ErrOutOfRange)
	}
	return l.adopt(g, live)
}
