package sip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// pipes is a listener to which connections come one after another, behind an error.
type pipes struct {
	net.Listener
	come   chan net.Conn
	failed bool
}

func (p *pipes) Accept() (net.Conn, error) {
	if !p.failed {
		p.failed = true
		return nil, errors.New("too many open files")
	}
	conn, open := <-p.come
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// Given strangers who connect, then few are let in at a time, each until it leaves or has been here for long, whatever it says; an
// error of the socket is not the end of it.
func TestConnectionsOfStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Agent{working: t.Context(), cfg: Config{Log: slog.Default(), Trunks: func(context.Context) ([]Trunk, error) { return nil, nil }}}
		at := &pipes{come: make(chan net.Conn, 100)}
		let := make(chan net.Conn, 100)
		go func() {
			for {
				conn, err := door{at, a}.Accept()
				if err != nil {
					return
				}
				let <- conn
			}
		}()
		defer close(at.come)
		comes := func() {
			_, ours := net.Pipe()
			at.come <- ours
			synctest.Wait()
		}
		time.Sleep(socketPause) // of the bubble
		for range mostVisits + 5 {
			comes()
		}
		require.Len(t, let, mostVisits)
		first := <-let
		require.NoError(t, first.Close())
		require.NoError(t, first.Close(), "twice")
		comes()
		require.Len(t, let, mostVisits, "there was room for one")
		_, err := (<-let).Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
}

// Given strangers from everywhere, then there is an end to them, too.
func TestConnectionsOfManyStrangers(t *testing.T) {
	var v visits
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}) }
	for i := range mostVisitors {
		require.True(t, v.enter(addr(i)))
	}
	require.False(t, v.enter(peer.Addr()))
	v.leave(addr(0))
	require.True(t, v.enter(peer.Addr()))
	for i := 1; i < mostVisitors; i++ {
		v.leave(addr(i))
	}
	v.leave(peer.Addr())
	require.Empty(t, v.of)
}

// Given datagrams from more sources than are kept, then each is answered, and few are kept.
func TestSourcesOfDatagramsAreForgotten(t *testing.T) {
	a := &Agent{host: "127.0.0.1", cfg: Config{Log: slog.Default()}}
	own, server, err := a.newStack(nil)
	require.NoError(t, err)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.datagrams(udp, 3).served(server.ServeUDP) }()
	for i := range 20 {
		from, err := net.Dial("udp", udp.LocalAddr().String())
		require.NoError(t, err)
		defer func() { _ = from.Close() }()
		answered := false
		for tries := 0; tries < 20 && !answered; tries++ {
			_, err = fmt.Fprintf(from, "OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%d\r\nFrom: <sip:x@x>;tag=1\r\n"+
				"To: <sip:x@x>\r\nCall-ID: %[2]d\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n", from.LocalAddr(), i)
			require.NoError(t, err)
			require.NoError(t, from.SetReadDeadline(time.Now().Add(time.Second)))
			_, err = from.Read(make([]byte, 4096))
			answered = err == nil
		}
		require.True(t, answered, "source %d", i)
		require.LessOrEqual(t, own.ua.TransportLayer().Pool("udp").Size(), 3+1)
	}
	require.NoError(t, udp.Close())
	require.NoError(t, <-served)
}
