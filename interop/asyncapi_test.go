//go:build interop

package interop

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asyncAPIRemarks are what AsyncAPI's parser may say, and why.
var asyncAPIRemarks = map[string]string{
	"asyncapi-latest-version": "3.1 says nothing of Kafka that 3.0 does not, and more tools read 3.0",
}

// Given the committed AsyncAPI document and the one that a node serves, then AsyncAPI's
// own parser takes both, they are the same, and of each event comes a type that one would
// have named so, in TypeScript that compiles.
func TestAsyncAPIGivesTypesOfEachEvent(t *testing.T) {
	t.Parallel()
	committed := filepath.Join(repository, "docs", "asyncapi.json")
	require.JSONEq(t, string(text(t, committed)), served(t, server(t), "/asyncapi.json"))

	dir, err := npm()
	require.NoError(t, err)
	folder := t.TempDir()
	var found struct {
		Remarks          []struct{ Code, Message, At string }
		Messages, Models []string
	}
	out := job{env: append(os.Environ(), "NODE_PATH="+filepath.Join(dir, "node_modules"))}.
		run(t, "node", "interop/asyncapi/models.cjs", committed, folder)
	require.NoError(t, json.Unmarshal([]byte(out), &found), out)

	for _, remark := range found.Remarks {
		assert.Contains(t, asyncAPIRemarks, remark.Code, "%s: %s", remark.At, remark.Message)
	}
	require.Greater(t, len(found.Messages), 100)
	for _, name := range found.Messages {
		assert.Contains(t, found.Models, title(name), name)
	}
	odd := regexp.MustCompile(`Anonymous|Dot|Reserved|_|[^A-Za-z0-9]|^[^A-Z]`)
	for _, name := range found.Models {
		assert.NotRegexp(t, odd, name)
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(found.Models))), len(found.Models), "each name once")

	files, err := filepath.Glob(filepath.Join(folder, "*.ts"))
	require.NoError(t, err)
	job{dir: folder}.run(t, npmProgram(t, "tsc"), append([]string{"--noEmit", "--strict", "--isolatedModules", "--target", "es2022",
		"--moduleResolution", "bundler", "--module", "es2022"}, files...)...)
}

// title is the name of the type of parley.calls.attempt-started.v1: CallsAttemptStartedV1.
func title(eventType string) string {
	if eventType == "parley.genesis.v1" {
		return "LogGenesisV1"
	}
	var out strings.Builder
	for _, word := range strings.FieldsFunc(strings.TrimPrefix(eventType, "parley."), func(r rune) bool { return r == '.' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

func text(t *testing.T, file string) []byte {
	t.Helper()
	out, err := os.ReadFile(file)
	require.NoError(t, err)
	return out
}

// served is what a node answers to everyone.
func served(t *testing.T, s Server, path string) string {
	t.Helper()
	res, err := http.Get(s.URL + path)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(body))
	return string(body)
}
