//go:build interop

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promtool is the one that is here. Debian's package would start Prometheus itself as a
// daemon, so where there is none it is unpacked and not installed.
var promtool = sync.OnceValues(func() (string, error) {
	if here, err := exec.LookPath("promtool"); err == nil {
		return here, nil
	}
	dir, err := installed("debian", "debian.txt", func(dir string) error {
		names, err := os.ReadFile(filepath.Join(repository, "interop", "tools", "debian.txt"))
		if err != nil {
			return err
		}
		if err := quietly(dir, "apt-get", append([]string{"download"}, strings.Fields(string(names))...)...); err != nil {
			return fmt.Errorf("%w (elsewhere than on Debian: put promtool on the PATH)", err)
		}
		packages, err := filepath.Glob(filepath.Join(dir, "*.deb"))
		if err != nil {
			return err
		}
		for _, p := range packages {
			if err := quietly(dir, "dpkg", "--extract", p, dir); err != nil {
				return err
			}
		}
		return nil
	})
	return filepath.Join(dir, "usr", "bin", "promtool"), err
})

// Given the alerts that we hand out, then promtool takes them, each fires in its trouble
// and is quiet without it.
func TestEachAlertFiresAndIsQuiet(t *testing.T) {
	program, err := promtool()
	require.NoError(t, err)
	job{}.run(t, program, "check", "rules", "docs/prometheus/alerts.yml")
	job{}.run(t, program, "test", "rules", "docs/prometheus/alerts_test.yml")

	rules := string(text(t, filepath.Join(repository, "docs", "prometheus", "alerts.yml")))
	cases := string(text(t, filepath.Join(repository, "docs", "prometheus", "alerts_test.yml")))
	for _, alert := range regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(rules, -1) {
		for _, what := range []string{" fires\n", " does not fire\n"} {
			assert.Contains(t, cases, "- name: "+alert[1]+what)
		}
	}
}

// What promtool remarks of our metrics, and why it stays.
var remarks = map[string]string{
	"db_client_connection_count": "OpenTelemetry's conventions call it so",
}

// Given a server at work, then promtool takes what it shows.
func TestPrometheusTakesTheMetrics(t *testing.T) {
	s := server(t)
	dialled(t, s)
	program, err := promtool()
	require.NoError(t, err)
	shown := served(t, s, "/metrics")
	for _, name := range []string{"parley_disk_free_bytes", "parley_disk_reserve_bytes", "target_info", "parley_build_info"} {
		require.Regexp(t, "(?m)^"+name+"[ {]", shown)
	}
	said, err := job{in: shown}.try(program, "check", "metrics")
	for _, line := range strings.Split(strings.TrimSpace(said), "\n") {
		name, _, _ := strings.Cut(line, " ")
		assert.Contains(t, remarks, name, line)
	}
	if _, spoke := err.(*exec.ExitError); err != nil && !spoke {
		require.NoError(t, err)
	}
}
