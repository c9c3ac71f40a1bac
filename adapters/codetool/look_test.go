package codetool

// Children is how many there are now.
func (r *Runner) Children() int { return len(r.Pids()) }

// Pids are those of the children.
func (r *Runner) Pids() (pids []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.all {
		pids = append(pids, p.cmd.Process.Pid)
	}
	return pids
}

// KillChildren is what the system does to a process that it has no memory for.
func (r *Runner) KillChildren() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.all {
		_ = p.cmd.Process.Kill()
	}
}
