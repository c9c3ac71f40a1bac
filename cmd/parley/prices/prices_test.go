package prices

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

const models = `providers: [{name: openai, kind: openai}]
models:
  - {id: small, provider: openai, model: gpt-4o-mini, prices: {version: 2026-01, input: 1, output: 2}} # cheap
tiers: {fast: [small]}
`

const list = `{"gpt-4o-mini": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07}}`

var today = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// imports runs the command on a file of models, and gives what it printed and what the file has.
func imports(t *testing.T, c ImportCmd, file string) (printed, has string, err error) {
	t.Helper()
	c.Models = filepath.Join(t.TempDir(), "models.yaml")
	require.NoError(t, os.WriteFile(c.Models, []byte(file), 0o640))
	var out bytes.Buffer
	err = c.run(t.Context(), show.To(&out, c.Flags), today)
	content, readErr := os.ReadFile(c.Models)
	require.NoError(t, readErr)
	was, statErr := os.Stat(c.Models)
	require.NoError(t, statErr)
	require.Equal(t, os.FileMode(0o640), was.Mode().Perm())
	left, dirErr := os.ReadDir(filepath.Dir(c.Models))
	require.NoError(t, dirErr)
	require.Len(t, left, 1, "nothing is left beside it")
	return strings.ReplaceAll(out.String(), c.Models, "models.yaml"), string(content), err
}

func listAt(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/prices.json"
}

func TestPricesComeFromAnAddressOrAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.json")
	require.NoError(t, os.WriteFile(file, []byte(list), 0o600))
	for _, from := range []string{file, listAt(t, 200, list)} {
		printed, has, err := imports(t, ImportCmd{List: from}, models)
		require.NoError(t, err)
		require.Contains(t, has, `prices: {version: "2026-11-25", input: 0.15, output: 0.6}} # cheap`)
		require.Contains(t, printed, "1 / 2 (2026-01)")
		require.Contains(t, printed, "prices that changed: 1; start the nodes again with models.yaml")
		printed, again, err := imports(t, ImportCmd{List: from}, has)
		require.NoError(t, err)
		require.Equal(t, has, again)
		require.Contains(t, printed, "models.yaml has these prices already")
	}
	printed, has, err := imports(t, ImportCmd{List: file, DryRun: true, Version: "later", Flags: show.Flags{Output: show.JSON}}, models)
	require.NoError(t, err)
	require.Equal(t, models, has)
	require.JSONEq(t, `{"model":"small","row":"gpt-4o-mini","outcome":"changed","before":{"version":"2026-01","input":"1","output":"2"},
		"after":{"version":"later","input":"0.15","output":"0.6"},"leftOut":[]}`, printed)
}

// Given a list or a file that cannot be taken, then that is said, and the file stays as it is.
func TestNothingIsHalfWritten(t *testing.T) {
	for name, c := range map[string]struct {
		list, models string
		says         string
		code         exit.Code
	}{
		"no list":   {"none.json", models, "the list: open none.json", exit.Change},
		"not there": {listAt(t, 404, ""), models, "answers 404 Not Found", exit.Failed},
		"a page":    {listAt(t, 200, "<html>"), models, "no list of prices", exit.Change},
		"a wrong row": {listAt(t, 200, `{"gpt-4o-mini": {"input_cost_per_token": 1e-6}}`), models,
			"output_cost_per_token must be a number", exit.Change},
		"wrong models":  {listAt(t, 200, list), "models: []\n", "stays as it is", exit.Change},
		"too large":     {listAt(t, 200, `{"a":"`+strings.Repeat("x", 33<<20)+`"}`), models, "more than 32 MiB", exit.Failed},
		"nobody listed": {"http://127.0.0.1:1/", models, "getting the list", exit.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			_, has, err := imports(t, ImportCmd{List: c.list}, c.models)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.code, exit.Of(err))
			require.Equal(t, c.models, has)
		})
	}
}
