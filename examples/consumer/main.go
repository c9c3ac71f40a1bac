// Command consumer is an example of a program that reads Parley's topics: it counts
// ended calls per hour and outcome, and goes on counting where it stopped, after a
// kill -9 too, without counting a call twice or leaving one out.
//
// It owns what is counted (counts.go) and a command line; the reading, judging and
// saving is the package consumer's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/scram"

	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/calls"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "consumer:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("consumer", flag.ContinueOnError)
	brokers := flags.String("brokers", os.Getenv("KAFKA_BROKERS"), "Kafka brokers, host:port,...")
	state := flags.String("state", "counts", "folder for the counts and the position on the log")
	keyset := flags.String("keyset", "", "master key file, to open what is personal; the counts need nothing of it")
	once := flags.Bool("once", false, "stop at the end of the log instead of following it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	mechanism, err := login()
	if err != nil {
		return err
	}
	if *brokers == "" {
		return errors.New("say which brokers with -brokers or KAFKA_BROKERS (source .data/dev.env)")
	}
	files, err := consumer.OpenFiles(*state, fold)
	if err != nil {
		return err
	}
	defer files.Close()
	err = consumer.Run(ctx, consumer.Config{Brokers: strings.Split(*brokers, ","), SASL: mechanism, Topics: []string{calls.Calls.Topic()},
		Sink: reporting{files, out}, Keyset: *keyset, ToEnd: *once})
	if err != nil {
		return err
	}
	return table(files, out)
}

// login is that of KAFKA_USER and KAFKA_PASSWORD, which a node with its own broker
// writes into dev.env; nil without them.
func login() (sasl.Mechanism, error) {
	user := os.Getenv("KAFKA_USER")
	if user == "" {
		return nil, nil
	}
	return scram.Mechanism(scram.SHA256, user, os.Getenv("KAFKA_PASSWORD"))
}

// reporting says what each batch brought, after it was saved.
type reporting struct {
	*consumer.Files
	out io.Writer
}

// Take implements consumer.Sink.
func (r reporting) Take(ctx context.Context, b consumer.Batch) error {
	if err := r.Files.Take(ctx, b); err != nil {
		return err
	}
	for _, s := range b.Skipped {
		fmt.Fprintf(r.out, "%s: offset %d does not count: %s\n", b.Place, s.Offset, s.Reason)
	}
	if len(b.Commits) > 0 {
		fmt.Fprintf(r.out, "%s: %d commits, read up to offset %d\n", b.Place, len(b.Commits), b.Progress.Next)
	}
	return nil
}

// table prints the counts of all partitions together.
func table(files *consumer.Files, out io.Writer) error {
	sum := counts{}
	for i := range partitions {
		if err := sum.add(files.Results(consumer.Place{Topic: calls.Calls.Topic(), Partition: i})); err != nil {
			return err
		}
	}
	return sum.print(out)
}

// partitions is more than a topic can have.
const partitions = 1024

// fold counts a batch.
func fold(_ context.Context, b consumer.Batch, results json.RawMessage) (json.RawMessage, error) {
	c := counts{}
	if err := c.add(results); err != nil {
		return nil, err
	}
	for _, commit := range b.Commits {
		for _, e := range commit {
			if err := c.count(e); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(c)
}
