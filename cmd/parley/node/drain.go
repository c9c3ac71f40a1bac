package node

import (
	"context"
	"sync"
)

// closingReactors is closing, for what a node gives up before its calls have ended: others are to go on
// with that meanwhile.
func (n *Node) closingReactors(f func(context.Context)) {
	once := onceIn(f)
	n.reacting = append(n.reacting, once)
	n.closing(once)
}

func onceIn(f func(context.Context)) func(context.Context) {
	var once sync.Once
	return func(ctx context.Context) { once.Do(func() { f(ctx) }) }
}

// drainCalls takes no more calls and lets those end that there are, for as long as the operator said. The API
// answers meanwhile, as agents on the line may wait for callbacks; reactors and timers are others'.
func (n *Node) drainCalls(ctx context.Context) {
	if n.cfg.CallDrain <= 0 || n.api == nil {
		return
	}
	for _, s := range n.slices {
		if s.Drain == nil {
			continue
		}
		running := s.Drain.Refuse()
		if running == 0 {
			continue
		}
		n.log.Warn("this node ends, and lets its calls end first; a second signal ends them", "calls", running,
			"atMost", n.cfg.CallDrain.String())
		n.api.Drain()
		for i := len(n.reacting) - 1; i >= 0; i-- {
			n.reacting[i](ctx)
		}
		within, cancel := context.WithTimeout(ctx, n.cfg.CallDrain)
		left := s.Drain.Await(within)
		cancel()
		if left > 0 {
			n.log.Warn("calls are ended, or left to other nodes, that did not end in time", "calls", left)
		}
	}
}
