//go:build interop

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostExposed is what `systemd-analyze security` may find, 0 to 100: what is left is the
// network, without which there is no API.
const mostExposed = "20"

// unit is deploy/systemd/parley.service with the built binary for the installed one, and a
// user that this machine has, for systemd looks for both.
func unit(t *testing.T) string {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(repository, "deploy", "systemd", "parley.service"))
	require.NoError(t, err)
	own := strings.NewReplacer("/usr/local/bin/parley", program,
		"User=parley", "User=daemon", "Group=parley", "Group=daemon").Replace(string(text))
	file := filepath.Join(t.TempDir(), "parley.service")
	require.NoError(t, os.WriteFile(file, []byte(own), 0o644))
	return file
}

func TestTheUnitIsValidAndTight(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Fatal("systemd-analyze is missing: apt-get install systemd")
	}
	file := unit(t)
	said := job{}.run(t, "systemd-analyze", "verify", "--recursive-errors=no", file)
	require.Empty(t, strings.TrimSpace(said), "no line that systemd would ignore")
	job{}.run(t, "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold="+mostExposed, file)
	job{}.run(t, "systemd-sysusers", "--dry-run", filepath.Join(repository, "deploy", "systemd", "parley.sysusers"))
}

// A setting that is spelled wrongly would be ignored at the start: the server knows each.
func TestTheSettingsOfTheUnitAreTheServers(t *testing.T) {
	program, err := binary()
	require.NoError(t, err)
	help := job{}.run(t, program, "serve", "--help")
	text, err := os.ReadFile(filepath.Join(repository, "deploy", "systemd", "parley.env.example"))
	require.NoError(t, err)
	names := regexp.MustCompile(`(?m)^PARLEY_[A-Z_]+`).FindAllString(string(text), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Contains(t, help, name)
	}
}
