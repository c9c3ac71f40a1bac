package sockets_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// world is an API with one socket that anybody may open, and one that wants a token.
type world struct {
	*resttest.World
	*httptest.Server
	late atomic.Int64 // nanoseconds that have passed
}

func given(t *testing.T, cfg sockets.Config, serve sockets.Serve) *world {
	t.Helper()
	w := &world{}
	w.World = resttest.NewWorld(t, func(c *rest.Config) {
		now := c.Now()
		c.Now = func() time.Time { return now.Add(time.Duration(w.late.Load())) }
	})
	all := sockets.New(cfg)
	open := func(context.Context, *struct{}) (sockets.Serve, error) { return serve, nil }
	sockets.Declare(w.Api, all, sockets.Operation{Protocols: []string{"plain.v1"},
		Operation: rest.Operation{ID: "talk", Path: "/talk", Summary: "Talk", Requirement: access.Public},
		Origins:   func(_ context.Context, origin string) bool { return origin == "https://shop.example" }}, open)
	sockets.Declare(w.Api, all, sockets.Operation{Operation: rest.Operation{ID: "talk-inside", Path: "/inside", Summary: "Talk",
		Requirement: access.Needs(access.PermSessionRead)}}, open)
	w.Server = httptest.NewServer(w.Api)
	t.Cleanup(w.Close)
	return w
}

// echo says what it hears, until it hears something binary.
func echo(_ context.Context, s *sockets.Socket) {
	for {
		f, err := s.Read()
		switch {
		case err != nil:
			return
		case f.Binary:
			s.Close(sockets.Unsupported, "text alone is understood")
			return
		}
		if s.Send(f.Data) != nil {
			return
		}
	}
}

func (w *world) dial(t *testing.T, path string, header ...string) *websocket.Conn {
	t.Helper()
	conn, _, err := w.try(path, header...)
	require.NoError(t, err)
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func (w *world) try(path string, header ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return websocket.Dial(context.Background(), w.URL+path, &websocket.DialOptions{HTTPHeader: h, Subprotocols: []string{"other", "plain.v1"}})
}

// closedWith reads until the socket is closed, and gives the code.
func closedWith(t *testing.T, conn *websocket.Conn) websocket.StatusCode {
	t.Helper()
	for {
		if _, _, err := conn.Read(t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func TestAMessageOf64KiBIsTakenAndNotAByteMore(t *testing.T) {
	w := given(t, sockets.Config{}, echo)
	conn := w.dial(t, "/talk")
	require.Equal(t, "plain.v1", conn.Subprotocol())
	whole := strings.Repeat("é", sockets.MaxMessage/2)
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(whole)))
	_, got, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, whole, string(got))

	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(whole+"x")))
	require.Equal(t, websocket.StatusMessageTooBig, closedWith(t, conn))
}

// Given messages that come in one piece with the request that opens the socket, more than is read at once, then each is
// heard.
func TestWhatComesWithTheRequestIsHeard(t *testing.T) {
	w := given(t, sockets.Config{}, echo)
	conn, err := net.Dial("tcp", w.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	var all []byte
	for _, text := range []string{"one", strings.Repeat("2", 1000), "three"} {
		all = append(all, 0x81, 0x80|126, byte(len(text)>>8), byte(len(text)), 0, 0, 0, 0) // a text, masked with nothing
		all = append(all, text...)
	}
	_, err = conn.Write(append([]byte("GET /talk HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"), all...))
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	answer, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, answer.StatusCode)
	for _, wants := range []string{"\x81\x03one", "\x81\x7e\x03\xe8" + strings.Repeat("2", 1000), "\x81\x05three"} {
		got := make([]byte, len(wants))
		_, err := io.ReadFull(r, got)
		require.NoError(t, err)
		require.Equal(t, wants, string(got))
	}
}

func TestWhoServesMayCloseWithAReason(t *testing.T) {
	conn := given(t, sockets.Config{}, echo).dial(t, "/talk")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("said before")))
	require.NoError(t, conn.Write(t.Context(), websocket.MessageBinary, []byte{1}))
	_, got, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "said before", string(got))
	require.Equal(t, websocket.StatusUnsupportedData, closedWith(t, conn))
}

