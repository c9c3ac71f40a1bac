package node_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// Given a conversation that has ended, its summary is asked for again, and once for a
// repeat of the request.
func TestASummaryCanBeAskedForAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := func(id string) string { return "/api/v1/projects/" + mainApp + "/conversations/" + id + "/summary" }
	ask := func(on *server, id string, headers ...string) *answer {
		return on.do(t, "POST", path(id), nil, append([]string{"auth", d.token}, headers...)...)
	}
	asked := func() int {
		t.Helper()
		l, err := eventstore.Read(t.Context(), d.on.Store(), conversations.Conversations, conversations.Stream(d.id, mainApp, "again"))
		require.NoError(t, err)
		return l.State.Summaries
	}
	done := func() {
		until(t, "the summary", func() bool { return d.shown(t, "again", "").Conversation.Summary["status"] == "done" })
	}

	d.events(t, "again", enters("NA", "a1")).ok(t)
	d.hook(t, d.c.a, "again", says("USER", "My parcel has not come.")).ok(t)
	ask(d.c.a, "again").refused(t, 409, fault.Conflict)
	d.events(t, "again", leaves("NA", "a1"), triggers(), finishes()).ok(t)
	done()

	var got map[string]any
	ask(d.c.a, "again", "Idempotency-Key", "k1").must(t, 200).into(t, &got)
	summary := got["summary"].(map[string]any)
	require.Equal(t, []any{"pending", "English", "en", "post"},
		[]any{summary["status"], summary["language"], summary["locale"], summary["type"]})
	done()
	repeat := ask(d.c.b, "again", "Idempotency-Key", "k1").must(t, 200)
	require.Equal(t, "true", repeat.Header.Get("Idempotency-Replayed"))
	require.Equal(t, 2, asked(), "the one that the hook triggered, and this one")
	ask(d.c.b, "again", "Idempotency-Key", "k2").must(t, 200)
	require.Equal(t, 3, asked())

	ask(d.c.a, uuid.NewString()).refused(t, 404, fault.NotFound)
	other := d.c.tenant(t, "")
	d.c.a.do(t, "POST", path("again"), nil, "auth", other.token(t)).refused(t, 404, fault.NotFound)
	d.c.a.do(t, "POST", path("again"), nil).refused(t, 401, fault.Unauthorized)
}
