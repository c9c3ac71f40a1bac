//go:build !apache

package node_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// alert is a rule of docs/prometheus/alerts.yml.
type alert struct {
	Name        string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func alerts(t *testing.T) (out []alert) {
	t.Helper()
	data, err := os.ReadFile("../../../docs/prometheus/alerts.yml")
	require.NoError(t, err)
	var file struct {
		Groups []struct{ Rules []alert }
	}
	require.NoError(t, yaml.Unmarshal(data, &file))
	for _, g := range file.Groups {
		out = append(out, g.Rules...)
	}
	require.Greater(t, len(out), 20)
	return out
}

func ofTheAlerts(t *testing.T) (expressions []string) {
	t.Helper()
	for _, a := range alerts(t) {
		expressions = append(expressions, a.Expr)
	}
	return expressions
}

// Whoever is woken finds what it is, how bad it is, and what to do.
func TestEachAlertSaysWhatToDo(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../docs/operating.md")
	require.NoError(t, err)
	section := regexp.MustCompile(`(?m)^#+ (.*)$`)
	headings := map[string]bool{}
	for _, h := range section.FindAllStringSubmatch(string(data), -1) {
		headings[strings.ReplaceAll(strings.ToLower(h[1]), " ", "-")] = true
	}
	for _, a := range alerts(t) {
		assert.Regexp(t, `^Parley[A-Z]\w+$`, a.Name)
		assert.Contains(t, []string{"critical", "warning"}, a.Labels["severity"], a.Name)
		assert.NotEmpty(t, a.Annotations["summary"], a.Name)
		assert.Greater(t, len(a.Annotations["description"]), 60, a.Name)
		page, heading, found := strings.Cut(a.Annotations["runbook_url"], "docs/operating.md#")
		assert.True(t, found && strings.HasPrefix(page, "https://"), a.Name)
		assert.Equal(t, strings.ToLower(a.Name), heading)
		assert.True(t, headings[heading], "docs/operating.md has no heading %s", a.Name)
	}
}
