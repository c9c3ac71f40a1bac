package channels

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
)

// board is a provider that shows what is being written, and counts for a whole account.
type board struct {
	carrier
	shown []time.Duration // when it was shown, since the beginning
	texts []string
	began time.Time
	full  time.Duration // how long it wants nothing more, the first time
	away  []string      // what was taken away
}

func (*board) Drafts(string) (channels.Drafts, bool) {
	return channels.Drafts{Every: time.Second, Shared: true, Kept: true}, true
}

func (b *board) Draft(_ context.Context, _ channels.Connection, d channels.Draft) channels.Outcome {
	b.shown, b.texts = append(b.shown, time.Since(b.began)), append(b.texts, d.Text)
	if pause := b.full; pause > 0 {
		b.full = 0
		return channels.Outcome{Status: channels.NotTaken, RetryAfter: pause}
	}
	return channels.Outcome{Status: channels.Taken, ProviderMessageID: "d-1"}
}

func (*board) Limits() channels.Limits { return channels.Limits{Text: 99, Unit: channels.Characters} }

// drafting is a turn of which is shown what is said.
func (w *filesWorld) drafting(by drafter, connection string, turn int) *drafting {
	w.Helper()
	how, _ := by.Drafts("")
	g := &giving{ThreadTurns: w.ThreadTurns, stream: conversation, thread: w.state()}
	g.message.TenantID, g.message.ConnectionID = "acme", connection
	g.by.Command.Tenant, g.by.Command.Actor = "acme", "test"
	g.Adapters = func(string) (carrier, bool) { return by.(carrier), true }
	return &drafting{giving: g, by: by, how: how, session: "session-s-1", turn: turn, call: "call", text: "so far"}
}

// Given a provider that counts the edits of all conversations of an account together, when several turns of it are
// shown at a time, then they share what it allows, and where it wants a pause all of them make it; another account
// is not held up.
func TestDraftsOfOneAccountAreShownAtOnePace(t *testing.T) {
	for name, c := range map[string]struct {
		full  time.Duration
		shown []time.Duration
	}{
		"it takes all":    {0, []time.Duration{0, time.Second, 2 * time.Second}},
		"it wants a rest": {30 * time.Second, []time.Duration{0, 30 * time.Second, 31 * time.Second, 32 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, by := newFilesWorld(t), &board{began: time.Now(), full: c.full}
				w.Turns.Now, w.pace = time.Now, &pace{next: map[string]time.Time{}}
				for turn := range 3 {
					d := w.drafting(by, "cn-1", turn+1)
					for again, pause := true, time.Duration(0); again; time.Sleep(pause) {
						pause, again = d.show(t.Context())
					}
				}
				require.Equal(t, c.shown, by.shown)
				_, again := w.drafting(by, "cn-2", 4).show(t.Context())
				require.Equal(t, []any{false, len(c.shown) + 1}, []any{again, len(by.shown)})
			})
		})
	}
}

// eraser is a board that takes away what it has shown.
type eraser struct{ *board }

func (e eraser) Withdraw(_ context.Context, _ channels.Connection, d channels.Draft) {
	e.away = append(e.away, d.ID)
}

// Given a turn that comes to nothing, then the thread knows of no draft of it any more, also where the provider
// shows for ever what it has shown, or has shown nothing; what can be taken away is.
func TestADraftOfATurnThatCameToNothingIsLetGo(t *testing.T) {
	for name, c := range map[string]struct {
		can  bool
		full time.Duration
		away []string
	}{
		"it can be taken away": {true, 0, []string{"d-1"}},
		"it cannot":            {false, 0, nil},
		"nothing was shown":    {true, time.Minute, nil},
	} {
		w, on := newFilesWorld(t), &board{full: c.full}
		w.pace = &pace{next: map[string]time.Time{}}
		by := drafter(on)
		if c.can {
			by = eraser{on}
		}
		d := w.drafting(by, "cn-1", 1)
		d.show(t.Context())
		require.Equal(t, 1, w.state().Draft.Reply, name)
		d.end(t.Context())
		require.Equal(t, threads.Draft{}, w.state().Draft, name)
		require.Equal(t, c.away, on.away, name)
	}
}

// narrow is a board that takes less of a text at some places.
type narrow struct{ *board }

func (narrow) LimitsTo(string) channels.Limits {
	return channels.Limits{Text: 6, Unit: channels.Characters}
}

// Given a provider that takes less at the place of a conversation, then no more of an answer is shown there than its
// first message will have.
func TestOfAnAnswerIsShownWhatFitsItsPlace(t *testing.T) {
	w, on := newFilesWorld(t), &board{}
	w.pace = &pace{next: map[string]time.Time{}}
	d := w.drafting(narrow{on}, "cn-1", 1)
	d.message.ReplyTo, d.text = "C1", "Good day to you"
	d.show(t.Context())
	require.Equal(t, channels.Limits{Text: 6, Unit: channels.Characters}.Split(d.text)[:1], on.texts)
}
