// Command chaos runs Parley's fault tests (docs/architecture.md "How it is proved"):
// rounds made from seeds, in each of which two nodes work for callers over links that
// we can break while their processes, brokers and database are killed, frozen and
// thrown away; then everything that was promised is checked. docs/how-to/chaos.md tells
// how to read what it prints.
//
// Each subpackage has one part: proxy the network, cluster the processes, faults what
// goes wrong, load the callers, checks the promises.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/cmd/chaos/cluster"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == cluster.BrokerCommand {
		if err := serveBroker(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var commands struct {
		Run       RunCmd       `cmd:"" default:"withargs" help:"Run rounds, and check what Parley promised after each."`
		Turns     TurnsCmd     `cmd:"" help:"Kill a node between every two steps of agents' turns, and check what became of them."`
		Ablations AblationsCmd `cmd:"" help:"Switch each safety mechanism off in a build of its own, and prove that the checks find it."`
		Faults    FaultsCmd    `cmd:"" help:"List what can go wrong."`
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parsed := kong.Parse(&commands, kong.Name("chaos"), kong.Description("Parley's fault tests."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	parsed.FatalIfErrorf(parsed.Run())
}

// serveBroker is the embedded broker as a process of its own, which is killed more often
// than it is stopped. It is open: the faults delete from it what a node's own broker
// does not let go.
func serveBroker(dir, address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: dir, Listen: address, UnsafeOpen: true, Log: log})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return broker.Close()
}
