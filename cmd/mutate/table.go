package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// result is what came of the mutants of one package.
type result struct {
	name                        string
	mutants, killed, equivalent int
	date, tried                 string
}

func (r result) share() string {
	if r.mutants == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(r.killed)/float64(r.mutants))
}

func (r result) String() string {
	return fmt.Sprintf("%d of %d killed, %s (%d equivalent)", r.killed, r.mutants, r.share(), r.equivalent)
}

// table is docs/mutations.md: what is between the marks is written, what stands under
// "Equivalent" is read.
type table struct {
	before, after string
	results       map[string]result
	equivalent    map[string]int // how often it was met
}

const (
	begin = "<!-- written by make mutate -->\n"
	end   = "<!-- end -->\n"
)

func readTable(path string) (*table, error) {
	t := &table{results: map[string]result{}, equivalent: map[string]int{}}
	if path == "" {
		return t, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the table: %w", err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	rows, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return nil, fmt.Errorf("%s has no lines %q and %q around its table", path, begin, end)
	}
	t.before, t.after = before, after
	for _, cells := range cellsOf(rows) {
		if strings.HasPrefix(cells[0], "`") && len(cells) == 7 {
			r := result{name: strings.Trim(cells[0], "`"), tried: cells[5], date: cells[6]}
			r.mutants, _ = strconv.Atoi(cells[1])
			r.killed, _ = strconv.Atoi(cells[2])
			r.equivalent, _ = strconv.Atoi(cells[4])
			t.results[r.name] = r
		}
	}
	for _, cells := range cellsOf(after) {
		if strings.HasPrefix(cells[0], "`") && len(cells) == 5 {
			t.equivalent[equivalence(cells[0], cells[1], cells[2], strings.ReplaceAll(cells[3], `\|`, "|"))] = 0
		}
	}
	return t, nil
}

// cellsOf are the rows of tables in a text.
func cellsOf(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

func equivalence(file, function, kind, text string) string {
	return strings.Trim(file, "`") + " " + strings.Trim(function, "`") + " " + kind + " " + strings.Trim(text, "`")
}

func (t *table) isEquivalent(m *mutant) bool {
	key := equivalence(m.file, m.function, m.kind, m.text)
	_, known := t.equivalent[key]
	if known {
		t.equivalent[key]++
	}
	return known
}

func (t *table) put(r result) {
	r.date = time.Now().UTC().Format(time.DateOnly)
	t.results[r.name] = r
}

func (t *table) total() (sum result) {
	for _, r := range t.results {
		sum.mutants += r.mutants
		sum.killed += r.killed
		sum.equivalent += r.equivalent
	}
	return sum
}

func (t *table) write(path string) error {
	if path == "" {
		return nil
	}
	var b strings.Builder
	b.WriteString(t.before + begin + "| package | mutants | killed | share | equivalent | tried | date |\n|---|---|---|---|---|---|---|\n")
	all := make([]result, 0, len(t.results))
	for _, r := range t.results {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b result) int { return strings.Compare(a.name, b.name) })
	for _, r := range all {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s | %d | %s | %s |\n", r.name, r.mutants, r.killed, r.share(), r.equivalent, r.tried, r.date)
	}
	sum := t.total()
	fmt.Fprintf(&b, "| in all | %d | %d | %s | %d | | |\n", sum.mutants, sum.killed, sum.share(), sum.equivalent)
	b.WriteString(end + t.after)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
