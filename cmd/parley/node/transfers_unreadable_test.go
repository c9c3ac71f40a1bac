package node_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// spoil makes the first event of a stream one that nobody can read, as a fault of an
// earlier version would have written it.
func (c *cluster) spoil(t *testing.T, stream string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	changed, err := conn.Exec(t.Context(), `UPDATE events SET data = '{"at":5}' WHERE stream = $1 AND version = 1`, stream)
	require.NoError(t, err)
	require.EqualValues(t, 1, changed.RowsAffected(), stream)
}

// Given one stream that cannot be folded, then whoever else is concerned by the same
// event goes on.
func TestAStreamThatCannotBeFoldedHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	w := newTransferDesk(t, shared(t))

	t.Run("a transfer in a line", func(t *testing.T) {
		w.staff(t, nil, "a-line")
		w.queue(t, "q-line", nil, "a-line")
		busy, bad, good := w.session(t, mainApp), w.session(t, mainApp), w.session(t, mainApp)
		w.assign(t, busy, toQueue("q-line"))
		spoiled := w.assign(t, bad, toQueue("q-line"))
		w.assign(t, good, toQueue("q-line"))
		w.c.spoil(t, transfers.Stream(spoiled.TransferID))
		w.endSession(t, busy)
		w.becomes(t, good, "assigned", "a-line")
		again := w.session(t, mainApp)
		require.Equal(t, "transferred", w.assign(t, again, toQueue("q-line")).Status, "who comes later is taken too")
	})
	t.Run("a transfer of a session that another one replaces", func(t *testing.T) {
		w.staff(t, nil, "a-before", "a-after")
		session := w.session(t, mainApp)
		w.c.spoil(t, transfers.Stream(w.assign(t, session, toAgent("a-before")).TransferID))
		require.Equal(t, "transferred", w.assign(t, session, toAgent("a-after")).Status)
		w.becomes(t, session, "assigned", "a-after")
		w.endSession(t, session)
		w.becomes(t, session, "ended", "a-after")
	})
}

// Given an agent whose stream cannot be folded, then the queue's next agent takes the
// conversation. A node that still knows how the agent stood would go on with that: here
// another one was told.
func TestAnAgentWhoseStreamCannotBeFoldedIsPassedOver(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	c := newCluster(t)
	c.a = c.start(t)
	c.b = c.start(t, func(cfg *node.Config) { cfg.Roles = []node.Role{node.RoleAPI, node.RoleProjector} })
	w := newTransferDesk(t, c)
	w.on = c.b
	w.staff(t, nil, "a-bad", "a-good")
	w.on = c.a
	w.queue(t, "q-agents", fields{"agents": []fields{{"userId": "a-bad", "isPreferredAgent": true}, {"userId": "a-good"}}})
	w.c.spoil(t, humanagents.DeskStream(w.id, "a-bad"))
	session := w.session(t, mainApp)
	w.assign(t, session, toQueue("q-agents"))
	w.becomes(t, session, "assigned", "a-good")
	got := w.assign(t, w.session(t, mainApp), toAgent("a-bad"))
	require.Equal(t, []string{"failed", "AGENT_NOT_AVAILABLE"}, []string{got.Status, got.Reason})
	_, err := eventstore.Read(t.Context(), w.on.Store(), humanagents.Desks, humanagents.DeskStream(w.id, "a-bad"))
	require.True(t, eventstore.Unreadable(err), "it was really spoiled")
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
