package version

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABuildSaysWhatItIsMadeOf(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	made := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T20:00:00Z"}
	for _, x := range []struct {
		about    string
		settings []debug.BuildSetting
		wanted   string
	}{
		{"a commit as it is", []debug.BuildSetting{revision, made, {Key: "vcs.modified", Value: "false"}},
			"parley 9.8.7, commit 0123456789ab of 2026-11-22T20:00:00Z, go1.99 plan9/arm"},
		{"a checkout that differs from its commit", []debug.BuildSetting{revision, made, {Key: "vcs.modified", Value: "true"}},
			"parley 9.8.7, commit 0123456789ab of 2026-11-22T20:00:00Z with changes, go1.99 plan9/arm"},
		{"a short revision", []debug.BuildSetting{{Key: "vcs.revision", Value: "17"}}, "parley 9.8.7, commit 17, go1.99 plan9/arm"},
		{"outside a checkout", []debug.BuildSetting{{Key: "-trimpath", Value: "true"}}, "parley 9.8.7, unknown commit, go1.99 plan9/arm"},
	} {
		t.Run(x.about, func(t *testing.T) {
			b := Build{Version: "9.8.7", Go: "go1.99", Platform: "plan9/arm"}
			b.read(x.settings)
			require.Equal(t, x.wanted, b.String())
		})
	}
}

func TestTheNumberIsOfSemanticVersioning(t *testing.T) {
	require.Regexp(t, `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`, Number)
	require.Equal(t, Number, Current().Version)
}

var released = regexp.MustCompile(`(?m)^## \[(\d[^\]]*)\] - (\d{4}-\d{2}-\d{2})$`)

// What a binary calls itself, users find in the changelog, as the newest version there.
func TestTheChangelogKnowsTheVersion(t *testing.T) {
	changelog, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	require.Contains(t, string(changelog), "\n## [Unreleased]\n", "where the next changes go")
	newest := released.FindStringSubmatch(string(changelog))
	require.NotNil(t, newest, "a heading such as: ## [%s] - 2026-11-23", Number)
	require.Equal(t, Number, newest[1], "CHANGELOG.md and cmd/parley/version name one version")
}
