package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command lists calls, or shows one.
type Command struct {
	ID     string `arg:"" optional:"" help:"callId of the call to show; without it calls are listed."`
	Status string `help:"Only calls with this status: dialing, ringing, inProgress, completed, machineDetected or failed." enum:",dialing,ringing,inProgress,completed,machineDetected,failed" default:"" placeholder:"STATUS"`
	Limit  int    `short:"n" help:"How many, the newest first; 0: all." default:"20" placeholder:"N"`
	Offset int    `help:"How many to pass over." default:"0" placeholder:"N"`
	api.OfProject
	api.KeyFlags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*Command) Help() string {
	return `Calls that were placed, the newest first, whatever became of them. A token needs the permission session:read, an API key
SESSIONS_LIST; one call is shown to a token with the scope Assist Dialout.

Examples:
  parley calls
  parley calls --status failed -n 100
  parley calls 018f0000-0000-7000-8000-000000000001
  parley calls -n 0 -o json | jq -r 'select(.machineDetection) | .conversationId'`
}

var listing = api.Need{Token: true, Key: true, Next: map[int]string{
	http.StatusForbidden: "A token and its client need the permission session:read (kind: Client, spec.permissions), an API key " +
		"SESSIONS_LIST in its scope (kind: Scope)",
	http.StatusNotFound: "The project must exist in the account of the credential: look at --project",
}}

// interaction is a call as the API shows it.
type interaction struct {
	ID          string    `json:"conversationId"`
	Session     string    `json:"sessionId"`
	Channel     string    `json:"channel"`
	Direction   string    `json:"direction"`
	Status      string    `json:"status"`
	To          string    `json:"userId"`
	From        string    `json:"centerId"`
	Agent       string    `json:"agentName"`
	Detected    string    `json:"machineDetection"`
	DurationMs  *int64    `json:"durationMs"`
	Reason      string    `json:"reason"`
	ReasonCode  string    `json:"reasonCode"`
	RequestedAt time.Time `json:"requestedAt"`
	StartedAt   time.Time `json:"startedAt"`
	EndedAt     time.Time `json:"endedAt"`
}

const failedStatus = "failed"

func (i interaction) over() bool {
	return i.Status == "completed" || i.Status == "machineDetected" || i.Status == failedStatus
}

func (i interaction) colour() show.Colour {
	switch {
	case i.Status == failedStatus:
		return show.Red
	case i.over():
		return show.Green
	}
	return show.Yellow
}

func (i interaction) duration() string {
	if i.DurationMs == nil {
		return ""
	}
	return fmt.Sprintf("%.1f s", float64(*i.DurationMs)/1000)
}

// detected is the verdict of machine detection, without what all of them begin and end with.
func (i interaction) detected() string {
	return strings.TrimSuffix(strings.TrimPrefix(i.Detected, "amd_"), "_detected")
}

// verdict is what became of it, in a line.
func (i interaction) verdict() string {
	var words []string
	why := i.ReasonCode
	if i.Status == failedStatus {
		why = i.Reason // with the number that tells more
	}
	for _, w := range []string{i.duration(), i.Detected, why} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// Run lists or shows.
func (c *Command) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Show), os.Stderr)
}