func TestAPanicEndsOneSocket(t *testing.T) {
	w := given(t, sockets.Config{}, func(_ context.Context, s *sockets.Socket) {
		if f, _ := s.Read(); string(f.Data) == "panic" {
			panic("the vault password is hunter2")
		}
	})
	conn := w.dial(t, "/talk")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("panic")))
	require.Equal(t, websocket.StatusInternalError, closedWith(t, conn))
	require.Equal(t, websocket.StatusNormalClosure, func() websocket.StatusCode {
		conn := w.dial(t, "/talk")
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("enough")))
		return closedWith(t, conn)
	}())
}

// What is no upgrade, and who may not open a socket, is told before there is one, as of every
// operation.
func TestWhatIsRefusedBeforeThereIsASocket(t *testing.T) {
	w := given(t, sockets.Config{PerNode: 1}, echo)
	everything := []string{"Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Upgrade"}
	for name, c := range map[string]struct {
		path   string
		header []string
		status int
		fields []string
	}{
		"no upgrade":              {"/talk", nil, 400, everything},
		"an old version":          {"/talk", upgrade("Sec-WebSocket-Version", "8"), 400, []string{"Sec-WebSocket-Version"}},
		"a short key":             {"/talk", upgrade("Sec-WebSocket-Key", "c2hvcnQ="), 400, []string{"Sec-WebSocket-Key"}},
		"nobody":                  {"/inside", upgrade(), 401, nil},
		"a page of elsewhere":     {"/talk", upgrade("Origin", "https://evil.example"), 403, nil},
		"a page below":            {"/talk", upgrade("Origin", "https://a.shop.example"), 403, nil},
		"a page at another port":  {"/talk", upgrade("Origin", "https://shop.example:8443"), 403, nil},
		"a page without a place":  {"/talk", upgrade("Origin", "null"), 403, nil},
		"a page with a token":     {"/inside", upgrade("Origin", "https://shop.example", "auth", w.Token()), 403, nil},
		"the page, but no socket": {"/talk", []string{"Origin", "https://shop.example"}, 400, everything},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Call(http.MethodGet, c.path, "", c.header...)
			require.Equal(t, c.status, got.Status, got.Text)
			require.Equal(t, c.fields, got.Fields())
		})
	}
	conn := w.dial(t, "/inside", "auth", w.Token())
	_, refused, err := w.try("/talk", "Origin", "https://shop.example")
	require.Error(t, err)
	require.Equal(t, 429, refused.StatusCode, "the node has one already")
	require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
}

// upgrade are the headers of a request for a socket, changed.
func upgrade(change ...string) []string {
	h := []string{"Connection", "keep-alive, Upgrade", "Upgrade", "WebSocket"}
	version, key := "13", "MDEyMzQ1Njc4OWFiY2RlZg=="
	for i := 0; i < len(change); i += 2 {
		switch change[i] {
		case "Sec-WebSocket-Version":
			version = change[i+1]
		case "Sec-WebSocket-Key":
			key = change[i+1]
		default:
			h = append(h, change[i], change[i+1])
		}
	}
	return append(h, "Sec-WebSocket-Version", version, "Sec-WebSocket-Key", key)
}

// Given one who reads nothing, then what is sent is kept up to the bound, nobody waits for him, and
// in the end nothing of him is left.
func TestWhoReadsNothingIsCutOff(t *testing.T) {
	before := runtime.NumGoroutine()
	measure := prometheus.NewRegistry()
	served := make(chan error, 1)
	w := given(t, sockets.Config{Measure: measure, Patience: 50 * time.Millisecond, Waiting: 1 << 20},
		func(ctx context.Context, s *sockets.Socket) {
			var err error
			for err == nil {
				err = s.Send(make([]byte, 64<<10))
			}
			<-ctx.Done()
			require.ErrorIs(t, s.Drained(context.Background()), sockets.ErrClosed)
			served <- err
		})
	conn := raw(t, w.Listener.Addr().String(), "/talk")
	require.ErrorIs(t, <-served, sockets.ErrClosed)
	require.Eventually(t, func() bool { return counted(t, measure, "parley_sockets", "") == 0 }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, 1.0, counted(t, measure, "parley_sockets_closed_total", "1013"))
	require.NoError(t, conn.Close())
	w.Close()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 30*time.Second, 10*time.Millisecond,
		"goroutines are left")
}

func TestWhoHasMoreToTellWaitsUntilItIsTaken(t *testing.T) {
	const texts = 100
	w := given(t, sockets.Config{Waiting: 64 << 10}, func(ctx context.Context, s *sockets.Socket) {
		for range texts {
			if s.Send(make([]byte, 60<<10)) != nil || s.Drained(ctx) != nil {
				return
			}
		}
	})
	conn := w.dial(t, "/talk")
	for range texts {
		_, got, err := conn.Read(t.Context())
		require.NoError(t, err)
		require.Len(t, got, 60<<10)
	}
	require.Equal(t, websocket.StatusNormalClosure, closedWith(t, conn))
}

