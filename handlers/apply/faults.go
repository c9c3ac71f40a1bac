package apply

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

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
