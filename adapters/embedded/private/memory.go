package private

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// What the server may keep of its tables: a sixteenth of the memory, between these.
// Below, the hot pages of the stream index do not fit; above, the page cache has the
// rest as well. Nothing of it is used before there is data to fill it.
const (
	leastBuffers = 256 << 20
	mostBuffers  = 1 << 30
)

// sharedBuffers is the setting for a machine, or a container, with so much memory;
// 0: it is not known.
func sharedBuffers(memory uint64) string {
	return fmt.Sprintf("%dMB", min(max(memory/16, leastBuffers), mostBuffers)>>20)
}

// memoryAt is what this process and the server may use, as Linux tells it below a root:
// the machine's, or less where a control group says so. A container sees its own group as
// the top; a service of systemd, as parley.service, has it further down, and each group
// above it may hold less.
func memoryAt(root string) uint64 {
	least := uint64(math.MaxUint64)
	for _, limit := range memoryLimits(root) {
		text, err := os.ReadFile(limit)
		if n, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil { // else it is "max"
			least = min(least, n)
		}
	}
	text, _ := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	var kib uint64
	if n, _ := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); n != 1 {
		return 0
	}
	return min(least, kib<<10)
}

// memoryLimits are the files that may bound this process: of its control group and of all
// above it, of the kind of today (`0::/system.slice/parley.service`) and of the older one
// (`4:memory:/docker/5f2c`). Those that are not there bound nothing.
func memoryLimits(root string) (files []string) {
	groups := map[string]string{"": "/", "memory": "/"}
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) {
		if part := strings.SplitN(strings.TrimSpace(line), ":", 3); len(part) == 3 {
			groups[part[1]] = part[2]
		}
	}
	for controller, file := range map[string]string{"": "memory.max", "memory": "memory.limit_in_bytes"} {
		for group := filepath.Clean(groups[controller]); ; group = filepath.Dir(group) {
			files = append(files, filepath.Join(root, "sys/fs/cgroup", controller, group, file))
			if group == "/" || group == "." {
				break
			}
		}
	}
	return files
}
