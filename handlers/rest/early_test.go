package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/stretchr/testify/require"
)

// serve serves the world on a port of its own.
func serve(t *testing.T, w *resttest.World) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Api.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return listener.Addr().String()
}

const twentyMB = 20 << 20

// A client that sends on reads its refusal, whichever way it sends: one that writes all
// before it reads anything is the one that a reset would rob of it.
func TestARefusalReachesAClientThatIsStillSending(t *testing.T) {
	w := resttest.NewWorld(t)
	addr := serve(t, w)
	spaces := func(n int) io.Reader { return io.LimitReader(strings.NewReader(strings.Repeat(" ", n)), int64(n)) }
	for _, c := range []struct {
		name, path, headers string
		body                io.Reader
		status              int
	}{
		{"fast, 20 MB announced", "/calls/p-1", announced(twentyMB), spaces(twentyMB), 413},
		{"in small pieces", "/calls/p-1", announced(2 << 20), iotest.HalfReader(iotest.HalfReader(spaces(2 << 20))), 413},
		{"sends although it was to wait for a 100", "/calls/p-1", "Expect: 100-continue\r\n" + announced(twentyMB), spaces(twentyMB), 413},
		{"chunked", "/calls/p-1", "Transfer-Encoding: chunked\r\n", inChunks(twentyMB), 413},
		{"to a path that is not there", "/nothing", announced(twentyMB), spaces(twentyMB), 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: parley\r\nauth: %s\r\n%s\r\n", c.path, w.Token(), c.headers)
			require.NoError(t, err)
			_, err = io.Copy(struct{ io.Writer }{conn}, c.body)
			require.NoError(t, err, "the connection takes all of it")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, c.status, resp.StatusCode, string(body))
			require.Contains(t, string(body), `"success":false`)
			require.True(t, resp.Close, "the connection ends")
		})
	}
}

// A client that waits for the word to go on is refused without sending anything.
func TestARefusalSparesTheBodyOfAClientThatAsksFirst(t *testing.T) {
	w := resttest.NewWorld(t)
	conn, err := net.Dial("tcp", serve(t, w))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST /calls/p-1 HTTP/1.1\r\nHost: parley\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", twentyMB)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, 413, resp.StatusCode)
}

func announced(size int) string { return fmt.Sprintf("Content-Length: %d\r\n", size) }

func inChunks(size int) io.Reader {
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
	return strings.NewReader(strings.Repeat(chunk, size>>20) + "0\r\n\r\n")
}
