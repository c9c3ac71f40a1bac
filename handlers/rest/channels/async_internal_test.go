package channels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// Given what a thread knows of a message, then a program hears how far it is. A node may die when a reply is on the thread and it is not
// noted yet who took the message: an agent is at it all the same.
func TestHowFarAMessageIs(t *testing.T) {
	said := []threads.Queued{{MessageID: "m-1"}}
	for want, cases := range map[string][]threads.Exchange{
		"waiting":  {{}},
		"working":  {{Fate: threads.Fate{Session: "s-1"}}, {Replies: said}},
		"answered": {{Fate: threads.Fate{Session: "s-1", Over: sessions.Continue}, Replies: said}},
		"failed":   {{Fate: threads.Fate{Refused: "NOT_FOUND"}}, {Fate: threads.Fate{Refused: threads.CodeLeft}, Replies: said}},
	} {
		for _, x := range cases {
			require.Equal(t, want, shownExchange("x.1", x).Status, "%+v", x.Fate)
		}
	}
}
