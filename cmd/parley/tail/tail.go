// Package tail follows what happens, in lines for people.
package tail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/events"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/cmd/parley/story"
)

// Command follows.
type Command struct {
	Category    string `help:"Only this category of streams: calls, campaigns, deliveries, scopes ..." placeholder:"NAME"`
	Type        string `help:"Only events of this type: parley.calls.answered." placeholder:"TYPE"`
	Call        string `help:"Only events of this call, by its callId." placeholder:"ID"`
	Stream      string `help:"Only events of this stream, such as call-018f..." placeholder:"NAME"`
	Correlation string `help:"Only events that this request led to: the X-Request-Id of its answer." placeholder:"ID"`
	Since       string `help:"Begin there: RFC 3339, or how long ago, such as 10m; with what happens from now on when left out." placeholder:"TIME"`
	Limit       int    `short:"n" help:"End after so many events; 0: go on." default:"0" placeholder:"N"`
	api.Flags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*Command) Help() string {
	return `A line for each event of the account as it happens: time, what happened, of which stream, and what people want to
know of it. On a terminal lines are as wide as it is. A cut connection is taken up where it was cut. Ctrl-C ends. It
needs a token with the permission audit:read. With -o json the events are shown as they are.

Examples:
  parley tail                                  everything, from now on
  parley tail --category calls --since 10m     calls, those of the last ten minutes first
  parley tail --call 018f... --since 1h        one call
  parley tail -o json | jq -r .type            for programs`
}

// Run follows until Ctrl-C, the limit, or until nobody reads.
func (c *Command) Run() error {
	ctx, stop := exit.OnSignalOr(os.Stdout)
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Show), os.Stderr)
}

// errEnough ends the following when the limit is reached.
var errEnough = errors.New("enough")

func (c *Command) run(ctx context.Context, out *show.Out, notes io.Writer) error {
	q, err := c.query(time.Now())
	if err != nil {
		return err
	}
	client, err := c.Client(events.Auditing())
	if err != nil {
		return err
	}
	left := c.Limit
	err = client.Follow(ctx, events.StreamPath, q, notes, func(data []byte) error {
		if err := c.tell(out, data); err != nil {
			return err
		}
		if left--; left == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || ctx.Err() != nil {
		return nil
	}
	return err
}

func (c *Command) tell(out *show.Out, data []byte) error {
	print := func() error { return out.Raw(data) }
	if !out.JSON() {
		e, err := story.Read(data)
		if err != nil {
			return err
		}
		print = func() error { return story.Tell(out, e) }
	}
	if err := print(); err != nil {
		return fmt.Errorf("the output failed: %w", err)
	}
	return nil
}

// query is what the API is asked for.
func (c *Command) query(now time.Time) (url.Values, error) {
	since, err := events.Moment("--since", c.Since, now)
	switch {
	case err != nil:
		return nil, err
	case c.Limit < 0:
		return nil, exit.Wrongf("--limit: %d is not a number of events; 0 goes on", c.Limit)
	case c.Call != "" && c.Stream != "":
		return nil, exit.Wrongf("--call and --stream: the stream of a call is call-ID; give one of them")
	}
	q := url.Values{}
	stream := c.Stream
	if c.Call != "" {
		stream = CallStream(c.Call)
	}
	for name, value := range map[string]string{"category": c.Category, "type": c.Type, "stream": stream, "correlation": c.Correlation} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if !since.IsZero() {
		q.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	return q, nil
}

// CallStream is the stream of a call.
func CallStream(id string) string { return "call-" + id }
