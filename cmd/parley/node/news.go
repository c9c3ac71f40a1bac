package node

import "github.com/parley-platform/parley/eventstore"

// seen is called with what this node projected. With a Postgres of its own nobody else
// projects: then those who look at its tables again and again are told when there is
// something to look for, and rest in between. An idle node wakes seldom so, and nothing
// comes later than without it.
func (n *Node) seen() func([]*eventstore.Record) {
	if !n.embeddedTables {
		return n.cfg.Seen
	}
	n.timerNews, n.analyticsNews = make(chan struct{}, 1), make(chan struct{}, 1)
	return func(records []*eventstore.Record) {
		for _, news := range []chan struct{}{n.timerNews, n.analyticsNews} {
			select {
			case news <- struct{}{}:
			default: // said already
			}
		}
		if n.cfg.Seen != nil {
			n.cfg.Seen(records)
		}
	}
}
