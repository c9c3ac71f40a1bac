package channels_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// Given a socket on which a conversation is heard, when another one is refused, for whatever reason, then nothing
// is written, and the first one goes on to hear all.
func TestASocketThatIsRefusedTakesTheLineFromNobody(t *testing.T) {
	w := resttest.NewStored(t, nil)
	gateway, err := audiocodes.New("")
	require.NoError(t, err)
	c := channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "audiocodes", External: "shop",
		Credentials: channels.Credentials{audiocodes.Token: "hush"}}
	channelapi.DeclareLines(w.Api, sockets.New(sockets.Config{PerNode: 1}), channelapi.Webhooks{
		Receivers: map[string]channelapi.Receiver{"audiocodes": gateway}, Connections: &inbox{all: []channels.Connection{c}},
		Talks:     channelapi.Talks{Threads: channelapi.Threads{Commands: w.Commands}},
		PublicURL: func() string { return "https://parley.example.com" }, Now: w.Commands.Now})
	server := httptest.NewServer(w.Api)
	t.Cleanup(server.Close)
	stream := threads.Stream(w.Commands.MAC, "acme", "cn-1", "c-1")
	does := func(decide func(threads.State) ([]event.Payload, error)) {
		t.Helper()
		_, err := eventstore.Execute(t.Context(), w.Commands.Store, threads.Threads, stream,
			eventstore.Command{Tenant: "acme", Actor: "test"}, decide)
		require.NoError(t, err)
	}
	does(threads.Receive{TenantID: "acme", ConnectionID: "cn-1", Kind: "audiocodes", At: w.Now,
		Entry: channels.Entry{ExternalID: "1", Thread: "c-1", From: "+1", Text: "hi"}}.Decide)
	does(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: w.Now}.Decide)

	const path = "/api/v1/channels/audiocodes/socket/shop?conversation=c-1"
	line, _, err := websocket.Dial(t.Context(), server.URL+path, &websocket.DialOptions{HTTPHeader: http.Header{
		"Authorization": {"Bearer hush"}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = line.CloseNow() })
	hears := func(text string) {
		t.Helper()
		does(threads.Queue{SessionID: "s-1", Turn: 1, MessageID: text, Text: text, At: w.Now,
			Limits: channels.Limits{Text: 1000, Unit: channels.Characters, Fetched: true}}.Decide)
		_, data, err := line.Read(t.Context())
		require.NoError(t, err)
		require.Contains(t, string(data), text)
		require.Eventually(t, func() bool {
			read, err := eventstore.Read(t.Context(), w.Commands.Store, threads.Threads, stream)
			return err == nil && len(read.State.Unheard) == 0
		}, 2*time.Minute, time.Millisecond, "it is noted that it was said")
	}
	hears("one")

	const good = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
	for name, asked := range map[string]struct {
		request string
		status  int
	}{
		"the node has as many as it may": {"GET " + path + " HTTP/1.1\r\nAuthorization: Bearer hush\r\n" + good, 429},
		"a key too many":                 {"GET " + path + " HTTP/1.1\r\nAuthorization: Bearer hush\r\nSec-WebSocket-Key: x\r\n" + good, 400},
		"two keys that would do": {"GET " + path + " HTTP/1.1\r\nAuthorization: Bearer hush\r\n" + good +
			"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n", 400},
		"an HTTP without sockets": {"GET " + path + " HTTP/1.0\r\nAuthorization: Bearer hush\r\n" + good, 400},
		"nobody knows who":        {"GET " + path + " HTTP/1.1\r\n" + good, 401},
	} {
		t.Run(name, func(t *testing.T) {
			w.Since()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "%sHost: x\r\n\r\n", asked.request)
			require.NoError(t, err)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, asked.status, answer.StatusCode)
			require.Empty(t, w.Since())
		})
	}
	hears("two")
}
