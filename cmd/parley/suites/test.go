// Package suites runs test suites of agents by the API, and shows what differed.
package suites

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

// Command is parley test.
type Command struct {
	Run    RunCmd    `cmd:"" default:"withargs" help:"Run a test suite, or list those that there are."`
	Record RecordCmd `cmd:"" help:"Save a session as a test suite, with what its tools answered as mocks."`
}

// RunCmd runs a suite.
type RunCmd struct {
	Suite string `arg:"" optional:"" help:"Name of the test suite, or agent:NAME for the TESTS in the source of an agent; without one the suites are listed."`
	api.OfProject
	Deployment  string `help:"Play the agents of this deployment: d-...; working copies when neither this nor --environment is said." xor:"what" env:"-" placeholder:"ID"`
	Environment string `help:"Play the agents that serve dev, staging or production." xor:"what" env:"-" placeholder:"NAME"`
	Language    string `help:"In which agents speak, such as de-AT; what the suite says when empty." env:"-" placeholder:"TAG"`
	NoWait      bool   `name:"no-wait" help:"Ask for the run and leave it to itself."`
	api.Flags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*RunCmd) Help() string {
	return `Runs every case of the suite on the node, purely: tools are answered in place of by the mocks of the case, no session
is made, and nothing of it is in a report. A suite is a manifest of kind TestSuite, or the TESTS of an agent's source.

Examples:
  parley test                                        the suites of the project
  parley test acme-meter                             against the working copies, as parley apply left them
  parley test acme-meter --environment staging       against what staging serves
  parley test agent:acme-meter --language de
  parley test run record                             a suite that is named as a command
  parley test acme-meter -o json | jq '.failures[] | {case, turn, differences}'

It ends with 0 when all is as expected, with 1 when something is not, or when the node is out of reach, and with 2 when the
suite could not be played or was not found: then something has to be changed. Ctrl-C leaves the run to itself.

A token with the scope Conversation Tests Execution is needed.`
}

var needs = api.Need{Token: true, Issue: api.Issuing + " --scopes 'Conversation Tests Execution'", Next: map[int]string{
	http.StatusForbidden: "The token and its client need the scope Conversation Tests Execution (kind: Client, spec.scopes)",
	http.StatusNotFound:  "Look at the name and at --project; parley test without a name lists the suites of the project",
}}

// Run runs the suite.
func (c *RunCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Show), os.Stderr)
}

func (c *RunCmd) run(ctx context.Context, out *show.Out, notes io.Writer) error {
	client, err := c.Client(needs)
	if err != nil {
		return err
	}
	if c.Suite == "" {
		return c.list(ctx, client, out)
	}
	body := map[string]any{}
	for name, value := range map[string]string{"deploymentId": c.Deployment, "environment": c.Environment, "language": c.Language} {
		if value != "" {
			body[name] = value
		}
	}
	var raw json.RawMessage
	if _, err := client.Do(ctx, api.Post(c.path("/run"), body), &raw); err != nil {
		return err
	}
	r, err := read(raw)
	if err != nil {
		return err
	}
	if c.NoWait {
		if out.JSON() {
			return out.Raw(raw)
		}
		return out.Say("run %s of %s is asked for; how far it is: GET %s", r.ID, c.Suite, c.path("/"+r.ID+"/status"))
	}
	if !out.JSON() {
		fmt.Fprintf(notes, "run %s of %s: %d steps\n", r.ID, c.Suite, r.Total)
	}
	if raw, r, err = c.follow(ctx, client, r, out, notes); err != nil {
		return err
	}
	if r.Status == "inprogress" {
		fmt.Fprintf(notes, "parley: the run goes on; how far it is: GET %s\n", c.path("/"+r.ID+"/status"))
		return exit.Interrupted
	}
	if out.JSON() {
		err = out.Raw(raw)
	} else {
		err = r.tell(out)
	}
	if err != nil {
		return err
	}
	return r.code()
}

func (c *RunCmd) path(more string) string {
	return api.Path("/api/public/stream/%s/conversation/testsuite/%s", c.Project, c.Suite) + more
}

// asking is the pause between two questions for the status.
const asking = 250 * time.Millisecond

// follow asks how far the run is until it has ended, or nobody waits any more.
func (c *RunCmd) follow(ctx context.Context, client *api.Client, asked run, out *show.Out, notes io.Writer) (raw json.RawMessage, r run,
	err error) {
	told := 0
	for {
		if _, err = client.Do(ctx, api.Get(c.path("/"+asked.ID+"/status"), nil), &raw); err != nil {
			if ctx.Err() != nil {
				return raw, asked, nil
			}
			return raw, r, fmt.Errorf("the run %s goes on, and cannot be followed: %w", asked.ID, err)
		}
		if r, err = read(raw); err != nil || r.Status != "inprogress" {
			return raw, r, err
		}
		if r.Percentage > told && !out.JSON() {
			told = r.Percentage
			fmt.Fprintf(notes, "%3d %%\n", told)
		}
		select {
		case <-ctx.Done():
			return raw, r, nil
		case <-time.After(asking):
		}
	}
}

// suite is what is shown of one in the list.
type suite struct {
	ID       string `json:"_id"`
	Name     string `json:"name"`
	Agent    string `json:"agentName"`
	Language string `json:"language"`
	Cases    int    `json:"cases"`
	Steps    int    `json:"totalTestStepsCount"`
}

const page = 200

func (c *RunCmd) list(ctx context.Context, client *api.Client, out *show.Out) error {
	var all []json.RawMessage
	for {
		var got struct {
			Suites []json.RawMessage `json:"testSuites"`
		}
		q := url.Values{"limit": {strconv.Itoa(page)}, "offset": {strconv.Itoa(len(all))}}
		if _, err := client.Do(ctx, api.Get(api.Path("/api/public/stream/%s/conversation/testsuites", c.Project), q), &got); err != nil {
			return err
		}
		all = append(all, got.Suites...)
		if len(got.Suites) < page {
			break
		}
	}
	if len(all) == 0 && !out.JSON() {
		return out.Say("no test suites; apply a manifest of kind TestSuite, or run the TESTS of an agent with: parley test agent:NAME")
	}
	return show.Rows(out, "a test suite", []string{"SUITE", "AGENT", "CASES", "STEPS", "LANGUAGE", "ID"}, all, func(s suite) []show.Cell {
		return show.Of(s.Name, s.Agent, strconv.Itoa(s.Cases), strconv.Itoa(s.Steps), s.Language, s.ID)
	})
}