// Given one who takes everything and never says that he is there, then he is cut off; who does, stays.
func TestWhoGivesNoSignOfLifeIsCutOff(t *testing.T) {
	measure := prometheus.NewRegistry()
	w := given(t, sockets.Config{Measure: measure, Beat: 100 * time.Millisecond}, echo)
	dead := raw(t, w.Listener.Addr().String(), "/talk")
	_, err := io.Copy(io.Discard, dead)
	require.NoError(t, err, "the end of it, and no reset")
	require.Equal(t, 1.0, counted(t, measure, "parley_sockets_closed_total", "1013"))

	asked := make(chan struct{})
	lives, _, err := websocket.Dial(t.Context(), w.URL+"/talk", &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool { asked <- struct{}{}; return true }})
	require.NoError(t, err)
	heard := make(chan string)
	go func() {
		_, got, _ := lives.Read(context.Background())
		heard <- string(got)
	}()
	for range 3 {
		<-asked
	}
	require.NoError(t, lives.Write(t.Context(), websocket.MessageText, []byte("still here")))
	require.Equal(t, "still here", <-heard)
	require.NoError(t, lives.CloseNow())
}

func TestASocketEndsWithItsCredential(t *testing.T) {
	w := given(t, sockets.Config{Beat: 20 * time.Millisecond}, echo)
	conn := w.dial(t, "/inside", "auth", w.Token())
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, _, err := conn.Read(t.Context())
	require.NoError(t, err)
	w.late.Store(int64(2 * time.Hour))
	require.Equal(t, websocket.StatusPolicyViolation, closedWith(t, conn))
}

// Given a socket on which nobody says anything, when what its credential rests on changes, then it is asked before its time, and
// goes on where it still may be.
func TestASocketIsAskedWhenItsCredentialMayHaveChanged(t *testing.T) {
	rings := make(chan func(), 1)
	w := given(t, sockets.Config{Patience: 50 * time.Millisecond, Watch: func(p access.Principal, ring func()) (func(), error) {
		rings <- ring
		return nil, nil
	}}, echo)
	conn := w.dial(t, "/inside", "auth", w.Token())
	ring, closed := <-rings, make(chan websocket.StatusCode, 1)
	ring()
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, _, err := conn.Read(t.Context())
	require.NoError(t, err)
	go func() { closed <- closedWith(t, conn) }() // who reads answers when it is asked whether somebody is there
	w.late.Store(int64(2 * time.Hour))
	ring()
	require.Equal(t, websocket.StatusPolicyViolation, <-closed)
}

// Given a node that stops, then its clients are told to come again, and it waits until they were.
func TestSocketsEndWithTheNode(t *testing.T) {
	w := given(t, sockets.Config{}, echo)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- w.Api.Serve(ctx, listener) }()
	w.URL = "http://" + listener.Addr().String()
	conn := w.dial(t, "/talk")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, _, err = conn.Read(t.Context())
	require.NoError(t, err)
	stop()
	require.Equal(t, websocket.StatusGoingAway, closedWith(t, conn))
	require.NoError(t, <-served)
}

// 2,000 sockets on which nobody says anything take less than 100 MiB, and two goroutines at most.
func TestIdleSocketsCostLittle(t *testing.T) {
	const many = 2000
	w := given(t, sockets.Config{}, echo)
	before, goroutines := inUse(), runtime.NumGoroutine()
	for range many {
		raw(t, w.Listener.Addr().String(), "/talk")
	}
	took := inUse() - before
	t.Logf("%d bytes each", took/many)
	require.Less(t, took, int64(60<<20))
	require.Less(t, runtime.NumGoroutine()-goroutines, 2*many)
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// raw is the connection of a client that has opened a socket and does nothing more.
func raw(t *testing.T, address, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: %s\r\n\r\n", path, base64.StdEncoding.EncodeToString(key))
	require.NoError(t, err)
	status, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, "101")
	return conn
}

// counted is a figure, of one code or of all.
func counted(t *testing.T, measure *prometheus.Registry, name, code string) (sum float64) {
	families, err := measure.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if code == "" && l.GetName() == "parley_operation" || l.GetName() == "code" && l.GetValue() == code {
					sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
				}
			}
		}
	}
	return sum
}
