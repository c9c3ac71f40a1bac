package channels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/reactors"
)

// desk is a provider that gives files by their addresses, and is away as often as it is told.
type desk struct {
	carrier
	mu    sync.Mutex
	gives map[string]string // by address
	away  map[string]int
	asked map[string]int
	later time.Duration // after which it wants to be asked again; 0: 3 s
}

const dot = "\x89PNG\r\n\x1a\n0000"

func (d *desk) Fetch(_ context.Context, _ channels.Connection, f channels.File) (channels.Fetched, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[f.URL]++
	content, is := d.gives[f.URL]
	switch {
	case d.asked[f.URL] <= d.away[f.URL]:
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileAway, Reason: "away", Again: true,
			RetryAfter: cmp.Or(d.later, 3*time.Second)}
	case f.URL == "broken":
		return channels.Fetched{}, errors.New("https://secret.example.com/ cannot be read")
	case !is:
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileGone, Reason: "the file is not there any more"}
	}
	return channels.Fetched{Body: io.NopCloser(strings.NewReader(content)), Name: "given.png", ContentType: "image/png"}, nil
}

// shelf keeps files in memory.
type shelf struct {
	mu   sync.Mutex
	kept map[string]string
	err  error
}

func (s *shelf) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return "", s.err
	}
	s.kept[prefix+"/x"] = string(content)
	return prefix + "/x", nil
}

func (s *shelf) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, name)
	return nil
}

type connectionsOf struct {
	err      error
	inactive bool
}

func (c connectionsOf) WithID(context.Context, string, string) (channels.Connection, error) {
	return channels.Connection{ID: "cn-1", Inactive: c.inactive}, c.err
}

type filesWorld struct {
	*testing.T
	ThreadTurns
	desk  *desk
	shelf *shelf
	store *eventstore.Store
}

const conversation = "thread-1"

func newFilesWorld(t *testing.T, of ...channels.File) *filesWorld {
	w := &filesWorld{T: t, desk: &desk{gives: map[string]string{}, away: map[string]int{}, asked: map[string]int{}},
		shelf: &shelf{kept: map[string]string{}}, store: memory.New().Open(eventstore.Config{Node: "n-1"})}
	t.Cleanup(w.store.Close)
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	w.ThreadTurns = ThreadTurns{Turns: &driving.Turns{Log: acts.Log{Store: w.store, Now: now}}, Connections: connectionsOf{}, Blobs: w.shelf,
		Tasks:    tasks.Tasks{Store: w.store, Now: now},
		Adapters: func(string) (carrier, bool) { return w.desk, true }}
	w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: now(),
		Entry: channels.Entry{ExternalID: "1", Thread: "t", From: "U1", Text: "look", Files: of}})
	return w
}

func (w *filesWorld) do(c interface {
	Decide(threads.State) ([]event.Payload, error)
}) {
	w.Helper()
	by := eventstore.Command{Tenant: "acme", Actor: "test"}
	_, err := eventstore.Execute(w.Context(), w.store, threads.Threads, conversation, by, c.Decide)
	require.NoError(w, err)
}

func (w *filesWorld) state() threads.State {
	w.Helper()
	read, err := eventstore.Read(w.Context(), w.store, threads.Threads, conversation)
	require.NoError(w, err)
	return read.State
}

// onItsWay is the message that waits first, with its files, as it is given to a session.
func (w *filesWorld) onItsWay() *giving {
	w.Helper()
	g := &giving{ThreadTurns: w.ThreadTurns, stream: conversation, message: w.state().Waiting[0]}
	require.NoError(w, w.fetches(w.Context(), g.message))
	g.thread = w.state()
	g.by = acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "reactor:" + threadTurns,
		RequestID: eventstore.CauseID(threadTurns, conversation, fmt.Sprint("message/", g.message.Number))}}
	return g
}

