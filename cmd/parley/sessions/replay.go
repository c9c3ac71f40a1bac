// Package sessions works on recorded sessions of agents by the API.
package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command is parley session.
type Command struct {
	Replay ReplayCmd `cmd:"" help:"Decide the turns of a recorded session again, by its own sources or by another version, and show the first difference."`
}

// ReplayCmd decides a session again.
type ReplayCmd struct {
	ID string `arg:"" help:"The session's id."`
	api.OfProject
	Against []string `help:"Decide by this version in place of the recorded one: 3, working-copy, or AGENT=3 for another agent than the first; may be given several times." env:"-" placeholder:"N"`
	api.Flags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*ReplayCmd) Help() string {
	return `The node decides each turn again, from the events of the session: what the user said, what tools and models answered,
and when, is taken from the log. Nothing is asked outside, nothing is written, and nobody notices.

Without --against it is decided by the sources that the session went by. That must come to the recorded events; where it
does not, the server decides otherwise than it did then, or the log was tampered with.
With --against it is decided by another version of an agent, against the same answers: the first difference shows what the
version would have done otherwise, at which turn and step. What comes after it cannot be compared any more.

Examples:
  parley session replay 0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70
  parley session replay 0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70 --against working-copy    before it is deployed
  parley session replay 0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70 --against 4 --against closer=2
  parley session replay 0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70 -o json | jq .replay.difference

It ends with 0 when all is as it was recorded, with 1 when something is not, or when the node is out of reach, and with 2 when
the session or the version was not found, or cannot be decided again.

A token with the permissions session:read and personal:read is needed.`
}

const permissions = "session:read,personal:read"

// Needs is what reading a session with its words needs.
var Needs = api.Need{Token: true, Issue: api.Issuing + " --permissions " + permissions, Next: map[int]string{
	http.StatusForbidden: "The token and its client need the permissions " + permissions + " (kind: Client, spec.permissions)",
	http.StatusNotFound:  "Look at the id and at --project; GET /api/projects/{projectId}/sessions lists the sessions of a project",
}}

// Run decides the session again.
func (c *ReplayCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Show))
}

func (c *ReplayCmd) run(ctx context.Context, out *show.Out) error {
	body, err := c.body()
	if err != nil {
		return err
	}
	client, err := c.Client(Needs)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if _, err := client.Do(ctx, api.Post(api.Path("/api/projects/%s/sessions/%s/replay", c.Project, c.ID), body), &raw); err != nil {
		return err
	}
	var answer struct{ Replay replayed }
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if out.JSON() {
		err = out.Raw(raw)
	} else {
		err = answer.Replay.tell(out)
	}
	if err == nil && !answer.Replay.Same {
		err = exit.Failed
	}
	return err
}

// body is what is asked of the node.
func (c *ReplayCmd) body() (map[string]any, error) {
	body, versions := map[string]any{}, map[string]string{}
	for _, against := range c.Against {
		agent, version, named := strings.Cut(against, "=")
		switch {
		case against == "" || named && (agent == "" || version == ""):
			return nil, exit.Wrongf("--against: %q must be a version, such as 3 or working-copy, or AGENT=3", against)
		case named:
			versions[agent] = version
		case body["version"] != nil:
			return nil, exit.Wrongf("--against: two versions of the agent that the session began with; name other agents: AGENT=3")
		default:
			body["version"] = against
		}
	}
	if len(versions) > 0 {
		body["versions"] = versions
	}
	return body, nil
}

// Spelled is the command line as its flags are called: of a replay --version with one is --against. Alone it
// asks, as everywhere, which Parley this is.
func Spelled(args []string) []string {
	if len(args) < 2 || args[0] != "session" || args[1] != "replay" {
		return args
	}
	out := slices.Clone(args)
	for i, arg := range out {
		version, given := strings.CutPrefix(arg, "--version=")
		switch {
		case given:
			out[i] = "--against=" + version
		case arg == "--version" && i+1 < len(out) && !strings.HasPrefix(out[i+1], "-"):
			out[i] = "--against"
		}
	}
	return out
}

// replayed is what is shown of a replay.
type replayed struct {
	Same       bool              `json:"same"`
	Turns      int               `json:"turns"`
	Decisions  int               `json:"decisions"`
	Passed     int               `json:"passed"`
	Versions   map[string]string `json:"versions"`
	Difference *difference       `json:"difference"`
}

type difference struct {
	Turn      int    `json:"turn"`
	AgentName string `json:"agentName"`
	Step      string `json:"step"`
	Input     string `json:"input"`
	Expected  *event `json:"expected"`
	Got       *event `json:"got"`
	Refused   string `json:"refused"`
}

type event struct {
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

func (r replayed) tell(out *show.Out) error {
	if d := r.Difference; d != nil {
		if err := d.tell(out); err != nil {
			return err
		}
	}
	var by []string
	for _, agent := range slices.Sorted(maps.Keys(r.Versions)) {
		by = append(by, agent+" "+r.Versions[agent])
	}
	title := show.Cell{Text: "the same", Colour: show.Green}
	if !r.Same {
		title = show.Cell{Text: "different", Colour: show.Red}
	}
	text := fmt.Sprintf("%d decisions in %d turns, by %s", r.Decisions, r.Turns, strings.Join(by, ", "))
	if r.Passed > 0 {
		text += fmt.Sprintf("; %d more were taken as they were", r.Passed)
	}
	return out.Line(title, show.Cell{Text: text})
}

func (d difference) tell(out *show.Out) error {
	at := fmt.Sprintf("turn %d, %s", d.Turn, d.AgentName)
	if d.Step != "" {
		at += ", step " + d.Step
	}
	expected, got := "nothing more", "nothing more"
	if d.Expected != nil {
		expected = d.Expected.words(d.Got)
	}
	if d.Got != nil {
		got = d.Got.words(d.Expected)
	}
	if d.Refused != "" {
		got = "refused: " + d.Refused
	}
	for _, cells := range [][]show.Cell{{{Text: at, Colour: show.Bold}, {Text: "on " + d.Input}},
		{{Text: "  - " + expected, Colour: show.Green}}, {{Text: "  + " + got, Colour: show.Red}}} {
		if err := out.Line(cells...); err != nil {
			return err
		}
	}
	return nil
}

// passedOver are members that say when and in which turn, which nobody compares.
var passedOver = []string{"at", "turn", "test"}

// words are an event with the members that differ from those of the other; of another kind of
// event, all.
func (e *event) words(other *event) string {
	words := []string{e.Type}
	for _, name := range slices.Sorted(maps.Keys(e.Data)) {
		value, _ := json.Marshal(e.Data[name]) // it came of JSON
		if slices.Contains(passedOver, name) {
			continue
		}
		if other != nil && other.Type == e.Type {
			if its, _ := json.Marshal(other.Data[name]); string(its) == string(value) {
				continue
			}
		}
		words = append(words, name+"="+string(value))
	}
	return strings.Join(words, " ")
}
