//go:build interop

package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a page of a shop with the widget, then a visitor chats in it: by text and by what is shown, while
// a model speaks, over a line that is cut in the middle of an answer, and after the page was loaded
// again; behind the end of the session, or of what answers it, in another one. Nothing that is said becomes markup, and a
// page of elsewhere has no widget.
func TestTheWidgetInABrowser(t *testing.T) {
	s := server(t)
	dir, err := npm()
	require.NoError(t, err)
	shot := filepath.Join(t.TempDir(), "widget.png")
	out := job{dir: t.TempDir(), env: s.environ()}.run(t, "node", filepath.Join(repository, "interop", "browser", "widget.mjs"),
		filepath.Join(dir, "node_modules"), t.TempDir(), shot)
	var seen struct {
		Steps, Troubles, Said     []string
		Ended, Gone               []int
		Retired                   []string
		Again, Answers, Elsewhere int
		Look                      struct {
			Back, At, Placeholder string
			Markup                int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
	require.Equal(t, []string{"text", "select", "button", "input", "streaming", "reconnect", "reload", "attachment", "anew"}, seen.Steps)
	require.Empty(t, seen.Troubles)
	require.Positive(t, seen.Again, "another socket")
	require.Equal(t, 1, seen.Answers, "what was told in part, and again, is there once")
	require.Equal(t, []string{"Hello", "<b>Which</b> color?", "Blue", "blue, sure?", "Yes, please", "Your name?", "Ann",
		"Once upon a time.", "More", "The end."}, seen.Said)
	require.Equal(t, []any{"rgb(1, 2, 3)", "root top-left", "Say it", 0}, []any{seen.Look.Back, seen.Look.At, seen.Look.Placeholder,
		seen.Look.Markup})
	require.Equal(t, []int{409, 200, 0}, seen.Ended, "another session, with nothing of the one before")
	require.Equal(t, []string{"Still there?", "<b>Which</b> color?"}, seen.Retired, "what nobody took is said again, once")
	require.Equal(t, []int{410, 200}, seen.Gone)
	require.Zero(t, seen.Elsewhere)
	info, err := os.Stat(shot)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(5_000), "a page was drawn")
}
