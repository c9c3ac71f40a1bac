package contactcenter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// Whoever is told of an end first, a conversation ends for the reason of the last
// transfer that was taken.
func TestAConversationEndsForTheReasonOfItsLastTransfer(t *testing.T) {
	at := time.Now()
	replaced := contactcenter.Transfer{Turn: 1, Status: transfers.PhaseEnded, AssignedAt: &at, Reason: transfers.Replaced}
	ended := contactcenter.Transfer{Turn: 2, Status: transfers.PhaseEnded, QueuedAt: &at, Reason: transfers.SessionEnded}
	waits := contactcenter.Transfer{Turn: 2, Status: transfers.PhaseQueued, QueuedAt: &at}
	refused := contactcenter.Transfer{Turn: 3, Status: transfers.PhaseFailed, Reason: transfers.AgentRemoved}
	for name, c := range map[string]struct {
		all    []contactcenter.Transfer
		turn   int
		holder *contactcenter.Transfer
		reason transfers.Reason
	}{
		"the replaced one is told of last":    {all: []contactcenter.Transfer{replaced, ended}, turn: 2, reason: transfers.SessionEnded},
		"one that nobody took changes none":   {all: []contactcenter.Transfer{replaced, ended, refused}, turn: 3, reason: transfers.SessionEnded},
		"one waits: nothing is over":          {all: []contactcenter.Transfer{replaced, waits}, turn: 2, holder: &waits},
		"only itself":                         {all: []contactcenter.Transfer{ended}, turn: 2, reason: transfers.SessionEnded},
		"the read model knows of none as yet": {turn: 1, reason: transfers.Replaced},
	} {
		t.Run(name, func(t *testing.T) {
			got := standing{turn: 1, reason: transfers.Replaced}.of(c.all)
			require.Equal(t, c.turn, got.turn)
			require.Equal(t, c.holder, got.holder)
			require.Equal(t, c.reason, got.reason)
		})
	}
}
