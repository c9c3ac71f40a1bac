package turns_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Blanks alone are no message, unless something comes with them. One that stands on a log from before is
// played again all the same.
func TestAMessageSaysSomething(t *testing.T) {
	for _, blank := range []string{"", " ", "\n\t \u00a0\u2003"} {
		c := with(t, agent("meter", meter))
		c.add(sessions.Attached{AttachmentID: "f-1"})
		_, err := c.turn(turns.Receive{Text: blank})
		var refused *fault.Error
		require.True(t, errors.As(err, &refused), "%q: %v", blank, err)
		require.Equal(t, []any{fault.Validation, "message"}, []any{refused.Code, refused.Details[0].Field})
		for what, m := range map[string]turns.Receive{"a file": {Attached: []string{"f-1"}}, "a choice": {Action: &sessions.Chosen{ID: "b"}},
			"a replay": {Taken: true}} {
			c := with(t, agent("meter", meter))
			c.add(sessions.Attached{AttachmentID: "f-1"})
			m.Text = blank
			_, err := c.turn(m)
			require.NoError(t, err, what)
		}
	}
}

// A file that is named twice comes once, where it was named first.
func TestAFileComesOnceWithAMessage(t *testing.T) {
	c := with(t, agent("meter", meter))
	c.add(sessions.Attached{AttachmentID: "f-1"}, sessions.Attached{AttachmentID: "f-2"})
	got, err := c.turn(turns.Receive{Text: "Look", Attached: []string{"f-2", "f-1", "f-2", "f-1"}})
	require.NoError(t, err)
	require.Equal(t, []string{"f-2", "f-1"}, got[0].(sessions.MessageReceived).Attachments)
}
