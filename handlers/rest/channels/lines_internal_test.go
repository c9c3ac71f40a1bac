package channels

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
)

// Given a line that is just saying something, when another one is opened for the conversation, then what the first
// one has said is not said on the other, and what it cannot say, as nobody takes it, is.
func TestALineBeginsWhenTheOneBeforeHasSpoken(t *testing.T) {
	for name, c := range map[string]struct {
		spoken bool
		heard  []string
	}{"it is heard": {true, []string{"two"}}, "it is stuck": {false, []string{"one", "two"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.New().Open(eventstore.Config{Node: "n-1"})
				t.Cleanup(store.Close)
				x := Talks{Threads: Threads{Commands: rest.Commands{Log: acts.Log{Store: store, Now: time.Now}}}}
				x.MAC = func(string, ...string) []byte { return make([]byte, 16) }
				account := channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "audiocodes"}
				do := func(decide func(threads.State) ([]event.Payload, error)) {
					t.Helper()
					by := eventstore.Command{Tenant: "acme", Actor: "test"}
					_, err := eventstore.Execute(t.Context(), store, threads.Threads, threads.Stream(x.MAC, "acme", "cn-1", "c-1"), by, decide)
					require.NoError(t, err)
				}
				says := func(text string) {
					t.Helper()
					do(threads.Queue{SessionID: "s-1", Turn: 1, MessageID: text, Text: text, At: time.Now(),
						Limits: channels.Limits{Text: 1000, Unit: channels.Characters, Fetched: true}}.Decide)
				}
				do(x.received(account, channels.Entry{ExternalID: "1", Thread: "c-1", From: "+1", Text: "hi"}).Decide)
				do(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: time.Now()}.Decide)
				ctx, end := context.WithCancel(t.Context())
				saying, goOn := make(chan struct{}), make(chan struct{})
				speak := func(say func(channels.Reply) error) {
					line, err := x.Open(ctx, account, "c-1")
					require.NoError(t, err)
					go func() { _ = x.Speak(ctx, account, "c-1", line, say) }()
				}
				speak(func(channels.Reply) error {
					close(saying)
					select {
					case <-goOn:
					case <-ctx.Done():
					}
					return ctx.Err()
				})
				says("one")
				<-saying

				heard := make(chan string, 10)
				speak(func(r channels.Reply) error {
					for _, m := range r.Said {
						heard <- m.Text
					}
					return nil
				})
				synctest.Wait()
				require.Empty(t, heard)
				if c.spoken {
					close(goOn)
				}
				time.Sleep(overlap + lookAgain)
				says("two")
				time.Sleep(2 * lookAgain)
				end()
				time.Sleep(time.Minute) // until each has noted its end
				synctest.Wait()
				close(heard)
				var all []string
				for text := range heard {
					all = append(all, text)
				}
				require.Equal(t, c.heard, all)
			})
		})
	}
}

// Given a letter whose file was deleted with its sender, when it comes again, then the file does not come back; and of one that
// its conversation has no room for none is stored.
func TestFilesOfALetterAreStoredOnce(t *testing.T) {
	store := memory.New().Open(eventstore.Config{Node: "n-1"})
	t.Cleanup(store.Close)
	kept := folder{}
	x := Letters{Threads: Threads{Commands: rest.Commands{Log: acts.Log{Store: store, Now: time.Now,
		MAC: func(_ string, of ...string) []byte { return []byte(of[len(of)-1] + " of a test, of a test") }}}}, Blobs: kept}
	c := channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "p-1", Kind: "email"}
	comes := func(id string) error {
		return x.Entry(t.Context(), c, id, channels.Entry{ExternalID: id, Thread: "m-1", From: "ada@example.com", Text: "Look",
			Files: []channels.File{{Name: "a.txt", ContentType: "text/plain"}}}, [][]byte{[]byte("of Ada")})
	}
	require.NoError(t, comes("m-1"))
	require.Len(t, kept, 1)
	clear(kept) // as an erasure does
	require.NoError(t, comes("m-1"))
	require.Empty(t, kept)
	for n := range threads.MostWaiting - 1 {
		require.NoError(t, comes(fmt.Sprint("more-", n)))
	}
	clear(kept)
	require.Equal(t, fault.QueueFull, fault.CodeOf(comes("too-many")))
	require.Empty(t, kept)

	// the last room is taken while the file is stored
	stream := threads.Stream(x.MAC, c.TenantID, c.ID, "m-2")
	said := threads.Receive{TenantID: "acme", ProjectID: "p-1", ConnectionID: "cn-1", Kind: "email", At: time.Now(),
		Entry: channels.Entry{Thread: "m-2", From: "ada@example.com", Text: "More"}}
	x.Blobs = whileStoring{kept, func() {
		for range threads.MostWaiting {
			_, err := eventstore.Execute(t.Context(), store, threads.Threads, stream, eventstore.Command{Tenant: "acme", Actor: "t"}, said.Decide)
			require.NoError(t, err)
		}
	}}
	require.Equal(t, fault.QueueFull, fault.CodeOf(x.Entry(t.Context(), c, "late", channels.Entry{ExternalID: "late", Thread: "m-2",
		From: "ada@example.com", Text: "Look", Files: []channels.File{{Name: "a.txt"}}}, [][]byte{[]byte("of Ada")})))
	require.Empty(t, kept)
}

// whileStoring is a folder that is slow enough for something else to happen.
type whileStoring struct {
	folder
	meanwhile func()
}

func (f whileStoring) Put(ctx context.Context, prefix, media string, content []byte) (string, error) {
	f.meanwhile()
	return f.folder.Put(ctx, prefix, media, content)
}

// folder keeps contents by name.
type folder map[string][]byte

func (f folder) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	f[prefix] = content
	return prefix, nil
}

func (f folder) Delete(_ context.Context, name string) error { delete(f, name); return nil }
