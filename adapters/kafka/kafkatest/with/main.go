// Command with runs a command beside real Apache Kafka: it starts clusters, or takes
// those of KAFKA_BROKERS, names them in PARLEY_TEST_KAFKA, from where the tests'
// brokers come (adapters/embedded/embeddedtest), and ends what it started with the
// command.
//
//	go run ./adapters/kafka/kafkatest/with -clusters 2 -- go test ./projections
//
// Its exit code is the command's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/kafka/kafkatest"
)

func main() {
	clusters := flag.Int("clusters", 1, "how many are started, of one broker each")
	heap := flag.String("heap", "512m", "-Xmx of each broker")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: with [-clusters N] [-heap SIZE] -- COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(*clusters, *heap, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "kafka:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run returns the command's exit code. An interrupt ends the command first and the
// clusters after it.
func run(clusters int, heap string, args []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	named := os.Getenv("KAFKA_BROKERS")
	if named == "" {
		started, failed := start(ctx, clusters, heap)
		for _, c := range started {
			defer func() { err = errors.Join(err, c.Close()) }()
			named += ";" + strings.Join(c.Addresses(), ",")
		}
		if failed != nil {
			return 1, failed
		}
		named = named[1:]
	}
	fmt.Fprintln(os.Stderr, "kafka: the tests use", named)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PARLEY_TEST_KAFKA="+named)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}

func start(ctx context.Context, clusters int, heap string) ([]*kafkatest.Cluster, error) {
	began := time.Now()
	all := make([]*kafkatest.Cluster, clusters)
	var g errgroup.Group
	g.SetLimit(2) // what two processors start at once
	for i := range all {
		g.Go(func() (err error) {
			all[i], err = kafkatest.StartCluster(ctx, kafkatest.Options{Heap: heap})
			return err
		})
	}
	err := g.Wait()
	fmt.Fprintf(os.Stderr, "kafka: %d clusters after %.1f s\n", clusters, time.Since(began).Seconds())
	return slices.DeleteFunc(all, func(c *kafkatest.Cluster) bool { return c == nil }), err
}
