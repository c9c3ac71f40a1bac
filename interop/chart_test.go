//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/cmd/parley/version"
)

// chart is where the chart is; cluster is the Kubernetes that helm is told of: one that it
// is built without a version of would be an old one.
const (
	chart   = "deploy/helm/parley"
	cluster = "1.31"
)

// helm is the program of tools/helm.txt, built from its module: that is how it is pinned.
var helm = sync.OnceValues(func() (string, error) {
	dir, err := installed("helm", "helm.txt", func(dir string) error {
		module, err := os.ReadFile(filepath.Join(repository, "interop", "tools", "helm.txt"))
		if err != nil {
			return err
		}
		// It renders a few files: compiling it well takes longer than that.
		cmd := exec.Command("go", "install", "-gcflags=all=-N -l", strings.TrimSpace(string(module)))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod", "GOGC=400")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go install %s: %w\n%s", strings.TrimSpace(string(module)), err, out)
		}
		return nil
	})
	return filepath.Join(dir, "helm"), err
})

// rendered is what the chart makes of an example, with more flags.
func rendered(t *testing.T, example string, flags ...string) (string, error) {
	t.Helper()
	program, err := helm()
	require.NoError(t, err)
	args := append([]string{"template", "voice", chart, "--kube-version", cluster,
		"-f", "deploy/helm/examples/" + example + ".yaml"}, flags...)
	cmd := exec.Command(program, args...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = repository, &out, &said
	if err := cmd.Run(); err != nil {
		return "", errors.New(said.String())
	}
	return out.String(), nil
}

// Given an installation small or large, then Kubernetes' own schemas take all of it, strictly.
func TestTheChartGivesWhatKubernetesTakes(t *testing.T) {
	t.Parallel()
	program, err := helm()
	require.NoError(t, err)
	for example, kinds := range map[string][]string{
		"small": {"PodDisruptionBudget", "ServiceAccount", "Service", "Deployment"},
		"large": {"NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "Service", "Deployment", "Ingress", "PodMonitor",
			"PrometheusRule"},
	} {
		t.Run(example, func(t *testing.T) {
			job{}.run(t, program, "lint", "--strict", chart, "--kube-version", cluster, "-f", "deploy/helm/examples/"+example+".yaml")
			text, err := rendered(t, example)
			require.NoError(t, err)
			for _, kind := range kinds {
				require.Contains(t, text, "\nkind: "+kind+"\n")
			}
			file := filepath.Join(t.TempDir(), "rendered.yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			said := job{}.run(t, pythonProgram(t, "kubernetes-validate"), "--strict", "-k", cluster, file)
			for _, kind := range []string{"deployment/", "service/", "serviceaccount/", "poddisruptionbudget/"} {
				require.Contains(t, said, "passed for resource "+kind)
			}
		})
	}
}

// What the chart sets is what the server knows, and every pod that the service means is one.
func TestTheChartSpeaksOfThisServer(t *testing.T) {
	t.Parallel()
	program, err := binary()
	require.NoError(t, err)
	help := job{}.run(t, program, "serve", "--help")
	text, err := rendered(t, "large")
	require.NoError(t, err)
	names := regexp.MustCompile(`PARLEY_[A-Z_]+`).FindAllString(text, -1)
	require.Greater(t, len(names), 30)
	for _, name := range names {
		require.Contains(t, help, name)
	}

	var rules, ours map[string]any
	reached := map[string]bool{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var one struct {
			Kind string
			Spec map[string]any
		}
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		switch one.Kind {
		case "PrometheusRule":
			rules = one.Spec
		case "Deployment":
			labels := one.Spec["template"].(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)
			reached[labels["parley/pool"].(string)] = labels["parley/api"] == "true"
		}
	}
	require.Equal(t, map[string]bool{"api": true, "projector": false, "reactor": false, "media": false}, reached,
		"the service is for nodes with the role api")
	alerts, err := os.ReadFile(filepath.Join(repository, "docs", "prometheus", "alerts.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(alerts, &ours))
	require.Equal(t, ours, rules)

	var about struct {
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	own, err := os.ReadFile(filepath.Join(repository, chart, "Chart.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(own, &about))
	require.Equal(t, []string{version.Number, version.Number}, []string{about.Version, about.AppVersion})
}

// pod is what the chart makes of a pool's nodes.
type pod struct {
	Strategy struct {
		RollingUpdate struct{ MaxUnavailable, MaxSurge int }
	}
	Template struct {
		Spec struct {
			HostNetwork                   bool
			TerminationGracePeriodSeconds int
			NodeSelector                  map[string]string
			Containers                    []struct {
				Env []struct {
					Name, Value string
					ValueFrom   struct{ FieldRef struct{ FieldPath string } }
				}
				VolumeMounts []struct{ Name, MountPath string }
			}
		}
	}
}

// pods are those of a rendered chart, by their pool.
func pods(t *testing.T, text string) map[string]pod {
	t.Helper()
	out := map[string]pod{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var node yaml.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return out
		} else {
			require.NoError(t, err)
		}
		var one struct {
			Kind     string
			Metadata struct{ Labels map[string]string }
		}
		require.NoError(t, node.Decode(&one))
		if one.Kind != "Deployment" {
			continue
		}
		var all map[string]any
		require.NoError(t, node.Decode(&all))
		spec, err := json.Marshal(all["spec"])
		require.NoError(t, err)
		var p pod
		require.NoError(t, json.Unmarshal(spec, &p))
		out[one.Metadata.Labels["parley/pool"]] = p
	}
}

// Given nodes that carry calls over trunks in a pool of their own, then trunks reach them at their machine, which is theirs
// alone, and calls get their time to end; the nodes of other pools are what they would be without.
func TestTheChartHasNodesForSound(t *testing.T) {
	t.Parallel()
	text, err := rendered(t, "large")
	require.NoError(t, err)
	all := pods(t, text)
	require.Len(t, all, 4)
	for pool, p := range all {
		spec, env := p.Template.Spec, map[string]string{}
		for _, e := range spec.Containers[0].Env {
			env[e.Name] = e.Value + e.ValueFrom.FieldRef.FieldPath
		}
		got := []any{spec.HostNetwork, p.Strategy.RollingUpdate.MaxUnavailable, p.Strategy.RollingUpdate.MaxSurge,
			spec.TerminationGracePeriodSeconds, spec.NodeSelector["parley/media"], env["PARLEY_CALL_DRAIN"], env["PARLEY_SIP_LISTEN"],
			env["PARLEY_SIP_PUBLIC_ADDRESS"]}
		if pool == "media" {
			require.Equal(t, []any{true, 1, 0, 955, "true", "900s", "0.0.0.0:5060", "status.hostIP"}, got)
		} else {
			require.Equal(t, []any{false, 0, 1, 85, "", "30s", "", ""}, got, pool)
		}
		require.Equal(t, "500", env["PARLEY_RATE"], "what is set for all is set for each")
		require.Contains(t, fmt.Sprint(spec.Containers[0].VolumeMounts), "/var/lib/parley/recordings", "no recording is kept in memory")
	}
	text, err = rendered(t, "large", "--set=pools.media.settings.PARLEY_SIP_PUBLIC_ADDRESS=192.0.2.7",
		"--set=pools.media.settings.PARLEY_RATE=7")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text, "PARLEY_SIP_PUBLIC_ADDRESS"))
	require.Contains(t, text, `{name: PARLEY_RATE, value: "7"}`)

	for _, flags := range [][]string{nil, {"--set=pools.node.roles={api,projector,reactor}"}} { // calls by sockets and pages alone
		text, err = rendered(t, "small", flags...)
		require.NoError(t, err)
		require.NotContains(t, text, "hostNetwork")
		require.NotContains(t, text, "PARLEY_SIP")
	}
}

// A wrong value is refused before anything is installed, and the refusal names its field.
func TestTheChartRefusesWrongValues(t *testing.T) {
	t.Parallel()
	for set, names := range map[string]string{
		"--set=pools.node.replicas=two":            "/pools/node/replicas",
		"--set=pools.node.roles={api\\,dialer}":    "/pools/node/roles/0",
		"--set=pools.node.replica=2":               "'replica'",
		"--set=pools.node.roles={api}":             "no pool has the role projector",
		"--set=pools.node.hostNetwork=2":           "/pools/node/hostNetwork",
		"--set=pools.node.callDrainSeconds=-1":     "/pools/node/callDrainSeconds",
		"--set=pools.node.settings.RATE=5":         "RATE",
		"--set=pools.node.nodeSelector=x":          "/pools/node/nodeSelector",
		"--set=kafka.brokers=null":                 "brokers",
		"--set=kafka.brokers={k1}":                 "/kafka/brokers/0",
		"--set=kafka.sasl=SCRAM":                   "/kafka/sasl",
		"--set=kafka.existingSecret=":              "kafka.existingSecret",
		"--set=keyset.existingSecret=":             "/keyset/existingSecret",
		"--set=database.existingSecret=":           "/database/existingSecret",
		"--set=publicURL=parley.example.com":       "/publicURL",
		"--set=blobURL=/files":                     "/blobURL",
		"--set=drainSeconds=0":                     "/drainSeconds",
		"--set=settings.RATE=5":                    "RATE",
		"--set=ingress.enabled=true":               "ingress.host",
		"--set=service.type=Public":                "/service/type",
		"--set=monitoring.interval=often":          "/monitoring/interval",
		"--set=image.pullPolicy=Sometimes":         "/image/pullPolicy",
		"--set=colour=blue":                        "'colour'",
		"--set=pools.Node.replicas=1":              "Node",
		"--set-string=ingress.enabled=yes":         "/ingress/enabled",
		"--set-json=tolerations={\"key\":\"x\"}":   "/tolerations",
		"--set-string=maxUnavailable=\"\",extra=1": "extra",
	} {
		_, err := rendered(t, "small", set)
		require.ErrorContains(t, err, names, set)
	}
}
