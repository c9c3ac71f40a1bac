package suites

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// run is what is shown of a run of a suite.
type run struct {
	ID         string `json:"_id"`
	Status     string `json:"status"`
	Total      int    `json:"totalTestStepsCount"`
	Percentage int    `json:"percentageCompleted"`
	Result     struct {
		Version  string `json:"version"`
		Steps    counts `json:"stepDetails"`
		Duration int64  `json:"duration"`
	} `json:"result"`
	Reason   string    `json:"reason"`
	Failures []failure `json:"failures"`
}

type counts struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Total  int `json:"total"`
}

type failure struct {
	Case        string `json:"case"`
	Turn        int    `json:"turn"`
	Error       string `json:"error"`
	Differences []struct {
		What     string `json:"what"`
		Expected string `json:"expected"`
		Got      string `json:"got"`
	} `json:"differences"`
}

func read(raw json.RawMessage) (r run, err error) {
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("reading the run: %w", err)
	}
	return r, nil
}

// tell prints each difference, and then how it went.
func (r run) tell(out *show.Out) error {
	for _, f := range r.Failures {
		if err := f.tell(out); err != nil {
			return err
		}
	}
	colour := map[string]show.Colour{"passed": show.Green, "failed": show.Red, "error": show.Red}[r.Status]
	took := (time.Duration(r.Result.Duration) * time.Millisecond).Round(10 * time.Millisecond)
	return out.Line(show.Cell{Text: r.Status, Colour: colour}, show.Cell{Text: fmt.Sprintf("%d of %d steps passed, in %s, version %s",
		r.Result.Steps.Passed, r.Result.Steps.Total, took, r.Result.Version)}, show.Cell{Text: r.Reason})
}

func (f failure) tell(out *show.Out) error {
	title := show.Cell{Text: fmt.Sprintf("%s, turn %d", f.Case, f.Turn), Colour: show.Bold}
	if f.Error != "" {
		title.Text = f.Case
		return out.Line(title, show.Cell{Text: f.Error, Colour: show.Red})
	}
	if err := out.Line(title); err != nil {
		return err
	}
	for _, d := range f.Differences {
		if err := out.Line(show.Cell{Text: "  " + d.What}); err != nil {
			return err
		}
		if err := out.Line(show.Cell{Text: "    - " + d.Expected, Colour: show.Green}); err != nil {
			return err
		}
		if err := out.Line(show.Cell{Text: "    + " + d.Got, Colour: show.Red}); err != nil {
			return err
		}
	}
	return nil
}

// code is how the command ends.
func (r run) code() error {
	switch r.Status {
	case "passed":
		return nil
	case "failed":
		return exit.Failed
	}
	return exit.Change
}
