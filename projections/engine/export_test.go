package engine

import (
	"maps"
)

// Die ends everything the projector does without handing anything over, as if its
// process were gone.
func (p *Projector) Die() {
	p.cancel()
	p.tasks.Wait()
	p.mu.Lock()
	workers := maps.Clone(p.workers)
	p.mu.Unlock()
	for _, w := range workers {
		w.stop()
		<-w.done
	}
}
