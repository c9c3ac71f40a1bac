package node

import (
	"fmt"

	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
)

// conversationSummaries makes the summaries of conversations, with the model that the
// settings name.
func (n *Node) conversationSummaries() (contactcenter.ConversationSummaries, error) {
	model, err := n.cfg.Providers.summarizer()
	if err != nil {
		return contactcenter.ConversationSummaries{}, fmt.Errorf("the provider of summaries: %w", err)
	}
	return contactcenter.ConversationSummaries{Store: n.store, Transcripts: contactmodels.NewConversations(n.db.Queries), Summarizer: model,
		Now: n.clock.Now}, nil
}
