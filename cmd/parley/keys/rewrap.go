package keys

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/eventstore/keyring"
)

// RewrapCmd wraps data keys anew.
type RewrapCmd struct {
	Keyset string `help:"Master key file; keyset.json under --data when empty." placeholder:"FILE"`
	connect.PartsFlags
	Show show.Flags `embed:""`
}

// Help says when to use it.
func (*RewrapCmd) Help() string {
	return `These are not API keys but those that personal members of events are sealed with. They stand on the topic
parley.keys, wrapped by the master key. After another key of the keyset has become the one that seals, this wraps
each of them with it, while nodes run; the older master key is then needed for none. It can be ended (Ctrl-C,
kill -9) and begun again, and goes on where it stopped. No event is touched, and an erased key stays erased.

Examples:
  parley keys rewrap --data .data
  parley keys rewrap --kafka-brokers kafka:9092 --database-url postgres://parley@db/parley --keyset /etc/parley/keyset.json`
}

// Run wraps.
func (c *RewrapCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	file := cmp.Or(c.Keyset, filepath.Join(c.Data, "keyset.json"))
	master, err := vault.Open(file)
	if err != nil {
		return fmt.Errorf("keys rewrap: %w", missing(file, err))
	}
	log, _, closeAll, err := c.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer closeAll()
	done, err := keyring.Rewrap(ctx, log.Keys(), master, func(done, of int) {
		fmt.Fprintf(os.Stderr, "parley: %d of %d keys wrapped anew\n", done, of)
	})
	if err != nil {
		return c.failed(ctx, done, err)
	}
	out := show.To(os.Stdout, c.Show)
	if out.JSON() {
		return out.Object(done)
	}
	return out.Say("%d of %d data keys are wrapped anew, all others were; %d are erased", done.Wrapped, done.Keys, done.Erased)
}

func (c *RewrapCmd) failed(ctx context.Context, done keyring.Rewrapped, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("keys rewrap: ended after %d of %d keys; the same command goes on", done.Wrapped, done.Keys)
	}
	return fmt.Errorf("keys rewrap: %w; %d keys are wrapped anew, and the same command goes on", err, done.Wrapped)
}
