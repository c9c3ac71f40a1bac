// Package campaigns lists campaigns, starts and holds them, and shows how far their runs
// are, by the API.
package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command is parley campaigns.
type Command struct {
	List    ListCmd    `cmd:"" default:"withargs" help:"The campaigns of a project, with their status."`
	Show    ShowCmd    `cmd:"" help:"One campaign."`
	Start   StartCmd   `cmd:"" help:"Start a campaign: a new run reaches its contacts."`
	Pause   PauseCmd   `cmd:"" help:"Hold a campaign: calls that are under way end, and no contact is called."`
	Resume  ResumeCmd  `cmd:"" help:"Let a paused campaign go on where it was."`
	Results ResultsCmd `cmd:"" help:"How far a run is: who was reached, who waits, what failed."`
}

// asking is how every command of campaigns asks.
type asking struct {
	api.OfProject
	Account string `help:"The account of the token; read from the token when empty." env:"-" placeholder:"ID"`
	api.Flags
	Form show.Flags `embed:""`
}

var needs = api.Need{Token: true, Issue: api.Issuing + " --scopes 'Campaign Management'", Next: map[int]string{
	http.StatusForbidden: "The token and its client need the scope Campaign Management (kind: Client, spec.scopes), and the " +
		"account has to be the token's own",
	http.StatusNotFound: "Look at the id and at --project; parley campaigns lists those of the project",
}}

// desk is an open asking.
type desk struct {
	asking
	client *api.Client
	out    *show.Out
}

// open prints to what is given.
func (a asking) open(out io.Writer) (desk, error) {
	client, err := a.Client(needs)
	if err != nil {
		return desk{}, err
	}
	if a.Account == "" {
		a.Account = client.Account()
	}
	return desk{a, client, show.To(out, a.Form)}, nil
}

// with opens, and ends what is done with it at Ctrl-C.
func (a asking) with(do func(ctx context.Context, d desk) error) error {
	ctx, stop := exit.OnSignal()
	defer stop()
	d, err := a.open(os.Stdout)
	if err != nil {
		return err
	}
	return do(ctx, d)
}

// do asks with the headers that the operations of campaigns want.
func (d desk) do(ctx context.Context, call api.Call, into any) error {
	call.Header = map[string]string{"accountId": d.Account, "iid": d.Project}
	_, err := d.client.Do(ctx, call, into)
	return err
}

// campaign is what is shown of one.
type campaign struct {
	ID           string    `json:"_id"`
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Status       string    `json:"status"`
	Type         string    `json:"campaignType"`
	Run          string    `json:"campaignInstanceId"`
	Priority     string    `json:"priority"`
	Flow         string    `json:"experienceFlowName"`
	ContactLists []string  `json:"contactLists"`
	Calls        int64     `json:"totalCallsCompleted"`
	Messages     int64     `json:"totalMessagesSent"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

func (c campaign) colour() show.Colour {
	return map[string]show.Colour{"Active": show.Green, "Paused": show.Yellow}[c.Status]
}

// reached is how many contacts all runs reached.
func (c campaign) reached() string {
	if c.Type == "sms" {
		return fmt.Sprintf("%d sent", c.Messages)
	}
	return fmt.Sprintf("%d called", c.Calls)
}

// ListCmd lists campaigns.
type ListCmd struct {
	asking `embed:""`
}

// Help is shown with --help.
func (*ListCmd) Help() string {
	return `A token with the scope Campaign Management is needed.

Examples:
  parley campaigns
  parley campaigns list -o json | jq -r 'select(.status == "Active")._id'
  parley campaigns start cd-acme-renewals
  parley campaigns results cd-acme-renewals`
}

const page = 200

// Run lists.
func (c *ListCmd) Run() error {
	return c.with(func(ctx context.Context, d desk) error { return d.list(ctx) })
}

func (d desk) list(ctx context.Context) error {
	var all []json.RawMessage
	for {
		var got struct {
			Campaigns []json.RawMessage `json:"campaigns"`
		}
		q := url.Values{"limit": {strconv.Itoa(page)}, "offset": {strconv.Itoa(len(all))}}
		if err := d.do(ctx, api.Get(api.Path("/agentassist/api/v1/public/%s/campaigns", d.Project), q), &got); err != nil {
			return err
		}
		all = append(all, got.Campaigns...)
		if len(got.Campaigns) < page {
			return d.table(all)
		}
	}
}

func (d desk) table(all []json.RawMessage) error {
	if len(all) == 0 && !d.out.JSON() {
		return d.out.Say("no campaigns; make one with POST /agentassist/api/v1/public/{IID}/campaigns")
	}
	heads := []string{"CAMPAIGN", "STATUS", "REACHED", "NAME", "TYPE", "CHANGED", "LAST RUN"}
	return show.Rows(d.out, "a campaign", heads, all, func(c campaign) []show.Cell {
		row := show.Of(c.ID, c.Status, c.reached(), c.Name, c.Type, show.Clock(c.UpdatedAt, time.Now()), c.Run)
		row[1].Colour = c.colour()
		return row
	})
}

// get reads one campaign, as it is and as it came.
func (d desk) get(ctx context.Context, id string) (c campaign, raw json.RawMessage, err error) {
	var got struct {
		Data json.RawMessage `json:"data"`
	}
	if err := d.do(ctx, api.Get(api.Path("/agentassist/api/v1/public/%s/campaign/%s", d.Project, id), nil), &got); err != nil {
		return c, nil, err
	}
	if err := json.Unmarshal(got.Data, &c); err != nil {
		return c, nil, fmt.Errorf("reading the campaign: %w", err)
	}
	return c, got.Data, nil
}

// one is a campaign that is named.
type one struct {
	ID string `arg:"" help:"Id of the campaign: cd-..."`
	asking
}

// ShowCmd shows one.
type ShowCmd struct {
	one `embed:""`
}

// Run shows it.
func (c *ShowCmd) Run() error {
	return c.with(func(ctx context.Context, d desk) error { return d.show(ctx, c.ID) })
}

func (d desk) show(ctx context.Context, id string) error {
	got, raw, err := d.get(ctx, id)
	if err != nil {
		return err
	}
	if d.out.JSON() {
		return d.out.Raw(raw)
	}
	pairs := []show.Pair{{Name: "campaign", Text: got.ID}, {Name: "name", Text: got.Name}, {Name: "description", Text: got.Description},
		{Name: "type", Text: got.Type}, {Name: "status", Text: got.Status, Colour: got.colour()}, {Name: "priority", Text: got.Priority},
		{Name: "flow", Text: got.Flow}, {Name: "reached", Text: got.reached()}, {Name: "last run", Text: got.Run},
		{Name: "changed", Text: show.Time(got.UpdatedAt)}}
	for _, list := range got.ContactLists {
		pairs = append(pairs, show.Pair{Name: "contact list", Text: list})
	}
	return d.out.Pairs(pairs...)
}
