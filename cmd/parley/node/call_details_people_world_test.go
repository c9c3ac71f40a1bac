package node_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// talked is a call of the presence world that somebody has answered. Both commits of
// its beginning are one, so that no dialer takes it.
func (w presenceWorld) talked(t *testing.T, metadata string) (*callWorld, *pastCall) {
	t.Helper()
	past := &callWorld{server: w.c.a, cluster: w.c, one: w.tenant, auth: w.auth}
	c := &pastCall{on: w.tenant, bot: mainApp, requested: time.Now(), id: uuid.NewString(), session: uuid.NewString()}
	past.happened(t, c, func(s calls.State) ([]event.Payload, error) {
		dial, err := calls.DialOut{CallID: c.id, SID: uuid.NewString(), TenantID: w.id, AccountID: w.id, ProjectID: mainApp, BotID: mainApp,
			Target: human, OurNumber: callCaller,
			Metadata: json.RawMessage(metadata), At: c.requested}.Decide(s)
		require.NoError(t, err)
		calls.Calls.Fold(&s, dial[0])
		start, err := calls.StartAttempt{AttemptID: "a-1", Node: "a node of the past", At: c.requested, LeaseUntil: c.requested.AddDate(1, 0,
			0)}.Decide(s)
		return append(dial, start...), err
	})
	past.answered(t, c, time.Now())
	return past, c
}
