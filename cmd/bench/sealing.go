package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// What is measured of personal members: a command with two of them beside the same command
// on a store without keys, and what a node needs to remember keys.
const (
	plainFigure  = "text asked for, in plain"
	sealedFigure = "text asked for, sealed"
	keysFigure   = "memory of a million keys"
	manyKeys     = 1_000_000
)

// sealing measures what it costs that personal members are sealed on the log, and opened
// again by the read models.
func (c *Command) sealing(b *bench, out *report) error {
	if !c.wants(sealedFigure) {
		return nil
	}
	out.heading("personal members")
	config := b.node.Store().Config
	config.Keys = nil
	without := eventstore.New(config)
	defer without.Close()
	for _, clients := range c.Clients {
		plain, closed, err := c.inTurn(clients, b.text(without), b.text(b.node.Store()), b.analysed)
		if err != nil {
			return err
		}
		out.add(plain)
		closed = closed.of(plain)
		out.add(closed.aim("at most 5 % less", closed.Ratio >= 0.95))
	}
	bytes, err := keysRemembered(manyKeys)
	if err != nil {
		return err
	}
	out.add(figure{Name: keysFigure, Value: float64(bytes) / (1 << 20), Unit: "MiB"})
	return nil
}

// inTurn has both run four times in turn, each for a half of the time: what a machine does beside and
// tables that grow under them hold for both alike.
func (c *Command) inTurn(clients int, plain, closed, settle func(ctx context.Context) error) (figure, figure, error) {
	var runs [2]run
	for _, which := range []int{0, 1, 1, 0, 1, 0, 0, 1} {
		r, err := runFor(c.For/2, clients, []func(context.Context) error{plain, closed}[which], settle)
		if err != nil {
			return figure{}, figure{}, fmt.Errorf("%s with %d clients: %w", sealedFigure, clients, err)
		}
		runs[which] = runs[which].and(r)
	}
	return runs[0].figure(plainFigure, clients), runs[1].figure(sealedFigure, clients), nil
}

// text asks for a text message on a store.
func (b *bench) text(on *eventstore.Store) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		id := uuid.Must(uuid.NewV7()).String() // as the server makes them
		ask := texts.Request{MessageID: id, TenantID: b.work.Account, ProjectID: b.work.Project, From: "+" + b.work.OurNumber,
			To: "+15550000001", Text: "Your order is on its way and will be with you tomorrow.", At: time.Now()}
		return eventstore.Do(ctx, on, texts.Texts, texts.Texts.Stream(id),
			eventstore.Command{Tenant: b.work.Account, Actor: "bench", New: true}, ask.Decide)
	}
}

// keysRemembered is how many bytes a ring needs for that many keys.
func keysRemembered(n int) (bytes uint64, err error) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	ring := keyring.New(keyring.Config{Topic: nowhere{}, Wrapper: nowhere{}, Now: time.Now, Log: quiet, Remember: n})
	before := heap()
	for range n {
		if _, err := ring.Take(context.Background()); err != nil {
			return 0, err
		}
	}
	bytes = heap() - before
	runtime.KeepAlive(ring)
	return bytes, nil
}

// nowhere takes keys and keeps none: what a ring remembers is all there is of them.
type nowhere struct{}

func (nowhere) Append(context.Context, []keyring.Record) error { return nil }

func (nowhere) Read(context.Context, int64) ([]keyring.Record, int64, error) { return nil, 0, nil }

func (nowhere) End(context.Context) (int64, error) { return 0, nil }

func (nowhere) Seal([]byte, string) (string, error) { return "~", nil }

func (nowhere) Unseal(string, string) ([]byte, error) { return make([]byte, sealed.SecretSize), nil }
