package runtime

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// reader is who reads a stream: it takes so many writes, and says when it saw a word.
type reader struct {
	mu    sync.Mutex
	takes int
	text  strings.Builder
	word  string
	seen  chan struct{}
	once  sync.Once
}

func (r *reader) Header() http.Header { return http.Header{} }
func (r *reader) WriteHeader(int)     {}

func (r *reader) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.takes--; r.takes < 0 {
		return 0, errors.New("gone")
	}
	if strings.Contains(string(b), r.word) {
		r.once.Do(func() { close(r.seen) })
	}
	return r.text.Write(b)
}

// Flush lets http.ResponseController flush it.
func (r *reader) Flush() {}

// silent begins, and then says nothing until it is told to end.
type silent struct {
	until <-chan struct{}
	ended chan error
}

func (silent) Offered() []completions.Chosen { return nil }

func (silent) Check(completions.Request) error { return nil }

func (s silent) Complete(ctx context.Context, _ completions.Request, emit func(completions.Piece) error) (completions.Finish, error) {
	err := emit(completions.Piece{Kind: completions.Begun, Chosen: completions.Chosen{ModelID: "m"}})
	if err == nil {
		select {
		case <-s.until:
			err = fault.New(fault.Unavailable, "the model broke off")
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	s.ended <- err
	return completions.Finish{}, err
}

func TestASilentStreamHasHeartbeatsAndOneEnd(t *testing.T) {
	w := resttest.NewStored(t, nil)
	r := &reader{takes: 1_000_000, word: ": heartbeat\n\n", seen: make(chan struct{})}
	a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Heartbeat: time.Millisecond},
		models: silent{r.seen, make(chan error, 1)}}
	a.serve(t.Context(), r, namedEvents{})
	require.Contains(t, r.text.String(), r.word)
	text := strings.ReplaceAll(r.text.String(), r.word, "") // the first may come before the model has begun
	require.True(t, strings.HasPrefix(text, ": begun\n\nevent: metadata\ndata: {"), text)
	require.True(t, strings.HasSuffix(text, "event: error\ndata: {\"error\":\"the model broke off\"}\n\n"), text)
	require.Equal(t, 1, strings.Count(text, "event: error"))
	require.NotContains(t, text, "event: complete")
}

// Given a reader who goes before each of the writes, then the model is told to stop.
func TestAReaderWhoGoesStopsTheModel(t *testing.T) {
	w := resttest.NewStored(t, nil)
	for takes := range 3 {
		r := &reader{takes: takes, word: "never", seen: make(chan struct{})}
		ended := make(chan error, 1)
		a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Heartbeat: time.Millisecond}, models: silent{r.seen, ended}}
		a.serve(t.Context(), r, namedEvents{})
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}

// folders are where answers were put.
type folders struct {
	answerStore
	names []string
	gone  []string
}

func (f *folders) Delete(_ context.Context, name string) error {
	f.gone = append(f.gone, name)
	return nil
}

func (f *folders) Put(_ context.Context, prefix, _ string, _ []byte) (string, error) {
	f.names = append(f.names, prefix)
	return prefix + "/file", nil
}

// Given two answers that are the same to the letter, then each has a file of its own: one that goes takes no other with it.
func TestEachKeptAnswerHasAFileOfItsOwn(t *testing.T) {
	w, kept := resttest.NewStored(t, nil), &folders{}
	for _, id := range []string{"c-1", "c-2"} {
		f := completions.Figures{CompletionID: id, TenantID: "acme", ProjectID: "shop"}
		a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Answers: kept}, figures: f, keyed: true}
		_ = a.finish(t.Context(), f, completions.Finish{Reason: completions.EndTurn}) // nobody's is not recorded; it was put before
	}
	require.Equal(t, []string{"completions/acme/c-1", "completions/acme/c-2"}, kept.names)
}

// Given a session whose customer was erased while a model answered a request that named it, then the answer is not kept, and who repeats
// the request is told so; that to a request of another session is.
func TestAnAnswerBehindAnErasureIsNotKept(t *testing.T) {
	w, kept := resttest.NewStored(t, nil), &folders{}
	by := eventstore.Command{Tenant: "acme", Actor: "test"}
	for _, id := range []string{"s-1", "s-2"} {
		_, err := eventstore.Execute(t.Context(), w.Commands.Store, sessions.Sessions, "session-"+id, by,
			func(sessions.State) ([]event.Payload, error) {
				return []event.Payload{sessions.Opened{SessionID: id, TenantID: "acme", At: time.Now()}}, nil
			})
		require.NoError(t, err)
	}
	_, err := eventstore.Erase(t.Context(), w.Commands.Store, sessions.Sessions, "session-s-1", by,
		sessions.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: time.Now()}})
	require.NoError(t, err)
	for _, session := range []string{"s-1", "s-2"} {
		f := completions.Figures{CompletionID: "c-" + session, TenantID: "acme", ProjectID: "shop", SessionID: session}
		a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Answers: kept}, figures: f, keyed: true}
		_ = a.finish(t.Context(), f, completions.Finish{Reason: completions.EndTurn}) // nobody's is not recorded; it was put before
	}
	require.Equal(t, []string{"completions/acme/c-s-2"}, kept.names)
	a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Answers: kept}}
	require.Equal(t, forgotten(), a.load(t.Context(), completions.State{Ended: true}))
}

// Given tries of one request at once, then what came second leaves no file behind, and takes that of the first not away, which has its
// name where both answers are the same.
func TestOfTwoAnswersTheOneThatIsRecordedIsKept(t *testing.T) {
	w, kept := resttest.NewStored(t, nil), &folders{}
	record := completions.Record{Figures: completions.Figures{CompletionID: "c-1", TenantID: "acme"}, Blob: "first", At: time.Now()}
	_, err := eventstore.Execute(t.Context(), w.Commands.Store, completions.Completions, completions.Completions.Stream("c-1"),
		eventstore.Command{Tenant: "acme", Actor: "test"}, record.Decide)
	require.NoError(t, err)
	a := &Completing{CompletionsAPI: CompletionsAPI{Commands: w.Commands, Answers: kept}}
	a.leave(t.Context(), "c-1", "first")
	require.Empty(t, kept.gone)
	a.leave(t.Context(), "c-1", "second")
	require.Equal(t, []string{"second"}, kept.gone)
}

// Who says only until when is shown what came before that, or before now where that is still to come.
func TestUsageBeginsSoLongAgo(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for end, want := range map[string]time.Time{"": now.Add(-usualUsage), "2999-01-01": now.Add(-usualUsage),
		"2026-11-01": time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC)} {
		from, to, err := usageRange("", end, now)
		require.NoError(t, err)
		require.Equal(t, want, from, end)
		require.True(t, to.After(from))
	}
}
