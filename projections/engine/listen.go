package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/projections/sink"
)

// listenAgain is the pause before a connection that broke is made anew. Meanwhile
// the looks at the checkpoints tell the same, a little later.
const listenAgain = time.Second

// stall is a partition that somebody waits for and that was still at next.
type stall struct {
	at   sink.Place
	next int64
}

func (s stall) message() string {
	return fmt.Sprintf("%s %s %d %d", sink.Stuck, s.at.Topic, s.at.Partition, s.next)
}

// stalled is said by waiters of this node that saw no progress. A node that cannot
// project the partition asks those that can.
func (p *Projector) stalled(ctx context.Context, s stall) {
	if !p.idle() && !p.shuns(s.at) {
		p.takeOver(ctx, s)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if _, err := p.Queries.Exec(ctx, `SELECT pg_notify($1, $2)`, sink.Channel, s.message()); err != nil {
		p.Logger.Warn("no node could be asked to take over a partition that does not move", "topic", s.at.Topic, "partition",
			s.at.Partition, "error", err)
	}
}

// listen hears of the progress of other nodes, on a connection of its own.
func (p *Projector) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.listenOnce(ctx)
		if ctx.Err() == nil {
			p.Logger.Debug("listening again", "error", err)
			_ = sink.Pause(ctx, listenAgain)
		}
	}
}

func (p *Projector) listenOnce(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, p.Queries.Config().ConnConfig.Copy())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+sink.Channel); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		p.hear(n.Payload)
	}
}

// hear takes one message. What it does not know is of a newer node, or a stranger's.
func (p *Projector) hear(message string) {
	if message == sink.Freed {
		select {
		case p.freed <- struct{}{}:
		default:
		}
		return
	}
	f := strings.Fields(message)
	stalls := len(f) == 4 && f[0] == sink.Stuck
	if stalls {
		f = f[1:]
	}
	if len(f) != 3 {
		return
	}
	partition, err1 := strconv.Atoi(f[1])
	next, err2 := strconv.ParseInt(f[2], 10, 64)
	if err1 != nil || err2 != nil {
		return
	}
	at := sink.Place{Topic: f[0], Partition: partition}
	if !stalls {
		p.watch.notified(at, next)
		return
	}
	select {
	case p.heard <- stall{at, next}:
	default: // whoever waits will say it again
	}
}
