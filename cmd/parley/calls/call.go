// Package calls places calls, lists them, and shows what became of them, by the API.
package calls

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// DialCmd places a call.
type DialCmd struct {
	Target string `arg:"" help:"Whom to call: +15550000001, tel:+15550000001 or sip:user@host."`
	api.OfProject
	Caller           string            `help:"Our number, which chooses who takes the call." required:"" env:"PARLEY_CALLER,CALLER" dev:"CALLER" placeholder:"NUMBER"`
	MachineDetection string            `help:"disabled; detect: find out whether a machine answered; disconnect: and hang up on it." enum:"disabled,detect,disconnect" default:"disabled" placeholder:"MODE"`
	Words            int               `help:"With machine detection: as many words are a machine's, 1 to 100; 9 when 0." placeholder:"N"`
	NotifyURL        string            `name:"notify-url" help:"Who is notified; none when empty." env:"PARLEY_NOTIFY_URL,NOTIFY_URL" dev:"NOTIFY_URL" placeholder:"URL"`
	NotifyHeader     map[string]string `help:"Headers of the notifications. Repeat it for more." placeholder:"NAME=VALUE"`
	Timeout          time.Duration     `help:"How long it may ring: 1s to 5m; a minute when 0." placeholder:"DURATION"`
	Trunk            string            `help:"Carrier of the account; its default one when empty." placeholder:"NAME"`
	Metadata         string            `help:"JSON that is passed to the agent." placeholder:"JSON"`
	IdempotencyKey   string            `help:"Makes repeating the command safe: with the same key there is one call." env:"-" placeholder:"KEY"`
	Follow           bool              `short:"f" help:"Show what happens to it until it ends; Ctrl-C leaves it to itself."`
	api.Flags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*DialCmd) Help() string {
	return `Beside parley serve --dev, in the same folder, all but the number is read from .data/dev.env; its carrier is simulated,
and the number chooses who answers (+15550000001 a person, 0002 a machine, 0005 busy).

Examples:
  parley call +15550000001 --follow
  parley call +15550000002 --machine-detection disconnect -f
  parley call sip:desk@pbx.example:5060 --project acme-bot --caller 15550100 --notify-url https://crm.example/calls
  ID=$(parley call +15550000001 -o json | jq -r .callId); parley calls $ID

With --follow it ends with 3 when nobody answered, and -o json prints what became of the call once it is over. Who may
not read events (permission audit:read) is told its status alone.`
}

var dialling = api.Need{Token: true, Issue: api.Issuing + " --scopes 'Assist Dialout'", Next: map[int]string{
	http.StatusForbidden: "The token and its client need the scope Assist Dialout (kind: Client, spec.scopes)",
	http.StatusNotFound:  "The project must exist in the account of the token: look at --project",
}}

// Run dials.
func (c *DialCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Show), os.Stderr)
}

func (c *DialCmd) run(ctx context.Context, out *show.Out, notes io.Writer) error {
	body, err := c.request()
	if err != nil {
		return err
	}
	client, err := c.Client(dialling)
	if err != nil {
		return err
	}
	var placed struct {
		CallID string `json:"callId"`
		SID    string `json:"sid"`
	}
	call := api.Post(api.Path("/api/1.1/public/bot/%s/assist/dialout", c.Project), body)
	call.Key = c.IdempotencyKey
	begun := time.Now()
	if _, err := client.Do(ctx, call, &placed); err != nil {
		return err
	}
	if c.Follow {
		f := follower{client: client, project: c.Project, call: placed.CallID, since: begun, out: out, notes: notes}
		return f.follow(ctx)
	}
	if out.JSON() {
		return out.Object(placed)
	}
	return out.Say("call %s is placed; what becomes of it: parley calls %s", placed.CallID, placed.CallID)
}

// request is the body of dial-out; what is not said is left out, so that the API decides.
func (c *DialCmd) request() (map[string]any, error) {
	body := map[string]any{"botId": c.Project, "target": target(c.Target), "caller": c.Caller,
		"machineDetection": c.MachineDetection}
	if c.Metadata != "" {
		if !json.Valid([]byte(c.Metadata)) {
			return nil, exit.Wrongf("--metadata: %s is not JSON; quote it for the shell, as in --metadata '{\"order\":17}'", c.Metadata)
		}
		body["metadata"] = json.RawMessage(c.Metadata)
	}
	for name, value := range map[string]string{"notifyurl": c.NotifyURL, "trunk": c.Trunk} {
		if value != "" {
			body[name] = value
		}
	}
	if c.Words != 0 {
		body["thresholdWordCount"] = c.Words
	}
	if c.Timeout != 0 {
		body["timeoutInMs"] = c.Timeout.Milliseconds()
	}
	if len(c.NotifyHeader) > 0 {
		body["notifyHeaders"] = c.NotifyHeader
	}
	return body, nil
}

// target is a number as people write it, as the URI that the API takes.
func target(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "tel:"), strings.HasPrefix(text, "sip:"), strings.HasPrefix(text, "sips:"):
		return text
	case strings.Contains(text, "@"):
		return "sip:" + text
	}
	return "tel:" + strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", ".", "", "/", "").Replace(text)
}
