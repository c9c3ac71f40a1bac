// Package prices takes prices of models from public lists into the server's file of models. It
// asks no node, and changes nothing but that file.
package prices

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command is parley prices.
type Command struct {
	Import ImportCmd `cmd:"" help:"Take prices from a public list into the file of models, and show what changes."`
}

// ImportCmd takes prices of a list over.
type ImportCmd struct {
	List    string            `arg:"" help:"File or http(s) URL of the list: a JSON object with a row for each model, in LiteLLM's form." placeholder:"LIST"`
	Models  string            `help:"File of the models, as serve takes it." required:"" placeholder:"FILE"`
	As      map[string]string `help:"Row of the list for a model that is called otherwise there: ID=ROW, several with semicolons." env:"-" placeholder:"ID=ROW"`
	Version string            `name:"price-version" help:"What the prices that change are known by: from when they are. Today when empty." env:"-" placeholder:"VERSION"`
	DryRun  bool              `help:"Show what would change, and change nothing." env:"-"`
	show.Flags
}

// Help is shown with --help.
func (*ImportCmd) Help() string {
	return `A row says what a token costs in US dollars (input_cost_per_token, output_cost_per_token); the file has it for a million
tokens, exactly. A model has the row that is called as its provider calls it, or so behind openai/ or anthropic/. Models of
a server of your own (baseUrl), and local ones, have none unless --as names it. Other prices of a row, such as those of
cached tokens, cannot be said in the file: they are told.

Where a row is wrong, each is named and the file stays as it is. Prices that are as they were keep their version. What is
written takes effect when a node is started again with it: give it to all of them.

Examples:
  parley prices import model_prices_and_context_window.json --models models.yaml --dry-run
  parley prices import https://prices.example.com/list.json --models models.yaml
  parley prices import list.json --models models.yaml --as large=together_ai/llama-70b

It ends with 0 when the file has the prices of the list, with 1 when the list is out of reach, and with 2 when one of the two
files has to be changed.`
}

// Run takes them over.
func (c *ImportCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, show.To(os.Stdout, c.Flags), time.Now())
}

func (c *ImportCmd) run(ctx context.Context, out *show.Out, now time.Time) error {
	content, err := c.read(ctx)
	if err != nil {
		return err
	}
	list, err := llm.ReadPriceList(content)
	if err != nil {
		return exit.Wrongf("%s: %v", c.List, err)
	}
	file, err := os.ReadFile(c.Models)
	if err != nil {
		return exit.Wrongf("--models: %v", err)
	}
	if c.Version == "" {
		c.Version = now.Format(time.DateOnly)
	}
	priced, all, err := llm.Repricing{List: list, As: c.As, Version: c.Version}.In(file)
	if err != nil {
		return exit.Wrongf("%s stays as it is: %v", c.Models, err)
	}
	changes := 0
	for _, m := range all {
		if m.Outcome == llm.PriceAdded || m.Outcome == llm.PriceChanged {
			changes++
		}
	}
	if changes > 0 && !c.DryRun {
		if err := replace(c.Models, priced); err != nil {
			return err
		}
	}
	return c.tell(out, all, changes)
}

const listFor = time.Minute // until a list is here

// read reads the list.
func (c *ImportCmd) read(ctx context.Context) ([]byte, error) {
	if !strings.HasPrefix(c.List, "http://") && !strings.HasPrefix(c.List, "https://") {
		file, err := os.Open(c.List)
		if err != nil {
			return nil, exit.Wrongf("the list: %v", err)
		}
		defer func() { _ = file.Close() }()
		return llm.ReadAllOfPriceList(file)
	}
	ctx, cancel := context.WithTimeout(ctx, listFor)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.List, nil)
	if err != nil {
		return nil, exit.Wrongf("the list: %v", err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("getting the list: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("getting the list: %s answers %s", r.URL.Host, res.Status)
	}
	content, err := llm.ReadAllOfPriceList(res.Body)
	if err != nil {
		return nil, fmt.Errorf("getting the list: %w", err)
	}
	return content, nil
}

// replace puts content in the place of a file, all of it or nothing.
func replace(name string, content []byte) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return fmt.Errorf("finding the file of models: %w", err)
	}
	was, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("looking at the file of models: %w", err)
	}
	part, err := os.CreateTemp(filepath.Dir(name), ".prices-*")
	if err != nil {
		return fmt.Errorf("making the file of models: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing the file of models: %w", err), os.Remove(part.Name()))
		}
	}()
	_, err = part.Write(content)
	if err = errors.Join(err, part.Chmod(was.Mode().Perm()), part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}

func (c *ImportCmd) tell(out *show.Out, all []llm.Repriced, changes int) error {
	if out.JSON() {
		for _, m := range all {
			if err := out.Object(m); err != nil {
				return err
			}
		}
		return nil
	}
	rows := make([][]show.Cell, 0, len(all))
	for _, m := range all {
		rows = append(rows, show.Of(m.Model, m.Outcome, dollars(m.Before), dollars(m.After), m.Row, strings.Join(m.LeftOut, ", ")))
	}
	if err := out.Table([]string{"MODEL", "PRICE", "BEFORE", "NOW", "ROW", "LEFT OUT"}, rows); err != nil {
		return err
	}
	switch {
	case changes == 0:
		return out.Say("%s has these prices already", c.Models)
	case c.DryRun:
		return out.Say("prices that would change: %d; nothing was written", changes)
	}
	return out.Say("prices that changed: %d; start the nodes again with %s", changes, c.Models)
}

// dollars are those for a million tokens, in and out.
func dollars(p *llm.Price) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%s / %s (%s)", p.Input, p.Output, p.Version)
}
