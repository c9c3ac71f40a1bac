package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the times in /proc on Linux, whatever the kernel's own.
const tick = 10 * time.Millisecond

// process is what /proc says of one: its parent, and how long it and those of its
// children that are gone were on a core.
type process struct {
	parent int
	spent  time.Duration
}

// spent is the time on a core of this process and of all those it started: clients, node,
// broker and Postgres. Zero where there is no /proc.
func spent() time.Duration {
	all := processes()
	var sum time.Duration
	for pid := range all {
		if under(all, pid, os.Getpid()) {
			sum += all[pid].spent
		}
	}
	return sum
}

// work is one piece of it that is measured from now on.
type work struct {
	start  time.Time
	before time.Duration
}

func begin() work { return work{start: time.Now(), before: spent()} }

// spent is how long it took, and how long it was on the cores.
func (w work) spent() (took, cpu time.Duration) { return time.Since(w.start), spent() - w.before }

// done is the figure of work that brought so many.
func (w work) done(name string, n int) figure {
	took, cpu := w.spent()
	return figure{Name: name, Rate: float64(n) / took.Seconds(), CPU: float64(cpu.Microseconds()) / float64(n)}
}

func under(all map[int]process, pid, ancestor int) bool {
	for range len(all) {
		if pid == ancestor {
			return true
		}
		pid = all[pid].parent
	}
	return false
}

func processes() map[int]process {
	out := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil { // it has ended
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if p, ok := parseStat(string(data)); ok && err == nil {
			out[pid] = p
		}
	}
	return out
}

// parseStat reads a line of /proc/PID/stat. What stands in brackets is a name, and may hold
// anything.
func parseStat(line string) (process, bool) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 15 {
		return process{}, false
	}
	number := func(i int) (n int) {
		n, _ = strconv.Atoi(fields[i])
		return n
	}
	ticks := 0
	for _, i := range []int{11, 12, 13, 14} { // of itself and of its children, in user mode and in the kernel
		ticks += number(i)
	}
	return process{parent: number(1), spent: time.Duration(ticks) * tick}, true
}
