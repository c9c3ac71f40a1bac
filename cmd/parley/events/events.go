// Package events shows who did what, when: from a node's API, or from the log itself.
package events

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
)

// Command shows what happened, one event per line.
type Command struct {
	Follow      bool   `short:"f" help:"Show what happens from now on (with --since: from then on), until Ctrl-C. A cut connection is taken up where it was cut."`
	Stream      string `help:"Only events of this stream, such as call-018f..." placeholder:"NAME"`
	Type        string `help:"Only events of this type: parley.calls.answered, or with its version .v1." placeholder:"TYPE"`
	Category    string `help:"Only this category of streams: calls, scopes, tenants ..." placeholder:"NAME"`
	Since       string `help:"Only events from this time on: RFC 3339, or how long ago, such as 90m, 1h or 7d." placeholder:"TIME"`
	Until       string `help:"Only events before this time; the same forms." placeholder:"TIME"`
	Correlation string `help:"Only events that this request led to: the X-Request-Id of its answer." placeholder:"ID"`
	Limit       int    `short:"n" help:"End after so many events; 0: all there are." default:"0" placeholder:"N"`
	Order       string `help:"asc: the oldest first. desc: the newest first." enum:"asc,desc" default:"asc" placeholder:"ORDER"`

	Output string `short:"o" help:"json, an event per line: there is no other form of it; parley tail tells events to people." enum:"json" default:"json" env:"-" placeholder:"FORM"`

	api.Server
	api.Token
	Data   string `help:"Folder of a node that runs with its own broker: read its log, as with --kafka-brokers." env:"-" placeholder:"DIR"`
	Tenant string `help:"With --kafka-brokers or --data: only events of this account." placeholder:"ID"`
	connect.KafkaFlags
}

// Help is shown with --help.
func (*Command) Help() string {
	return `Each line is one event as JSON, as GET /api/v1/events shows it: id, type, stream, version, time, tenantId, actor, ` +
		`correlationId, causationId, data, position.

There are two ways to read, and the lines are the same:
- From a node, with a token (PARLEY_TOKEN): the events of the token's account.
- From Kafka, with --kafka-brokers, or with --data for the broker that a node brought along: the events of all
  accounts, for auditors and operators who may read the topics. Everything is read from the beginning of the log,
  because only so it can be told which records count; nothing is written.

Examples:
  parley events --since 1h                                  what happened in the last hour
  parley events --follow --category calls                   calls, as they happen
  parley events --correlation tr-018f... | jq -c '[.time,.type,.actor]'
  parley events --order desc --limit 20                     the newest twenty
  parley events --kafka-brokers k1:9092 --tenant acme --since 7d > acme.jsonl

It ends with 0 when all was shown, 2 when the request has to be changed (a filter, the token), 1 when something is out of reach.`
}

// Run shows events until all are shown, or until it is told to stop.
func (c *Command) Run() error {
	ctx, stop := exit.OnSignalOr(os.Stdout)
	defer stop()
	err := c.run(ctx, os.Stdout, os.Stderr)
	if ctx.Err() != nil { // Ctrl-C is how following ends
		return nil
	}
	return err
}

func (c *Command) run(ctx context.Context, out, notes io.Writer) error {
	now := time.Now()
	since, err := Moment("--since", c.Since, now)
	if err != nil {
		return err
	}
	until, err := Moment("--until", c.Until, now)
	switch {
	case err != nil:
		return err
	case c.Limit < 0:
		return exit.Wrongf("--limit: %d is not a number of events; 0 are all", c.Limit)
	case !since.IsZero() && !until.IsZero() && !until.After(since):
		return exit.Wrongf("--until: %s is not after --since", c.Until)
	case c.Follow && (c.Until != "" || c.Order == "desc"):
		return exit.Wrongf("--follow goes forward without end: leave out --until and --order")
	}
	lines := &eventLines{out: bufio.NewWriterSize(out, 64<<10), left: c.Limit}
	if len(c.KafkaBrokers) > 0 || c.Data != "" {
		err = c.fromLog(ctx, since, until, lines, notes)
	} else {
		err = c.fromNode(ctx, since, until, lines, notes)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return errors.Join(err, lines.out.Flush())
}

// fromNode asks the API.
func (c *Command) fromNode(ctx context.Context, since, until time.Time, lines *eventLines, notes io.Writer) error {
	if c.Tenant != "" {
		return exit.Wrongf("--tenant goes with --kafka-brokers; a node shows the account of the token")
	}
	client, err := api.New(c.URL, c.Token.Token, "", Auditing())
	if err != nil {
		return err
	}
	q := c.filters(since, until)
	if c.Follow {
		return follow(ctx, client, q, lines, notes)
	}
	q.Set("order", c.Order)
	return list(ctx, client, q, lines)
}

// filters is the query of the API.
func (c *Command) filters(since, until time.Time) url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("stream", c.Stream)
	set("type", c.Type)
	set("category", c.Category)
	set("correlation", c.Correlation)
	if !since.IsZero() {
		q.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	if !until.IsZero() {
		q.Set("until", until.UTC().Format(time.RFC3339Nano))
	}
	return q
}

// Moment reads a time, or how long ago it was.
func Moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	ago, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		ago = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || ago < 0 || ago > 100*365*24*time.Hour {
		return time.Time{}, exit.Wrongf("%s: %q is neither a time, such as 2026-11-21T09:00:00Z, nor how long ago it was, such as 90m, 1h or 7d",
			flag,
			text)
	}
	return now.Add(-ago), nil
}

// errEnough ends the reading when the limit is reached.
var errEnough = errors.New("enough")

// eventLines writes events up to a limit.
type eventLines struct {
	out  *bufio.Writer
	left int // 0: without limit; it never gets there otherwise
}

func (l *eventLines) write(event []byte) error {
	if _, err := l.out.Write(append(event, '\n')); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	if l.left > 0 {
		if l.left--; l.left == 0 {
			return errEnough
		}
	}
	return nil
}

func (l *eventLines) flush() error { return l.out.Flush() }
