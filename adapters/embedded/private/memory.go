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
// the machine's, or less where a control group says so.
func memoryAt(root string) uint64 {
	least := uint64(math.MaxUint64)
	for _, limit := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(root, limit))
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
