package sse_test

import (
	"context"
	"errors"
	"io"
	"strings"
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
