package llm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/adapters/anthropic"
	"github.com/parley-platform/parley/adapters/openai"
)

// Repricing puts prices of a list into a file of models.
type Repricing struct {
	List    PriceList
	As      map[string]string // the row of a model, by its id; others have the row that is called as they are
	Version string            // of prices that change
}

// Price is what a million tokens of a model cost, in US dollars, as the file says it.
type Price struct {
	Version string `json:"version"`
	Input   string `json:"input"`
	Output  string `json:"output"`
}

// Repriced is what became of a model of the file.
type Repriced struct {
	Model   string   `json:"model"`
	Row     string   `json:"row"`     // of the list; empty: it has none
	Outcome string   `json:"outcome"` // added, changed, unchanged or unlisted
	Before  *Price   `json:"before"`  // null: it had none
	After   *Price   `json:"after"`   // null: it has none
	LeftOut []string `json:"leftOut"` // other prices of the row, which the file cannot say
}

// Outcomes of a model.
const (
	PriceAdded     = "added"
	PriceChanged   = "changed"
	PriceUnchanged = "unchanged"
	PriceUnlisted  = "unlisted"
)

// In gives the file with the prices of the list, and what became of each of its models. Every row
// that is wrong is named, and then nothing is given.
func (r Repricing) In(file []byte) (content []byte, all []Repriced, err error) {
	known := func(string) string { return "not-asked-for" }
	if _, err := ReadModels(file, known); err != nil {
		return nil, nil, err
	}
	var root yaml.Node
	var f modelsFile
	if err := errors.Join(yaml.Unmarshal(file, &root), root.Decode(&f)); err != nil {
		return nil, nil, err
	}
	providers := map[string]providerEntry{}
	for _, p := range f.Providers {
		providers[p.Name] = p
	}
	used, wrong := map[string]bool{}, []error(nil)
	for i, m := range f.Models {
		used[m.ID] = true
		out, err := r.reprice(m, providers[m.Provider])
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the model %s: %w", m.ID, err))
			continue
		}
		all = append(all, out)
		if out.Outcome == PriceAdded || out.Outcome == PriceChanged {
			member(member(root.Content[0], "models").Content[i], "prices", out.After.node())
		}
	}
	for id := range r.As {
		if !used[id] {
			wrong = append(wrong, fmt.Errorf("%q is not the id of a model of the file", id))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	write := yaml.NewEncoder(&out)
	write.SetIndent(2)
	if err := errors.Join(write.Encode(&root), write.Close()); err != nil {
		return nil, nil, err
	}
	if _, err := ReadModels(out.Bytes(), known); err != nil {
		return nil, nil, fmt.Errorf("what would be written cannot be read: %w", err)
	}
	return out.Bytes(), all, nil
}

func (r Repricing) reprice(m modelEntry, of providerEntry) (Repriced, error) {
	out := Repriced{Model: m.ID, Outcome: PriceUnlisted, LeftOut: []string{}}
	if p := m.Prices; p != nil {
		out.Before = &Price{p.Version, p.Input, p.Output}
	}
	out.After = out.Before
	listed, is, err := r.find(m, of)
	if err != nil || !is {
		return out, err
	}
	out.Row, out.LeftOut = listed.Row, append(out.LeftOut, listed.LeftOut...)
	now := Price{r.Version, perMillion(listed.In), perMillion(listed.Out)}
	switch {
	case out.Before == nil:
		out.Outcome, out.After = PriceAdded, &now
	case same(out.Before.Input, now.Input) && same(out.Before.Output, now.Output):
		out.Outcome = PriceUnchanged
	default:
		out.Outcome, out.After = PriceChanged, &now
	}
	return out, nil
}

// find is the row of a model. One of a server of one's own has none unless it is named: what
// others take for a model of that name is no price of it.
func (r Repricing) find(m modelEntry, of providerEntry) (Listed, bool, error) {
	if row := r.As[m.ID]; row != "" {
		listed, is, err := r.List.Of(row)
		if err == nil && !is {
			err = fmt.Errorf("the list has no row %q", row)
		}
		return listed, is, err
	}
	if of.BaseURL != "" || of.Kind != openai.Provider && of.Kind != anthropic.Provider {
		return Listed{}, false, nil
	}
	name := m.Model
	if name == "" {
		name = m.ID
	}
	for _, row := range []string{name, of.Kind + "/" + name} {
		if listed, is, err := r.List.Of(row); is {
			return listed, is, err
		}
	}
	return Listed{}, false, nil
}

// same is whether two prices are, however many digits they have.
func same(a, b string) bool {
	plain := func(s string) string {
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	return plain(a) == plain(b)
}

// node is the price as it stands in the file. Its texts are read as they are written.
func (p *Price) node() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, m := range [][2]string{{"version", p.Version}, {"input", p.Input}, {"output", p.Output}} {
		value := &yaml.Node{}
		value.SetString(m[1])
		if m[0] != "version" {
			value.Tag, value.Style = "", 0
		}
		out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: m[0]}, value)
	}
	return out
}

// member is that of a mapping; one that is given takes its place, or the last one.
func member(of *yaml.Node, name string, put ...*yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == name {
			if len(put) > 0 {
				of.Content[i+1] = put[0]
			}
			return of.Content[i+1]
		}
	}
	if len(put) == 0 {
		return &yaml.Node{}
	}
	of.Content = append(of.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, put[0])
	return put[0]
}
