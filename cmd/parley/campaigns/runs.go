package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// The commands that trigger a campaign.
type (
	// StartCmd starts one.
	StartCmd struct {
		one `embed:""`
	}
	// PauseCmd holds one.
	PauseCmd struct {
		one `embed:""`
	}
	// ResumeCmd lets one go on.
	ResumeCmd struct {
		one `embed:""`
	}
)

// Run starts.
func (c *StartCmd) Run() error { return c.trigger("play") }

// Run holds.
func (c *PauseCmd) Run() error { return c.trigger("pause") }

// Run lets it go on.
func (c *ResumeCmd) Run() error { return c.trigger("resume") }

func (c one) trigger(what string) error {
	return c.with(func(ctx context.Context, d desk) error { return d.trigger(ctx, c.ID, what) })
}

func (d desk) trigger(ctx context.Context, id, what string) error {
	of, _, err := d.get(ctx, id) // the trigger wants to be told what kind it is
	if err != nil {
		return err
	}
	call := api.Post(api.Path("/api/v2/public/%s/campaign/trigger/%s", d.Project, id), struct{}{})
	call.Query = url.Values{"accountId": {d.Account}, "campaignType": {of.Type}, "trigger": {what}}
	var raw json.RawMessage
	if err := d.do(ctx, call, &raw); err != nil {
		return err
	}
	if d.out.JSON() {
		return d.out.Raw(raw)
	}
	var done struct {
		Message string `json:"message"`
		Run     string `json:"campaignInstanceId"`
	}
	if err := json.Unmarshal(raw, &done); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return d.out.Say("%s: run %s; how far it is: parley campaigns results %s", done.Message, done.Run, id)
}

// ResultsCmd shows a run.
type ResultsCmd struct {
	one   `embed:""`
	Which string `name:"run" help:"Id of the run: cid-...; the one that is under way, else the last one, when empty." env:"-" placeholder:"ID"`
}

// Run shows it.
func (c *ResultsCmd) Run() error {
	return c.with(func(ctx context.Context, d desk) error { return d.results(ctx, c.ID, c.Which) })
}

// run is what is shown of one.
type run struct {
	ID          string    `json:"campaignInstanceId"`
	Status      string    `json:"status"`
	Pass        int64     `json:"pass"`
	Contacts    int64     `json:"totalContacts"`
	Pending     int64     `json:"pending"`
	UnderWay    int64     `json:"underWay"`
	Calls       int64     `json:"totalCallsCompleted"`
	Messages    int64     `json:"totalMessagesSent"`
	Failed      int64     `json:"totalFailed"`
	StartedAt   time.Time `json:"startedAt"`
	EndedAt     time.Time `json:"endedAt"`
	NextOpening time.Time `json:"nextOpening"`
}

func (d desk) results(ctx context.Context, id, which string) error {
	if which == "" {
		of, _, err := d.get(ctx, id)
		if err != nil {
			return err
		}
		if of.Run == "" {
			return exit.Wrongf("campaign %s was never started; start it with: parley campaigns start %s", id, id)
		}
		which = of.Run
	}
	var got struct {
		Data json.RawMessage `json:"data"`
	}
	if err := d.do(ctx, api.Get(api.Path("/agentassist/api/v1/public/%s/campaign/%s/runs/%s", d.Project, id, which), nil), &got); err != nil {
		return err
	}
	if d.out.JSON() {
		return d.out.Raw(got.Data)
	}
	var r run
	if err := json.Unmarshal(got.Data, &r); err != nil {
		return fmt.Errorf("reading the run: %w", err)
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return d.out.Pairs(show.Pair{Name: "run", Text: r.ID}, show.Pair{Name: "status", Text: r.Status}, show.Pair{Name: "pass",
		Text: count(r.Pass)}, show.Pair{Name: "contacts", Text: count(r.Contacts)}, show.Pair{Name: "waiting", Text: count(r.Pending)},
		show.Pair{Name: "under way", Text: count(r.UnderWay)}, show.Pair{Name: "called", Text: count(r.Calls), Colour: show.Green},
		show.Pair{Name: "sent", Text: count(r.Messages), Colour: show.Green}, show.Pair{Name: "failed", Text: count(r.Failed),
			Colour: show.Red}, show.Pair{Name: "started", Text: show.Time(r.StartedAt)}, show.Pair{Name: "ended", Text: show.Time(r.EndedAt)},
		show.Pair{Name: "goes on", Text: show.Time(r.NextOpening)})
}
