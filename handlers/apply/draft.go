package apply

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// Metadata says which thing a manifest is about.
type Metadata struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Tenant string `json:"tenant,omitempty"`
}

// draft is a manifest on its way: what was read of it, what was found wrong, and the
// steps that it stands for. The removal of what no manifest names is one as well.
type draft struct {
	*manifest.Manifest
	index     int // in the request
	kind      *kind
	meta      Metadata
	readable  bool // the spec fits its struct
	faults    fault.Fields
	steps     []step
	generated []generated
	removal   bool // of a thing that no manifest names: there is no file, line or spec
}

// fault notes a problem; of several of one field the first is kept.
func (d *draft) fault(field, format string, args ...any) {
	if !slices.ContainsFunc(d.faults, func(f fault.Detail) bool { return f.Field == field }) {
		d.faults.Add(field, format, args...)
	}
}

// outcome is what the steps amount to; the last one speaks of the thing itself.
func (d *draft) outcome() Outcome {
	var raised, existed bool
	for _, s := range d.steps {
		raised = raised || len(s.raised().payloads) > 0
		existed = s.raised().existed
	}
	switch {
	case d.removal:
		return Removed
	case !raised:
		return Unchanged
	case !existed:
		return Created
	}
	return Changed
}

func (d *draft) run(ctx context.Context, store *eventstore.Store, by Caller) error {
	for n, s := range d.steps {
		if s.raised().before {
			continue
		}
		if err := s.run(ctx, store, d.command(by, n)); err != nil {
			return err
		}
	}
	d.through()
	return nil
}

// through notes what was done by another try of the request: where that is the last step, all before it are.
func (d *draft) through() {
	done := false
	for _, s := range slices.Backward(d.steps) {
		done = done || s.raised().before
		s.raised().before = done
	}
}

// command is that of a step. What is removed is another thing in each try, and has no request id.
func (d *draft) command(by Caller, step int) eventstore.Command {
	cmd := eventstore.Command{Tenant: d.meta.Tenant, Actor: by.Actor, CorrelationID: by.CorrelationID, Stateless: true}
	if by.Request.RequestID != "" && !d.removal {
		cmd.RequestID = eventstore.CauseID("apply", by.Request.RequestID, fmt.Sprintf("%d/%d", d.index, step))
		cmd.RequestHash, cmd.PlainHash = by.Request.RequestHash, by.Request.PlainHash
	}
	return cmd
}

// replayed is whether all that came of a set came of an earlier try of the request.
func replayed(drafts []*draft) (is bool) {
	for _, d := range drafts {
		for _, s := range d.steps {
			switch r := s.raised(); {
			case r.before:
				is = true
			case len(r.payloads) > 0:
				return false
			}
		}
	}
	return is
}

func (d *draft) result(dryRun bool) Result {
	r := Result{File: d.File, Line: d.Line, Kind: d.Kind, ID: cmp.Or(d.meta.ID, d.meta.Name), Name: d.meta.Name, Tenant: d.meta.Tenant,
		Outcome: d.outcome()}
	for _, s := range d.steps {
		r.Events = append(r.Events, s.raised().events(dryRun)...)
	}
	if !dryRun {
		r.Generated = d.revealed()
	}
	return r
}

// place is where the manifest is: manifests[2] (workspace.yaml:40).
func (d *draft) place() string { return placeOf(d.index, d.File, d.Line) }

// field is the full name of one of its fields, with the field's own line when it is
// known.
func (d *draft) field(name string) string { return FieldOf(d.index, d.File, d.LineOf(name), name) }

// title is how the manifest is called in sentences: Project acme-bot (workspace.yaml:9),
// the removal of Client crm.
func (d *draft) title() string {
	title := d.Kind + " " + cmp.Or(d.meta.ID, d.meta.Name)
	if d.removal {
		return "the removal of " + title
	}
	if d.File != "" {
		title += fmt.Sprintf(" (%s:%d)", d.File, d.Line)
	}
	return title
}

// mostTitles bounds a list in a sentence.
const mostTitles = 10

func titles(drafts []*draft) string {
	if len(drafts) == 0 {
		return "nothing"
	}
	var list []string
	for _, d := range drafts[:min(len(drafts), mostTitles)] {
		list = append(list, d.title())
	}
	if more := len(drafts) - mostTitles; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

func sortByKind(drafts []*draft) {
	slices.SortStableFunc(drafts, func(a, b *draft) int { return a.kind.rank() - b.kind.rank() })
}

// FieldOf is the name of a manifest's field in the details of a refusal:
// manifests[2] (workspace.yaml:40) spec.slug.
func FieldOf(index int, file string, line int, field string) string {
	return strings.TrimSpace(placeOf(index, file, line) + " " + field)
}

func placeOf(index int, file string, line int) string {
	place := fmt.Sprintf("manifests[%d]", index)
	switch {
	case file != "" && line > 0:
		return fmt.Sprintf("%s (%s:%d)", place, file, line)
	case file != "":
		return fmt.Sprintf("%s (%s)", place, file)
	}
	return place
}

var fieldForm = regexp.MustCompile(`^manifests\[(\d+)\](?: \((?:.*?:\d+|[^)]*)\))? ?(.*)$`)

// SplitField is the inverse of FieldOf: which manifest, and which of its fields. It
// is false for a field of another form.
func SplitField(field string) (index int, name string, ok bool) {
	m := fieldForm.FindStringSubmatch(field)
	if m == nil {
		return 0, "", false
	}
	index, err := strconv.Atoi(m[1])
	return index, m[2], err == nil
}

// faultsOf collects what is wrong with all manifests, in the order of the request.
func faultsOf(drafts []*draft) fault.Fields {
	inOrder := slices.Clone(drafts)
	slices.SortFunc(inOrder, func(a, b *draft) int { return a.index - b.index })
	var all fault.Fields
	for _, d := range inOrder {
		slices.SortStableFunc(d.faults, func(a, b fault.Detail) int { return d.LineOf(a.Field) - d.LineOf(b.Field) })
		for _, f := range d.faults {
			all = append(all, fault.Detail{Field: d.field(f.Field), Problem: f.Problem})
		}
	}
	return all
}