func (c *Command) run(ctx context.Context, out *show.Out, notes io.Writer) error {
	if c.ID != "" {
		return c.one(ctx, out)
	}
	if c.Limit < 0 || c.Offset < 0 {
		return exit.Wrongf("--limit and --offset: %d and %d must not be negative", c.Limit, c.Offset)
	}
	client, err := c.Client(listing)
	if err != nil {
		return err
	}
	all, total, err := c.list(ctx, client)
	if err != nil {
		return err
	}
	if out.JSON() {
		for _, raw := range all {
			if err := out.Raw(raw); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return out.Say("no such calls; place one with: parley call +15550000001")
	}
	if err := table(out, all); err != nil {
		return err
	}
	if shown := c.Offset + len(all); shown < total {
		fmt.Fprintf(notes, "%d of %d; the next ones: --offset %d, all: -n 0\n", len(all), total, shown)
	}
	return nil
}

const mostOfAPage = 200

// list asks for pages until there are enough.
func (c *Command) list(ctx context.Context, client *api.Client) (all []json.RawMessage, total int, err error) {
	q := url.Values{}
	if c.Status != "" {
		q.Set("status", c.Status)
	}
	for {
		size := mostOfAPage
		if c.Limit > 0 {
			size = min(size, c.Limit-len(all))
		}
		q.Set("limit", strconv.Itoa(size))
		q.Set("offset", strconv.Itoa(c.Offset+len(all)))
		var page struct {
			Interactions []json.RawMessage
			Pagination   struct{ Total int }
		}
		if _, err := client.Do(ctx, api.Get(api.Path("/api/v1/projects/%s/interactions", c.Project), q), &page); err != nil {
			return nil, 0, err
		}
		all, total = append(all, page.Interactions...), page.Pagination.Total
		if len(page.Interactions) < size || len(all) == c.Limit {
			return all, total, nil
		}
	}
}

func table(out *show.Out, all []json.RawMessage) error {
	var rows [][]show.Cell
	for _, raw := range all {
		var i interaction
		if err := json.Unmarshal(raw, &i); err != nil {
			return fmt.Errorf("reading a call: %w", err)
		}
		row := show.Of(i.ID, i.Status, i.To, show.Clock(i.RequestedAt, time.Now()), i.duration(), i.detected(), i.Agent, i.From)
		row[1].Colour = i.colour()
		rows = append(rows, row)
	}
	return out.Table([]string{"CALL", "STATUS", "TO", "WHEN", "LASTED", "DETECTED", "AGENT", "FROM"}, rows)
}

// one shows a call.
func (c *Command) one(ctx context.Context, out *show.Out) error {
	client, err := c.Flags.Client(readingOne)
	if err != nil {
		return err
	}
	i, raw, err := get(ctx, client, c.Project, c.ID)
	if err != nil {
		return err
	}
	if out.JSON() {
		return out.Raw(raw)
	}
	return out.Pairs(show.Pair{Name: "call", Text: i.ID}, show.Pair{Name: "status", Text: i.Status, Colour: i.colour()},
		show.Pair{Name: "to", Text: i.To}, show.Pair{Name: "from", Text: i.From}, show.Pair{Name: "agent", Text: i.Agent},
		show.Pair{Name: "detected", Text: i.Detected}, show.Pair{Name: "lasted", Text: i.duration()},
		show.Pair{Name: "reason", Text: i.Reason}, show.Pair{Name: "reason code", Text: i.ReasonCode},
		show.Pair{Name: "requested", Text: show.Time(i.RequestedAt)}, show.Pair{Name: "answered", Text: show.Time(i.StartedAt)},
		show.Pair{Name: "ended", Text: show.Time(i.EndedAt)}, show.Pair{Name: "session", Text: i.Session},
		show.Pair{Name: "events", Text: "parley events --stream call-" + i.ID, Colour: show.Faint})
}

// readingOne is what reading one call needs.
var readingOne = api.Need{Token: true, Issue: dialling.Issue, Next: map[int]string{
	http.StatusForbidden: dialling.Next[http.StatusForbidden],
	http.StatusNotFound:  "There is no such call in this project: look at the id and at --project; parley calls lists them",
}}

// get reads one call, as it is and as it came.
func get(ctx context.Context, client *api.Client, project, id string) (i interaction, raw json.RawMessage, err error) {
	if _, err = client.Do(ctx, api.Get(api.Path("/api/1.1/public/bot/%s/assist/dialout/%s", project, id), nil), &raw); err != nil {
		return i, nil, err
	}
	if err = json.Unmarshal(raw, &i); err != nil {
		return i, nil, fmt.Errorf("reading the call: %w", err)
	}
	return i, raw, nil
}
