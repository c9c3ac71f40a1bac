package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// acceptedTopics is the reactor that fills the topics for consumers without the
// accept rule, if this node was told to. Nodes that were told share the work; it is
// enough that one was.
func (n *Node) acceptedTopics(ctx context.Context) ([]reactors.Reactor, error) {
	if !n.cfg.AcceptedTopics {
		return nil, nil
	}
	copies, err := n.kafka.OpenCopies(ctx, catalog.Categories(), n.cfg.AcceptedOpen)
	if err != nil {
		return nil, err
	}
	producer := eventstore.NewProducer(copies, nil)
	n.closing(func(context.Context) { producer.Close() }) // after the reactors, which wait for its answers
	return []reactors.Reactor{reactors.AcceptedTopics{Categories: catalog.Categories(), CopyTopic: kafka.CopyTopic,
		Append: producer.Append}.Reactor()}, nil
}
