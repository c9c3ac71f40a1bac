package watermillkafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/segmentio/kafka-go"
)

// Config says how a Subscriber reaches Kafka and how much it does at once. Only
// Brokers and Group are required.
type Config struct {
	Brokers []string      // host:port of some brokers
	Group   string        // consumer group, parley-<reactor>
	Client  *kafka.Client // shared client; nil makes one without TLS from Brokers
	Dialer  *kafka.Dialer // for the group's own connection, with TLS and SASL; nil is plain TCP

	StartAt  Start // where a partition without a committed offset begins
	InFlight int   // records of one account handed out and unanswered, per partition; twice as many of all; default 64
	Window   int   // records held per partition from the lowest unfinished one on; default 10,000

	// AnyOrder hands out records of one key at once, as if none had a key: for handlers
	// whose work on one of them does not depend on another.
	AnyOrder bool

	// Backoff makes the delays between the tries of one record; a new one for each
	// record that is nacked. Default: 100 ms growing to 30 s, for ever.
	Backoff func() backoff.BackOff

	DrainTimeout     time.Duration // how long a rebalance or Close waits for handlers; default 12 s
	CommitEvery      time.Duration // default 1 s
	WatchEvery       time.Duration // how often new partitions are looked for; default 5 s
	Heartbeat        time.Duration // default 2 s, a third of SessionTimeout; also how fast a rebalance is noticed
	SessionTimeout   time.Duration // a silent member is dropped after this; default 6 s, the least that a broker allows unless told otherwise
	RebalanceTimeout time.Duration // how long a rebalance waits for members; must be longer than DrainTimeout; default 15 s
	RejoinAfter      time.Duration // pause after a failed join; default 1 s

	// Admit is asked once per subscription, before it joins the group. It blocks until
	// the group may be read; an error ends the subscription, which then only waits to
	// be closed. Nil: at once.
	Admit func(ctx context.Context) error

	// OnMember is told under which member id the group knows this subscription, each
	// time that changes. It must not block.
	OnMember func(topic, member string)

	// OnStopped is told of a partition that is not read any more because its next
	// offset is not on the log or because StartAt refuses to choose one. It runs on
	// the reading goroutine and must not block. Err tells the same on demand.
	OnStopped func(topic string, partition int, err error)

	Logger *slog.Logger // default slog.Default()
}

// The most that is fetched at once, and that may lie unfinished in memory before a
// partition is read further (as the projector reads: docs/architecture.md "Reading and
// writing").
const (
	fetchBytes  = 8 << 20
	fetchWait   = 8 * time.Second // what arrives ends it at once; there are some two hundred partitions of all groups to wait for
	askPatience = 2 * time.Second // how long a broker may take to say how many partitions there are
)

// ErrConfig is wrapped by complaints about a configuration; they name the field.
var ErrConfig = errors.New("watermillkafka configuration")

func (c Config) prepared() (Config, error) {
	c.fill()
	switch {
	case len(c.Brokers) == 0:
		return c, fmt.Errorf("%w: Brokers is empty", ErrConfig)
	case c.Group == "":
		return c, fmt.Errorf("%w: Group is empty", ErrConfig)
	case c.InFlight < 1:
		return c, fmt.Errorf("%w: InFlight is %d, it must be at least 1", ErrConfig, c.InFlight)
	case c.Window < c.InFlight:
		return c, fmt.Errorf("%w: Window is %d, it must not be below InFlight (%d)", ErrConfig, c.Window, c.InFlight)
	case c.DrainTimeout >= c.RebalanceTimeout:
		return c, fmt.Errorf("%w: DrainTimeout (%s) must be below RebalanceTimeout (%s)", ErrConfig, c.DrainTimeout, c.RebalanceTimeout)
	case c.Heartbeat >= c.SessionTimeout:
		return c, fmt.Errorf("%w: Heartbeat (%s) must be below SessionTimeout (%s)", ErrConfig, c.Heartbeat, c.SessionTimeout)
	}
	return c, nil
}

func (c *Config) fill() {
	orDefault(&c.InFlight, 64)
	orDefault(&c.Window, 10_000)
	orDefault(&c.DrainTimeout, 12*time.Second)
	orDefault(&c.CommitEvery, time.Second)
	orDefault(&c.WatchEvery, 5*time.Second)
	orDefault(&c.Heartbeat, 2*time.Second)
	orDefault(&c.SessionTimeout, 6*time.Second)
	orDefault(&c.RebalanceTimeout, 15*time.Second)
	orDefault(&c.RejoinAfter, time.Second)
	if c.Backoff == nil {
		c.Backoff = func() backoff.BackOff { return delays(100*time.Millisecond, 30*time.Second) }
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Client == nil {
		c.Client = newClient(c.Brokers)
	}
	if c.Dialer == nil {
		c.Dialer = &kafka.Dialer{Timeout: 3 * time.Second, DualStack: true}
	}
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// newClient has a short metadata lifetime, so that a moved leader costs half a
// second and not the six of the library.
func newClient(brokers []string) *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(brokers...), Timeout: 10 * time.Second,
		Transport: &kafka.Transport{MetadataTTL: 500 * time.Millisecond, DialTimeout: 3 * time.Second}}
}

// delays grow from first to longest with jitter and never give up.
func delays(first, longest time.Duration) backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.MaxElapsedTime = first, longest, 0
	b.Reset()
	return b
}

// Start says where a partition begins for which the group has no committed offset.
// The zero value is offset 0.
type Start struct{ kind startKind }

type startKind int

const (
	startFirst startKind = iota
	startEnd
	startRefuse
)

// The choices of Start. First is offset 0 itself and not the
// first offset still there: a log cut at its start stops the partition.
var (
	StartFirst  = Start{}
	StartEnd    = Start{kind: startEnd}
	StartRefuse = Start{kind: startRefuse} // no committed offset is an error, see Config.OnStopped
)

// String is how a flag and the log spell it.
func (s Start) String() string {
	switch s.kind {
	case startEnd:
		return "end"
	case startRefuse:
		return "refuse"
	default:
		return "first"
	}
}
