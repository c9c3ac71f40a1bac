package reactors

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// positions knows how far the projector has come.
type positions interface {
	// Await returns when the partition's checkpoint has passed the record at offset:
	// its fate is then in the index. It may answer fault.CatchingUp, and is asked
	// again.
	Await(ctx context.Context, topic string, partition int, offset int64) error
}

// verdicts knows which record holds a place in a stream.
type verdicts interface {
	// HeldBy says whether version of stream is held by the record at this very
	// place. It is asked only after Await.
	HeldBy(ctx context.Context, stream string, version int64, topic string, partition int, offset int64) (bool, error)
}

// verdictLimit is how long one question for a verdict may take. On a connection whose
// other end is gone without a word it would take for ever, and the record with it.
const verdictLimit = 10 * time.Second

// acceptedOnly keeps from reactors what lost: commits that were superseded, sent
// twice or torn are on the log like any other.
type acceptedOnly struct {
	positions positions
	verdicts  verdicts
}

// accepts waits as long as it takes. A node that is catching up says so again and
// again, and the wait just goes on; it ends with ctx or with an error of another
// kind.
func (a acceptedOnly) accepts(ctx context.Context, r *eventstore.Record) (held bool, err error) {
	err = whileCatchingUp(ctx, func() error {
		if err := a.positions.Await(ctx, r.Topic, r.Partition, r.Offset); err != nil {
			return fmt.Errorf("awaiting the checkpoint: %w", err)
		}
		asking, cancel := context.WithTimeout(ctx, verdictLimit)
		defer cancel()
		held, err = a.verdicts.HeldBy(asking, r.Stream, r.Version, r.Topic, r.Partition, r.Offset)
		if err != nil {
			return fmt.Errorf("asking for the verdict: %w", err)
		}
		return nil
	})
	return held, err
}

func whileCatchingUp(ctx context.Context, do func() error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.MaxElapsedTime = 20*time.Millisecond, time.Second, 0
	pauses.Reset()
	for {
		err := do()
		if !fault.Is(err, fault.CatchingUp) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pauses.NextBackOff()):
		}
	}
}
