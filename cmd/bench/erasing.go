package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/privacy"
	models "github.com/parley-platform/parley/projections/privacy"
)

const (
	erasingFigure = "streams erased"
	erasingWithin = time.Hour
)

// erasing measures how fast somebody is forgotten, from the request to the end of the job
// without its pause. Its parts are its own: the texts (--erased) are sent first.
func (c *Command) erasing(dir string, out *report) error {
	if len(c.KafkaBrokers) > 0 || !c.wants(erasingFigure) {
		return nil
	}
	return c.part(dir, func(b *bench) error {
		ctx, cancel := context.WithTimeout(context.Background(), erasingWithin)
		defer cancel()
		out.heading("erasing a person")
		b.cfg.SimSpeed, b.cfg.ErasureCalm = campaignSpeed, time.Millisecond
		db, err := b.react(ctx, dir)
		if err != nil {
			return err
		}
		defer db.Close()
		if err := b.textsSent(ctx, db, c.Erased); err != nil {
			return err
		}
		f, err := b.erase(ctx, db, c.Erased)
		if err != nil {
			return err
		}
		out.add(f)
		return nil
	})
}

// textsSent sends that many texts to one number, and waits for their ends.
func (b *bench) textsSent(ctx context.Context, db *pgxpool.Pool, n int) error {
	if err := atOnce(64, n, func(int) error { return b.text(b.node.Store())(ctx) }); err != nil {
		return err
	}
	return eventually(ctx, "the end of the texts", func() (bool, error) {
		var ended int
		err := db.QueryRow(ctx, `SELECT count(*) FROM events WHERE type LIKE 'parley.messages.sent.%' OR type LIKE 'parley.messages.failed.%'`).
			Scan(&ended)
		return ended >= n, err
	})
}

// erase erases whoever has that number.
func (b *bench) erase(ctx context.Context, db *pgxpool.Pool, texts int) (figure, error) {
	ask := erasures.Request{ErasureID: erasures.IDPrefix + uuid.NewString(), TenantID: b.work.Account, At: time.Now(),
		Identities: []privacy.Identity{{Kind: privacy.Telephone, Value: "+15550000001"}}}
	cpu, began := spent(), time.Now()
	if err := inBench(ctx, b, erasures.Jobs, erasures.Jobs.Stream(ask.ErasureID), ask.Decide); err != nil {
		return figure{}, err
	}
	var job models.Erasure
	if err := eventually(ctx, "the end of the erasure", func() (done bool, err error) {
		job, _, err = models.NewErasures(db).Get(ctx, ask.TenantID, ask.ErasureID)
		return job.Status == erasures.Done, err
	}); err != nil {
		return figure{}, err
	}
	took, n := time.Since(began), job.Forgotten["messages"]
	if n < texts {
		return figure{}, fmt.Errorf("of %d texts %d were forgotten", texts, n)
	}
	return figure{Name: erasingFigure, Rate: float64(n) / took.Seconds(), CPU: float64((spent() - cpu).Microseconds()) / float64(n)}, nil
}

// eventually waits for something to come about. A question that takes long is asked seldom.
func eventually(ctx context.Context, what string, met func() (bool, error)) error {
	for {
		began := time.Now()
		ok, err := met()
		switch {
		case err != nil:
			return err
		case ok:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%s did not come about", what)
		}
		time.Sleep(10*time.Millisecond + 5*time.Since(began))
	}
}