// tells has the reactor hear of each event of a kind that the conversation has: twice, as it may be.
func tells[E event.Payload](w *filesWorld) {
	w.Helper()
	told, err := eventstore.History(w.Context(), w.store, threads.Threads, conversation)
	require.NoError(w, err)
	for _, e := range told.Events {
		if p, is := e.Payload.(E); is {
			for range 2 {
				require.NoError(w, w.handle(w.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e-2", Payload: p}))
			}
		}
	}
}

// fetches is the reactor's first step with the message.
func (w *filesWorld) fetches(ctx context.Context, m threads.Received) error {
	return w.fetch(ctx, conversation, reactors.Event{ID: "e-1"}, m)
}

// Given files of all sorts, when they are fetched, then what came is kept, judged by its content, and of
// the others it is known why they did not come.
func TestWhatBecomesOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFilesWorld(t, channels.File{URL: "good", Name: `C:\pictures\dot.png`}, channels.File{URL: "unnamed"}, channels.File{URL: "gone",
			Name: "a.pdf", ContentType: "application/pdf; x=y"}, channels.File{URL: "no picture", ContentType: "image/png"},
			channels.File{URL: "large"}, channels.File{URL: "said to be large", Size: files.Largest + 1}, channels.File{URL: "empty"},
			channels.File{URL: "largest"}, channels.File{URL: "broken"}, channels.File{URL: "away for long"})
		w.desk.gives = map[string]string{"good": dot, "unnamed": dot, "no picture": "<html>", "large": strings.Repeat("a", files.Largest+1),
			"said to be large": "a", "empty": "", "largest": "\x89PNG\r\n\x1a\n" + strings.Repeat("a", files.Largest-8), "away for long": dot}
		w.desk.away["away for long"] = 100
		require.NoError(t, w.fetches(t.Context(), w.state().Waiting[0]))
		all := w.state().Fetched[1]
		reasons := make([]string, len(all))
		for i, f := range all {
			reasons[i] = f.Reason
			require.Equal(t, f.Reason == "", f.AttachmentID != "" && f.Blob != "", f)
		}
		require.Equal(t, []string{"", "", "the file is not there any more", "the file claims to be image/png and is text/html",
			"the file is larger than 1048576 bytes", "the file is larger than 1048576 bytes", "the file is empty", "", "the file cannot be fetched",
			"away"}, reasons)
		require.Equal(t, threads.Fetched{AttachmentID: threads.AttachmentOf(conversation, 1, 0), Name: "dot.png", ContentType: "image/png",
			SizeBytes: 12, Blob: all[0].Blob}, all[0])
		require.Equal(t, "given.png", all[1].Name)
		require.Equal(t, []string{"a.pdf", "application/pdf"}, []string{all[2].Name, all[2].ContentType})
		require.Len(t, w.shelf.kept, 3)
		require.Equal(t, 0, w.desk.asked["said to be large"])
		require.Equal(t, 3, w.desk.asked["away for long"])
	})
}

// Given a provider that is away for a moment, then it is asked again when it says so, within what a
// message may wait.
func TestAProviderThatIsAwayIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFilesWorld(t, channels.File{URL: "late"})
		w.desk.gives["late"], w.desk.away["late"] = dot, 2
		began := time.Now()
		require.NoError(t, w.fetches(t.Context(), w.state().Waiting[0]))
		require.NotEmpty(t, w.state().Fetched[1][0].Blob)
		require.Equal(t, 6*time.Second, time.Since(began), "as long as it said, twice")
	})
}

// Given a provider that wants to be asked again later than a message may wait, then nobody waits for that.
func TestAProviderThatIsAwayForLongIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFilesWorld(t, channels.File{URL: "late"})
		w.desk.gives["late"], w.desk.away["late"], w.desk.later = dot, 1, time.Hour
		began := time.Now()
		require.NoError(t, w.fetches(t.Context(), w.state().Waiting[0]))
		require.Equal(t, "away", w.state().Fetched[1][0].Reason)
		require.Zero(t, time.Since(began))
	})
}

