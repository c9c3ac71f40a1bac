package email

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a door whose places are all taken, when another peer comes, then whoever has said nothing for longest makes room for it,
// unless that was a moment ago, or it is us for whom it waits.
func TestWhoIsSilentMakesRoom(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var passed atomic.Int64
	h := &hall{Listener: l, most: 3, ended: make(chan struct{}), now: func() time.Time { return time.Unix(0, passed.Load()) }}
	in, over := make(chan net.Conn, 10), make(chan error, 1)
	go func() {
		for {
			c, err := h.Accept()
			if err != nil {
				over <- err
				return
			}
			in <- c
		}
	}()
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	waits := func() {
		t.Helper()
		select {
		case <-in:
			require.Fail(t, "somebody was let in")
		case <-time.After(3 * looksAgain):
		}
	}
	silent, waiting, talks := dial(), dial(), dial()
	<-in
	delivers, speaks := <-in, <-in
	done := working(delivers)
	dial()
	waits()

	passed.Add(int64(mayBeSilent))
	_, err = talks.Write([]byte("x"))
	require.NoError(t, err)
	_, err = speaks.Read(make([]byte, 1))
	require.NoError(t, err)
	<-in
	require.NoError(t, silent.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = silent.Read(make([]byte, 1))
	require.Error(t, err)
	require.False(t, isTimeout(err), "it was sent away")

	passed.Add(int64(mayBeSilent))
	dial()
	fourth := <-in // in the place of one of those who are silent by now, and not of whose mail is taken
	require.NoError(t, waiting.SetReadDeadline(time.Now().Add(looksAgain)))
	_, err = waiting.Read(make([]byte, 1))
	require.True(t, isTimeout(err), "%v", err)
	done()

	dial()
	<-in // in the other's place: all have said something by now
	dial()
	waits()
	require.NoError(t, fourth.Close())
	<-in
	dial()
	waits()
	require.NoError(t, h.Close())
	require.ErrorIs(t, <-over, net.ErrClosed)
}

func isTimeout(err error) bool {
	late, is := err.(net.Error)
	return is && late.Timeout()
}
