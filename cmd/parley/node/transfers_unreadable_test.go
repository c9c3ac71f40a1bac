package node_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// spoil makes the first event of streams one that nobody can read, as a fault of an
// earlier version would have written it. The node is away meanwhile: one that still knows how
// a stream stood would go on with that.
func (c *cluster) spoil(t *testing.T, streams ...string) {
	t.Helper()
	c.a.stop()
	defer c.a.up(t)
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for _, stream := range streams {
		changed, err := conn.Exec(t.Context(), `UPDATE events SET data = '{"at":5}' WHERE stream = $1 AND version = 1`, stream)
		require.NoError(t, err)
		require.EqualValues(t, 1, changed.RowsAffected(), stream)
	}
}

// Given streams that cannot be folded, then whoever else is concerned by the same events goes on.
func TestStreamsThatCannotBeFoldedHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	c := newCluster(t)
	c.a = c.start(t)
	c.b = c.a
	w := newTransferDesk(t, c)
	w.staff(t, nil, "a-line", "a-before", "a-after", "a-bad", "a-good")
	w.queue(t, "q-line", nil, "a-line")
	w.queue(t, "q-agents", fields{"agents": []fields{{"userId": "a-bad", "isPreferredAgent": true}, {"userId": "a-good"}}})
	busy, bad, good, replaced := w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp)
	w.assign(t, busy, toQueue("q-line"))
	inLine := w.assign(t, bad, toQueue("q-line"))
	w.assign(t, good, toQueue("q-line"))
	before := w.assign(t, replaced, toAgent("a-before"))
	w.c.spoil(t, transfers.Stream(inLine.TransferID), transfers.Stream(before.TransferID), humanagents.DeskStream(w.id, "a-bad"))

	t.Run("a transfer in a line", func(t *testing.T) {
		w.endSession(t, busy)
		w.becomes(t, good, "assigned", "a-line")
		again := w.session(t, mainApp)
		require.Equal(t, "transferred", w.assign(t, again, toQueue("q-line")).Status, "who comes later is taken too")
	})
	t.Run("a transfer of a session that another one replaces", func(t *testing.T) {
		require.Equal(t, "transferred", w.assign(t, replaced, toAgent("a-after")).Status)
		w.becomes(t, replaced, "assigned", "a-after")
		w.endSession(t, replaced)
		w.becomes(t, replaced, "ended", "a-after")
	})
	t.Run("an agent is passed over", func(t *testing.T) {
		session := w.session(t, mainApp)
		w.assign(t, session, toQueue("q-agents"))
		w.becomes(t, session, "assigned", "a-good")
		got := w.assign(t, w.session(t, mainApp), toAgent("a-bad"))
		require.Equal(t, []string{"failed", "AGENT_NOT_AVAILABLE"}, []string{got.Status, got.Reason})
		_, err := eventstore.Read(t.Context(), w.on.Store(), humanagents.Desks, humanagents.DeskStream(w.id, "a-bad"))
		require.True(t, eventstore.Unreadable(err), "it was really spoiled")
	})
}

// What an agent who does not take a conversation is said to be (docs/api-rules.md
// "Transfer").
func TestWhyAnAgentDoesNotTakeAConversation(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))
	for _, c := range []struct {
		agent    string
		record   fields
		presence string
		reason   string
	}{
		{"a-never", nil, "", "AGENT_OFFLINE"},
		{"a-offline", nil, "OFFLINE", "AGENT_OFFLINE"},
		{"a-busy", nil, "BUSY", "AGENT_NOT_AVAILABLE"},
		{"a-away", nil, "AWAY", "AGENT_NOT_AVAILABLE"},
		{"a-inactive", fields{"status": "INACTIVE"}, "AVAILABLE", "AGENT_NOT_AVAILABLE"},
		{"a-inactive-offline", fields{"status": "INACTIVE"}, "", "AGENT_NOT_AVAILABLE"},
		{"a-no-chat", fields{"canSupportChat": false}, "AVAILABLE", "AGENT_DOES_NOT_SUPPORT"},
		{"a-none-at-once", fields{"maxDigitalChatSupport": 0}, "AVAILABLE", "AGENT_DOES_NOT_SUPPORT"},
	} {
		t.Run(c.agent, func(t *testing.T) {
			w.agents(t, fields{"canSupportChat": true, "maxDigitalChatSupport": 1}.and(c.record), c.agent)
			if c.presence != "" {
				w.presence(t, c.agent, c.presence, "")
			}
			session := w.session(t, mainApp)
			got := w.assign(t, session, toAgent(c.agent))
			require.Equal(t, []string{"failed", c.reason, c.agent}, []string{got.Status, got.Reason, got.AgentID})
			require.Equal(t, []any{"failed", c.reason}, []any{w.row(t, session)["status"], w.row(t, session)["reason"]})
			told := w.told(t, session, 1)[0]
			require.Equal(t, []any{"failed", c.reason}, []any{told["status"], told["reason"]})
		})
	}
}
