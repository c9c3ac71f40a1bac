//go:build interop

package interop

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// visit is what browser/docs.mjs saw.
type visit struct {
	Requests, Troubles, Overflow, Stored []string
	Token, Status, Sent                  string
}

// lookAt opens /docs in a browser with an empty profile.
func lookAt(t *testing.T, s Server, width string) visit {
	t.Helper()
	dir, err := npm()
	require.NoError(t, err)
	shot := filepath.Join(t.TempDir(), "docs.png")
	cmd := job{dir: t.TempDir()}
	out := cmd.run(t, "node", filepath.Join(repository, "interop", "browser", "docs.mjs"), filepath.Join(dir, "node_modules"),
		s.URL+"/docs", width, t.TempDir(), shot)
	var seen visit
	require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
	info, err := os.Stat(shot)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(10_000), "a page was drawn")
	return seen
}

// A desk and a telephone: the page asks its own server and nobody else, fits, has the token
// of --dev, and makes a call with it.
func TestThePageOfTheAPI(t *testing.T) {
	s := server(t)
	own, err := url.Parse(s.URL)
	require.NoError(t, err)
	for _, width := range []string{"1440", "390"} {
		t.Run(width, func(t *testing.T) {
			seen := lookAt(t, s, width)
			require.Greater(t, len(seen.Requests), 4)
			for _, asked := range seen.Requests {
				u, err := url.Parse(asked)
				require.NoError(t, err)
				if u.Scheme != "data" && u.Scheme != "blob" {
					require.Equal(t, own.Host, u.Host, asked)
				}
			}
			require.Empty(t, seen.Troubles)
			require.Empty(t, seen.Overflow)
			require.Empty(t, seen.Stored, "the token outlives no visit")
			require.Equal(t, s.Env["PARLEY_TOKEN"], seen.Token)
			require.Equal(t, seen.Token, seen.Sent)
			require.Equal(t, "200", seen.Status)
		})
	}
}

// The embedded file is that of the package that the registry gives.
func TestTheEmbeddedScalarIsThePublishedOne(t *testing.T) {
	job{}.run(t, "scripts/scalar.sh", "--check")
}
