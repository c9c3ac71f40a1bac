package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A node that is asked to end finishes what it has begun, says so by its exit code,
// and the next start finds everything in order.
func TestTerminatedNodeFinishesWhatItBegan(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	c, l := clientOf(node), newLedger()
	x := startRush(l, "load", 6, c)
	node.await("acknowledgements", func() bool { return l.acknowledged() >= 40 })

	// given requests that the node has begun to read
	var begun []*begunRequest
	for i := range 8 {
		begun = append(begun, beginDialOut(t, listen, c, fmt.Sprintf("begun-%d", i)))
	}

	// when it is told to end, under load
	asked := time.Now()
	node.terminate()
	node.await("no more connections", func() bool {
		conn, err := net.Dial("tcp", listen)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})

	// then those requests are answered as if nothing was
	for _, r := range begun {
		a := r.finish(t)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		l.asked(r.key)
		l.heard(r.key, a)
	}
	require.Zero(t, node.exit(drainTimeout+patience), node.out.tail())
	took := time.Since(asked)
	x.stop()
	for refusal := range l.refusals {
		require.True(t, strings.HasPrefix(refusal, "503 "), "callers were answered %v while the node ended", l.refusals)
	}
	require.NotContains(t, node.out.String(), "panic")
	acknowledged, known, unknown := l.acknowledged(), len(l.snapshot()), l.refusals["503 OUTCOME_UNKNOWN"]

	// and the next start is quick: nothing is to be repaired
	started := time.Now()
	node = serveDev(t, data, listen)
	t.Logf("ended in %s with %d of %d calls acknowledged, requests without an answer %v, refusals %v; started again in %s",
		took.Round(time.Millisecond), acknowledged, known, l.breaks, l.refusals, time.Since(started).Round(time.Millisecond))
	rows, _, err := c.interactions()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(rows), acknowledged, "what was answered was done")
	require.LessOrEqual(t, len(rows), acknowledged+unknown, "what was done was answered, or it was said that nobody knows")
	said, err := os.ReadFile(filepath.Join(data, "postgres", "postgres.log"))
	require.NoError(t, err)
	require.NotContains(t, string(said), "not properly shut down")
	l.settle(t, c)
	l.requireSame(t, c)
	l.awaitEnds(t, c)
	requireOneEndEach(t, c.env["KAFKA_BROKERS"], l, loginOf(t, c.env))
	node.terminate()
	require.Zero(t, node.exit(drainTimeout+patience), node.out.tail())
}

// begunRequest is a dial-out whose body the node waits for.
type begunRequest struct {
	key  string
	body []byte
	conn net.Conn
	in   *bufio.Reader
}

// beginDialOut sends the head of a request and waits until the node asks for the
// body: by then it has accepted the request, whatever comes.
func beginDialOut(t *testing.T, address string, c client, key string) *begunRequest {
	t.Helper()
	body, err := json.Marshal(c.callBody())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nauth: %s\r\nIdempotency-Key: %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		c.dialOutPath(), address, c.env["PARLEY_TOKEN"], key, len(body))
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue", strings.TrimSpace(line))
	_, err = in.ReadString('\n')
	require.NoError(t, err)
	return &begunRequest{key, body, conn, in}
}

// finish sends the body and reads the answer.
func (r *begunRequest) finish(t *testing.T) answer {
	t.Helper()
	_, err := r.conn.Write(r.body)
	require.NoError(t, err)
	res, err := http.ReadResponse(r.in, nil)
	require.NoError(t, err, "the connection of a request that was begun")
	defer func() { _ = res.Body.Close() }()
	a := answer{status: res.StatusCode, header: res.Header}
	a.body, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	return a
}