// Given a node that dies between fetch and turn, when another does it again, then the files are the same
// and there once; and what a storage, or a stop of the node, keeps from us is not told as the provider's
// fault.
func TestFilesAreTheSameForWhoeverFetchesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFilesWorld(t, channels.File{URL: "good"}, channels.File{URL: "flaky"})
		w.desk.gives, w.desk.away["flaky"] = map[string]string{"good": dot, "flaky": dot + "2"}, 3
		m := w.state().Waiting[0]
		w.shelf.err = errors.New("no room")
		require.ErrorContains(t, w.fetches(t.Context(), m), "no room")
		require.Len(t, w.state().Unfetched(), 1, "nothing is noted")
		w.shelf.err = nil
		stopped, stop := context.WithCancel(t.Context())
		stop()
		require.ErrorIs(t, w.fetches(stopped, m), context.Canceled)
		require.Len(t, w.state().Unfetched(), 1)

		w.desk.asked["flaky"] = 0
		require.NoError(t, w.fetches(t.Context(), m))
		first := w.state()
		require.Empty(t, first.Fetched[1][1].Blob)
		require.NoError(t, w.fetches(t.Context(), m), "a second one, which gets more")
		require.Equal(t, first, w.state(), "what was noted first stays")
		require.Len(t, w.shelf.kept, 1, "what nobody noted is taken away")
		w.do(threads.Forget{At: time.Unix(1_700_000_000, 0)})
		clear(w.shelf.kept)
		require.NoError(t, w.fetches(t.Context(), threads.Received{Number: 2, TenantID: "acme", Files: m.Files}))
		require.Empty(t, w.shelf.kept, "the person is forgotten")
	})
}

// Given a connection that was deleted, or a kind whose files nobody gets, then that is told.
func TestFilesThatNobodyCanGet(t *testing.T) {
	w := newFilesWorld(t, channels.File{URL: "good"})
	w.Connections = connectionsOf{err: fault.New(fault.NotFound, "gone")}
	require.NoError(t, w.fetches(t.Context(), w.state().Waiting[0]))
	require.Equal(t, "the connection was deleted", w.state().Fetched[1][0].Reason)
	w = newFilesWorld(t, channels.File{URL: "good"})
	w.Adapters = func(string) (carrier, bool) { return nil, false }
	require.NoError(t, w.fetches(t.Context(), w.state().Waiting[0]))
	require.Equal(t, "files of this kind of channel are not fetched", w.state().Fetched[1][0].Reason)
	w = newFilesWorld(t, channels.File{URL: "good"})
	w.Connections = connectionsOf{err: errors.New("the database is away")}
	require.Error(t, w.fetches(t.Context(), w.state().Waiting[0]))
	require.Len(t, w.state().Unfetched(), 1)
}

// Given a node that dies when it has noted the files of a message, or when the session has taken them and nobody
// knows it yet, when another goes on, then the session has the message and its file once, and the provider was
// asked once.
func TestANodeDiesBetweenTheFilesAndTheTurn(t *testing.T) {
	for name, dies := range map[string]func(w *filesWorld){
		"before the turn": func(*filesWorld) {},
		"behind it": func(w *filesWorld) {
			g := &giving{ThreadTurns: w.ThreadTurns, stream: conversation, thread: w.state(), message: w.state().Waiting[0]}
			g.by = acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "reactor:" + threadTurns,
				RequestID: eventstore.CauseID(threadTurns, conversation, "message/2")}}
			_, taken, err := g.goOn(w.Context(), "s-1")
			require.NoError(w, err)
			require.True(w, taken)
		},
	} {
		w := newFilesWorld(t)
		w.people()
		w.do(threads.Take{Number: 1, SessionID: "s-1", At: time.Now()})
		w.desk.gives = map[string]string{"dot": dot}
		w.do(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "slack", At: time.Now(), Entry: channels.Entry{ExternalID: "2",
			Thread: "t", From: "U1", Text: "this", Files: []channels.File{{URL: "dot"}}}})
		m := w.state().Waiting[0]
		require.NoError(t, w.fetches(t.Context(), m))
		dies(w)
		require.NoError(t, w.handle(t.Context(), reactors.Event{Stream: conversation, Tenant: "acme", ID: "e-1", Payload: m}))

		require.Empty(t, w.state().Waiting, name)
		require.Equal(t, 1, w.desk.asked["dot"], name)
		require.Len(t, w.shelf.kept, 1, name)
		said, err := eventstore.Read(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"))
		require.NoError(t, err)
		require.Len(t, said.State.Attachments, 1, name)
		told, err := eventstore.History(t.Context(), w.store, sessions.Sessions, sessions.Sessions.Stream("s-1"))
		require.NoError(t, err)
		times := 0
		for _, e := range told.Events {
			if _, is := e.Payload.(sessions.PassedOn); is {
				times++
			}
		}
		require.Equal(t, 1, times, name)
	}
}
