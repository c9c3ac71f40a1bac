package node

import (
	"fmt"

	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
)

// effects are what this node makes outside of the log in attempts. Each follows the log,
// and has a timer.
func (n *Node) effects() ([]reactors.Effect, error) {
	hears, err := n.cfg.Providers.transcriber()
	if err != nil {
		return nil, fmt.Errorf("the provider of transcripts: %w", err)
	}
	carrier, err := n.cfg.Providers.texts()
	if err != nil {
		return nil, fmt.Errorf("the provider of text messages: %w", err)
	}
	model, err := n.cfg.Providers.summarizer()
	if err != nil {
		return nil, fmt.Errorf("the provider of summaries: %w", err)
	}
	return []reactors.Effect{
		n.deliverer().Attempts(),
		channels.TextSender{Node: n.id, Store: n.store, Delivery: carrier, Now: n.clock.Now, Log: n.log}.Attempts(),
		reporting.Exporter{Store: n.store, Blobs: n.blobs, Now: n.clock.Now, Log: n.log}.Attempts(),
		contactcenter.VoicemailTranscriber{Store: n.store, Blobs: n.blobs, Transcriber: hears, Now: n.clock.Now, Log: n.log}.Attempts(),
		contactcenter.ConversationSummaries{Store: n.store, Transcripts: contactmodels.NewConversations(n.db.Queries), Summarizer: model,
			Now: n.clock.Now, Log: n.log}.Attempts(),
	}, nil
}
