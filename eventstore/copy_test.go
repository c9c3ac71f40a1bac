package eventstore

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shelf is a state with all that a state may have.
type shelf struct {
	Name  string
	At    time.Time
	Books map[string]book
	Order []string
	Rows  [2][]int
	First *book
	Raw   json.RawMessage
	Any   any
	None  map[string]int
}

type book struct {
	Title string
	Pages []int
}

func TestACopySharesNothingThatCouldChange(t *testing.T) {
	full := func() shelf {
		return shelf{Name: "s", At: time.Unix(7, 0), Books: map[string]book{"a": {"A", []int{1, 2}}}, Order: []string{"a", "b"},
			Rows: [2][]int{{1}, {2}}, First: &book{"A", []int{3}}, Raw: json.RawMessage(`{"x":1}`), Any: map[string]any{"k": []any{"v"}}}
	}
	mine := full()
	theirs := copyOf(&mine)
	require.Equal(t, &mine, theirs)
	theirs.Books["a"].Pages[0] = 9
	theirs.Books["b"] = book{}
	theirs.Order[0], theirs.Rows[1][0], theirs.First.Pages[0], theirs.Raw[2] = "z", 9, 9, 'y'
	theirs.First.Title = "Z"
	theirs.Any.(map[string]any)["k"].([]any)[0] = "z"
	require.Equal(t, full(), mine)
	require.Nil(t, copyOf(&shelf{}).None, "what is nil stays nil")
}

func TestWhatHoldsNoReferencesIsNotTakenApart(t *testing.T) {
	type plain struct {
		Name string
		At   time.Time
		Nums [3]int
	}
	p := plain{"p", time.Now(), [3]int{1, 2, 3}}
	require.Equal(t, &p, copyOf(&p))
	var kept *plain
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { kept = copyOf(&p) }), 1.0, "the copy itself")
	require.Equal(t, &p, kept)
}
