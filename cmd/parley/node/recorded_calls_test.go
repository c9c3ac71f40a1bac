package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// pastCall is a call that happened at times of the test's choice, in a world where
// nobody dials.
type pastCall struct {
	id, session string
	on          *tenant
	bot         string
	notifyURL   string
	detection   calls.DetectionMode
	requested   time.Time // dialled at once
}

// past is a call of the account's bot that is being dialled, and may be so for a year.
func (w *callWorld) past(t *testing.T, on *tenant, bot string, at time.Time) *pastCall {
	t.Helper()
	return w.dialled(t, w.requested(t, &pastCall{on: on, bot: bot, requested: at}), at.AddDate(1, 0, 0))
}

// requested asks for the call, and gives it its ids.
func (w *callWorld) requested(t *testing.T, c *pastCall) *pastCall {
	t.Helper()
	c.id, c.session = uuid.NewString(), uuid.NewString()
	w.happened(t, c, calls.DialOut{CallID: c.id, SID: uuid.NewString(), TenantID: c.on.id, AccountID: c.on.id, ProjectID: c.bot, BotID: c.bot,
		Target: human, OurNumber: callCaller, NotifyURL: c.notifyURL, MachineDetection: string(c.detection), At: c.requested}.Decide)
	return c
}

func (w *callWorld) dialled(t *testing.T, c *pastCall, lease time.Time) *pastCall {
	t.Helper()
	w.happened(t, c, calls.StartAttempt{AttemptID: "a-1", Node: "a node of the past", At: c.requested, LeaseUntil: lease}.Decide)
	return c
}

// happened appends what a dialer would.
func (w *callWorld) happened(t *testing.T, c *pastCall, decide func(calls.State) ([]event.Payload, error)) {
	t.Helper()
	res, err := eventstore.Execute(t.Context(), w.Store(), calls.Calls, calls.Calls.Stream(c.id), eventstore.Command{Tenant: c.on.id,
		Actor: "reactor:dialer"}, decide)
	require.NoError(t, err)
	require.NotEmpty(t, res.Events)
}

func (w *callWorld) answered(t *testing.T, c *pastCall, at time.Time) *pastCall {
	t.Helper()
	w.happened(t, c, calls.Answer{SessionID: c.session, At: at}.Decide)
	return c
}

func (w *callWorld) completed(t *testing.T, c *pastCall, by calls.Party, at time.Time) *pastCall {
	t.Helper()
	w.happened(t, c, calls.Complete{By: by, At: at}.Decide)
	return c
}
