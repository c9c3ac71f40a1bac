package suites

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/sessions"
)

// RecordCmd saves a session as a test suite.
type RecordCmd struct {
	Session string `arg:"" help:"The session's id."`
	Suite   string `help:"Name of the suite that it becomes." required:"" env:"-" placeholder:"NAME"`
	Case    string `help:"Name of the case; the session's id when empty." env:"-" placeholder:"NAME"`
	api.OfProject
	Output string `short:"o" help:"Form of the manifest: yaml, or json for programs." enum:"yaml,json" default:"yaml" env:"-" placeholder:"FORM"`
	To     string `short:"t" help:"File to write the manifest to; without it, it is printed. One that is there is not replaced." env:"-" placeholder:"FILE"`
	api.Flags
}

// Help is shown with --help.
func (*RecordCmd) Help() string {
	return `Writes a manifest of kind TestSuite with the session as its case: what the user said since the last reset as its turns,
what was said to it and where it led as what is expected, and what the tools answered as mocks, in their order. Look through
it: it says more than a test should ask for, and it has the words of a person. Then apply it, and run it.

Examples:
  parley test record 0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70 --suite acme-meter-gas --to suite.yaml
  parley apply -f suite.yaml && parley test acme-meter-gas

What of the session a case cannot have is told on the error output. A session in which a model was asked cannot be saved: a
test asks nobody.

It ends with 0 when the case comes to the same as the session did, with 1 when it does not, or when the node is out of reach,
and with 2 when the session was not found, or cannot be saved.

A token with the permissions session:read and personal:read is needed.`
}

// Run saves it.
func (c *RecordCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, os.Stdout, os.Stderr)
}

func (c *RecordCmd) run(ctx context.Context, out, notes io.Writer) error {
	client, err := c.Client(sessions.Needs)
	if err != nil {
		return err
	}
	q := url.Values{}
	if c.Case != "" {
		q.Set("name", c.Case)
	}
	var got struct {
		Suite  json.RawMessage
		Notes  []string
		Played struct {
			Passed bool
			Wrong  string
		}
	}
	if _, err := client.Do(ctx, api.Get(api.Path("/api/projects/%s/sessions/%s/testcase", c.Project, c.Session), q), &got); err != nil {
		return err
	}
	text, err := manifest(c.Suite, client.Account(), got.Suite)
	if err == nil && c.Output != "json" {
		text, err = inYAML(text)
	}
	if err != nil {
		return err
	}
	if err := c.write(out, text); err != nil {
		return err
	}
	for _, n := range got.Notes {
		fmt.Fprintln(notes, "parley: "+n)
	}
	if !got.Played.Passed {
		fmt.Fprintln(notes, "parley: as it is, the case does not come to the same: "+got.Played.Wrong)
		return exit.Failed
	}
	return nil
}

func (c *RecordCmd) write(out io.Writer, text []byte) error {
	if c.To == "" {
		_, err := out.Write(text)
		return err
	}
	f, err := os.OpenFile(c.To, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return exit.Wrongf("--to: %s is there already, and is not replaced", c.To)
	}
	if err != nil {
		return exit.Wrongf("--to: %v", err)
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// manifest is the suite as parley apply takes it, in a line of JSON.
func manifest(name, tenant string, spec json.RawMessage) ([]byte, error) {
	type metadata struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Tenant string `json:"tenant,omitempty"`
	}
	whole, err := json.Marshal(struct {
		Kind     string          `json:"kind"`
		Metadata metadata        `json:"metadata"`
		Spec     json.RawMessage `json:"spec"`
	}{"TestSuite", metadata{"ts-" + idOf(name), name, tenant}, spec})
	if err != nil {
		return nil, fmt.Errorf("reading the suite: %w", err)
	}
	return append(whole, '\n'), nil
}

// inYAML is the same for people, with its members in the order in which the node gave them.
func inYAML(whole []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(whole, &doc); err != nil { // JSON is YAML
		return nil, fmt.Errorf("reading the suite: %w", err)
	}
	plainly(&doc)
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, fmt.Errorf("writing the suite: %w", err)
	}
	return text.Bytes(), nil
}

// plainly writes what came as JSON as people write YAML: without braces, quoted where that is
// needed.
func plainly(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		switch {
		case strings.Contains(n.Value, "\n"):
			n.Style = yaml.LiteralStyle
		case slices.Contains(oldBooleans, strings.ToLower(n.Value)):
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	for _, c := range n.Content {
		plainly(c)
	}
}

// oldBooleans are texts that older readers of YAML take for true and false.
var oldBooleans = []string{"y", "n", "yes", "no", "on", "off"}

// idOf is a name as ids are spelt.
func idOf(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name), "-")
}
