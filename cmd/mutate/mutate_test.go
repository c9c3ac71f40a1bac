package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a package whose test knows one rule of several, when every rule is broken in
// turn, then those that the test does not know are named.
func TestWhatNoTestNoticesIsNamed(t *testing.T) {
	found := map[string]string{}
	r, err := try(shop(t), options{seed: 1}, &table{}, func(m *mutant, state string) { found[m.function+" "+m.kind+" "+m.text] = state })
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"Add condition len(o.Items) >= MostItems":                killed,
		"Add boundary len(o.Items) >= MostItems":                 killed,
		"Add constant MostItems":                                 killed,
		"Add error ErrTooMany":                                   killed,
		"Add statement o.Items = append(o.Items, item)":          killed,
		"Add field o.Items":                                      killed,
		"Add operand gift":                                       survived,
		`Add operand item != ""`:                                 notReached,
		`Add statement item += " (a gift)"`:                      notReached,
		"Add field gift":                                         survived,
		"Add field time.Hour * time.Duration(len(o.Items))":      survived,
		"Add arithmetic time.Hour * time.Duration(len(o.Items))": survived,
		"Add constant time.Hour":                                 survived,
		"Names result o.Items":                                   notReached,
	}, found)
	require.Equal(t, 14, r.mutants)
	require.Equal(t, 6, r.killed)
}

// Given a sample, when it is drawn twice by one seed, then it is the same one.
func TestASampleIsDrawnByItsSeed(t *testing.T) {
	draw := func(seed uint64) (ids []int) {
		all := make([]*mutant, 1000)
		for i := range all {
			all[i] = &mutant{id: i + 1}
		}
		tried, of := chosen(all, options{sample: 10, seed: seed})
		require.Equal(t, len(all), of)
		for _, m := range tried {
			ids = append(ids, m.id)
		}
		return ids
	}
	require.Len(t, draw(1), 10)
	require.IsIncreasing(t, draw(1))
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
}

// Given a page with a result and an equivalent mutant, when a package is tried, then its
// row is written, the other one stays, and the equivalent is not counted.
func TestThePageKeepsWhatWasNotTried(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mutations.md")
	shopEquivalents := "\n| file | function | kind | source | why |\n|---|---|---|---|---|\n" +
		"| `cmd/mutate/testdata/shop/shop.go` | Add | operand | `gift` | for the test |\n"
	require.NoError(t, os.WriteFile(path, []byte("# Page\n\n"+begin+
		"| package | mutants | killed | share | equivalent | tried | date |\n|---|---|---|---|---|---|---|\n"+
		"| `domain/calls` | 10 | 9 | 90.0 % | 1 | all | 2026-11-22 |\n| in all | 10 | 9 | 90.0 % | 1 | | |\n"+end+shopEquivalents), 0o600))
	page, err := readTable(path)
	require.NoError(t, err)
	r, err := try(shop(t), options{seed: 1}, page, func(*mutant, string) {})
	require.NoError(t, err)
	require.Equal(t, 1, r.equivalent)
	page.put(r)
	require.NoError(t, page.write(path))

	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(written), "| `domain/calls` | 10 | 9 | 90.0 % | 1 | all | 2026-11-22 |\n")
	require.Contains(t, string(written), "| `cmd/mutate/testdata/shop` | 13 | 6 | 46.2 % | 1 | all |")
	require.Contains(t, string(written), "| in all | 23 | 15 | 65.2 % | 2 | | |\n"+end+shopEquivalents)
}

func shop(t *testing.T) listed {
	t.Helper()
	packages, err := list("./testdata/shop")
	require.NoError(t, err)
	require.Len(t, packages, 1)
	return packages[0]
}

// A package without tests is compiled to nothing: no test comes by any of its mutants.
func TestAPackageWithoutTestsReachesNothing(t *testing.T) {
	reached, _, err := (&program{path: filepath.Join(t.TempDir(), "tests")}).baseline(options{})
	require.NoError(t, err)
	require.Empty(t, reached)
}
