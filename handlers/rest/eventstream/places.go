package eventstream

import (
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Places are those of readers on this node.
type Places struct {
	Of        string // what they read, as refusals name it: event streams
	PerTenant int
	PerNode   int // of all tenants; 0: any number

	mu  sync.Mutex
	all int
	of  map[string]int
}

// Count is how many are taken.
func (p *Places) Count() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(p.all)
}

// Enter takes a place, which must be left.
func (p *Places) Enter(tenant string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.of[tenant] >= p.PerTenant:
		return nil, fault.New(fault.RateLimit, "the account has %d %s open on this node already; close one", p.PerTenant, p.Of).After(
			5 * time.Second)
	case p.PerNode > 0 && p.all >= p.PerNode:
		return nil, fault.New(fault.RateLimit, "this node has %d %s open already; try another node", p.PerNode, p.Of).After(5 * time.Second)
	}
	if p.of == nil {
		p.of = map[string]int{}
	}
	p.all++
	p.of[tenant]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.of[tenant]--; p.of[tenant] == 0 {
			delete(p.of, tenant)
		}
	}, nil
}
