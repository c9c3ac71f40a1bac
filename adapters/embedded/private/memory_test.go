package private

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBuffersFollowTheMemory(t *testing.T) {
	const group, old, machine = "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes", "proc/meminfo"
	const ours, service = "proc/self/cgroup", "sys/fs/cgroup/system.slice/parley.service/memory.max"
	const large = "MemTotal:      263890432 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a small machine":             {map[string]string{machine: "MemTotal:        2048000 kB\nMemFree: 1 kB\n"}, "256MB"},
		"8 GiB":                       {map[string]string{machine: "MemTotal:        8388608 kB\n", group: "max\n"}, "512MB"},
		"a large machine":             {map[string]string{machine: "MemTotal:      263890432 kB\n"}, "1024MB"},
		"a small container on it":     {map[string]string{machine: "MemTotal:      263890432 kB\n", group: "1073741824\n"}, "256MB"},
		"a container of 12 GiB":       {map[string]string{machine: "MemTotal:      263890432 kB\n", group: "12884901888\n"}, "768MB"},
		"one of the older kind":       {map[string]string{machine: "MemTotal:      263890432 kB\n", old: "8589934592\n"}, "512MB"},
		"without a limit, older kind": {map[string]string{machine: "MemTotal: 8388608 kB\n", old: "9223372036854771712\n"}, "512MB"},
		"a service of systemd": {map[string]string{machine: large, ours: "0::/system.slice/parley.service\n",
			service: "8589934592\n"}, "512MB"},
		"its slice holds less": {map[string]string{machine: large, ours: "0::/system.slice/parley.service\n", service: "max\n",
			"sys/fs/cgroup/system.slice/memory.max": "12884901888\n"}, "768MB"},
		"a group of the older kind": {map[string]string{machine: large, ours: "9:name=systemd:/\n4:memory:/docker/5f2c\n0::/\n",
			"sys/fs/cgroup/memory/docker/5f2c/memory.limit_in_bytes": "8589934592\n"}, "512MB"},
		"nobody knows":          {nil, "256MB"},
		"nobody understands it": {map[string]string{machine: "many", group: "1073741824000"}, "256MB"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range c.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
			}
			require.Equal(t, c.want, sharedBuffers(memoryAt(root)))
		})
	}
}
