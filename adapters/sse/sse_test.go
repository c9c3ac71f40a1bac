package sse_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/sse"
)

func read(t *testing.T, stream string) (events []string, err error) {
	t.Helper()
	err = sse.Read(strings.NewReader(stream), func(name string, data []byte) error {
		events = append(events, name+"="+string(data))
		return nil
	})
	return events, err
}

func TestEventsAreRead(t *testing.T) {
	for stream, want := range map[string][]string{
		"data: a\n\n":                                  {"=a"},
		"event: x\r\ndata:a\r\ndata: b\r\n\r\n":        {"x=a\nb"},
		": still here\n\nid: 7\nretry: 1\ndata: a\n\n": {"=a"},
		"event: lonely\n\ndata: a\n\n":                 {"=a"},
		"data: whole\n\ndata: cut":                     {"=whole"},
		"data: whole\n\ndata: not ended\n":             {"=whole"},
		"data: {\"a\":1}\n\n\n\nevent: y\ndata\n\n":    {`={"a":1}`, "y="},
		"": nil,
	} {
		got, err := read(t, stream)
		require.NoError(t, err, stream)
		require.Equal(t, want, got, stream)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	_, err := read(t, "data: "+strings.Repeat("x", 1<<20)+"\n\n")
	require.ErrorIs(t, err, sse.ErrTooLarge, "a line")
	_, err = read(t, strings.Repeat("data: "+strings.Repeat("x", 1<<19)+"\n", 5)+"\n")
	require.ErrorIs(t, err, sse.ErrTooLarge, "an event")
	_, err = read(t, strings.Repeat("data: "+strings.Repeat("x", 1<<19)+"\n\n", 80))
	require.ErrorIs(t, err, sse.ErrTooLarge, "a stream")
	stop := errors.New("stop")
	require.ErrorIs(t, sse.Read(strings.NewReader("data: a\n\n"), func(string, []byte) error { return stop }), stop)
}

// asked is a stream that remembers how much room it was read with first.
type asked struct {
	io.Reader
	room int
}

func (a *asked) Read(b []byte) (int, error) {
	if a.room == 0 {
		a.room = len(b)
	}
	return a.Reader.Read(b)
}

// A thousand who wait for a word have little room each; a line that is longer has the room that it takes.
func TestWhoWaitsForAWordHasLittleRoom(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	stream, got := &asked{Reader: strings.NewReader("data: word\n\ndata: " + long + "\n\n")}, []string{}
	require.NoError(t, sse.Read(stream, func(_ string, data []byte) error { got = append(got, string(data)); return nil }))
	require.LessOrEqual(t, stream.room, 512)
	require.Equal(t, []string{"word", long}, got)
}

func TestSilenceEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, patience, stop := sse.Wait(t.Context(), time.Second, time.Minute)
		defer stop()
		from, to := io.Pipe()
		go func() {
			time.Sleep(900 * time.Millisecond) // of a clock that jumps
			_, _ = to.Write([]byte("a"))
		}()
		_, err := patience.Of(from).Read(make([]byte, 1))
		require.NoError(t, err)
		begin := time.Now()
		<-ctx.Done()
		require.Equal(t, time.Minute, time.Since(begin))
		require.ErrorIs(t, context.Cause(ctx), sse.ErrSilent)
	})
}

// Given a stream whose last event has come, then what is left is read, so that the connection serves another request; one that does
// not end, or sends on, holds nobody up.
func TestAFinishedStreamLeavesItsConnection(t *testing.T) {
	endless := make(chan struct{})
	defer close(endless)
	connections := atomic.Int32{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: last\n\n")
		w.(http.Flusher).Flush()
		switch r.URL.Path {
		case "/stays":
			<-endless
		case "/goes-on":
			_, _ = io.CopyN(w, zeros{}, 1<<20)
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.CloseClientConnections)
	ask := func(path string) {
		res, err := s.Client().Get(s.URL + path)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		require.ErrorIs(t, sse.Read(res.Body, func(string, []byte) error { return io.EOF }), io.EOF)
		sse.Finish(res.Body)
	}
	for range 5 {
		ask("/")
	}
	require.EqualValues(t, 1, connections.Load())
	ask("/stays")
	ask("/goes-on")
	ask("/")
	require.EqualValues(t, 3, connections.Load())
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
