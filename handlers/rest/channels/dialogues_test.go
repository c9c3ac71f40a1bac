package channels_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/adapters/channels/voice_pipeline"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/sockets"
)

const patience = 2 * time.Minute

// register has connections, which change.
type register struct {
	mu  sync.Mutex
	all []channels.Connection
}

func (r *register) are(all ...channels.Connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = all
}

func (r *register) At(context.Context, string, string) (channels.Connection, error) {
	return channels.Connection{}, fault.New(fault.NotFound, "there is no such connection")
}

func (r *register) Taking(_ context.Context, tenant, id string) (channels.Connection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.all {
		if c.TenantID == tenant && c.ID == id {
			return c, nil
		}
	}
	return channels.Connection{}, fault.New(fault.NotFound, "there is no such connection")
}

func (r *register) Named(_ context.Context, kind string, names []string) (out []channels.Connection, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.all {
		if c.Kind == kind && slices.Contains(names, c.External) {
			out = append(out, c)
		}
	}
	return out, nil
}

// talker is an agent that needs longer than anybody waits.
type talker struct {
	asked  chan []channels.Entry
	gaveUp chan struct{}       // somebody who waited waits no more
	says   chan channels.Reply // what is said on a line
	more   chan channels.Reply // what is said behind an answer, that it was said
	next   channels.Reply
}

func (*talker) Open(context.Context, channels.Connection, string) (string, error) { return "l-1", nil }

func (x *talker) Speak(ctx context.Context, _ channels.Connection, _, _ string, say func(channels.Reply) error) error {
	for {
		select {
		case reply := <-x.says:
			if err := say(reply); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (*talker) Unused(context.Context, channels.Connection, string) error { return nil }

func (x *talker) Hear(_ context.Context, _ channels.Connection, entries []channels.Entry, _ time.Duration) (channels.Reply, error) {
	x.asked <- entries
	if entries[0].Says == channels.Waits {
		return x.next, nil
	}
	return channels.Reply{State: channels.Working}, nil
}

func (x *talker) More(ctx context.Context, _ channels.Connection, _, _ channels.Entry, _ channels.ReplyState) error {
	select {
	case x.next = <-x.more:
		return nil
	case <-ctx.Done():
		x.gaveUp <- struct{}{}
		return ctx.Err()
	}
}

func door(kind, id string, secret channels.Secret) channels.Connection {
	return channels.Connection{ID: id, TenantID: "acme", Kind: kind, External: "shop", Credentials: channels.Credentials{"token": secret}}
}

// spoken is a world with the sockets of two kinds, and who opens one.
func spoken(t *testing.T) (all *register, agent *talker, opens func(path string) *websocket.Conn) {
	t.Helper()
	all, agent = &register{}, &talker{asked: make(chan []channels.Entry, 10), gaveUp: make(chan struct{}, 10), says: make(chan channels.Reply),
		more: make(chan channels.Reply)}
	w := resttest.NewWorld(t)
	pipeline, err := voicepipeline.New("")
	require.NoError(t, err)
	gateway, err := audiocodes.New("")
	require.NoError(t, err)
	x := channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{"voice_pipeline": pipeline, "audiocodes": gateway}, Connections: all,
		Talks: agent, PublicURL: func() string { return "https://parley.example.com" }, Now: time.Now}
	open := sockets.New(sockets.Config{})
	channelapi.DeclareDialogues(w.Api, open, x)
	channelapi.DeclareLines(w.Api, open, x)
	server := httptest.NewServer(w.Api)
	t.Cleanup(server.Close)
	return all, agent, func(path string) *websocket.Conn {
		t.Helper()
		conn, _, err := websocket.Dial(t.Context(), server.URL+path, &websocket.DialOptions{HTTPHeader: http.Header{
			"Authorization": {"Bearer hush"}}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		return conn
	}
}

func heard(t *testing.T, conn *websocket.Conn) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, data, err := conn.Read(ctx)
	return string(data), err
}

// Given sockets that providers have open, when the connection gets another token, rests, or is gone, then that holds for
// what is said on them from then on.
func TestASocketEndsWithItsConnection(t *testing.T) {
	const pipeline, line = "/api/v1/channels/voice_pipeline/socket/shop", "/api/v1/channels/audiocodes/socket/shop?conversation=c-1"
	for name, c := range map[string]struct {
		now    []channels.Connection
		closed websocket.StatusCode
	}{
		"another token":        {[]channels.Connection{door("voice_pipeline", "cn-1", "new"), door("audiocodes", "cn-2", "new")}, 1008},
		"it is gone":           {nil, 1008},
		"another has its name": {[]channels.Connection{door("voice_pipeline", "cn-8", "hush"), door("audiocodes", "cn-9", "hush")}, 1008},
		"it is still the same": {[]channels.Connection{door("voice_pipeline", "cn-1", "hush"), door("audiocodes", "cn-2", "hush")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all, agent, opens := spoken(t)
			all.are(door("voice_pipeline", "cn-1", "hush"), door("audiocodes", "cn-2", "hush"))
			talks, listens := opens(pipeline), opens(line)
			says := func() (string, error) {
				require.NoError(t, talks.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping","id":"1"}`)))
				return heard(t, talks)
			}
			got, err := says()
			require.NoError(t, err)
			require.Contains(t, got, "pong")

			all.are(c.now...)
			_, err = says()
			require.Equal(t, c.closed, max(websocket.CloseStatus(err), 0), "%v", err)
			agent.says <- channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Text: "a secret"}}}
			got, err = heard(t, listens)
			require.Equal(t, c.closed, max(websocket.CloseStatus(err), 0), "%v", err)
			require.Equal(t, c.closed == 0, strings.Contains(got, "a secret"))
		})
	}
}

// Given a connection that is put to rest, then nobody answers on the sockets that it has open.
func TestASocketOfAConnectionThatRests(t *testing.T) {
	all, agent, opens := spoken(t)
	all.are(door("voice_pipeline", "cn-1", "hush"), door("audiocodes", "cn-2", "hush"))
	talks := opens("/api/v1/channels/voice_pipeline/socket/shop")
	listens := opens("/api/v1/channels/audiocodes/socket/shop?conversation=c-1")
	rests := []channels.Connection{door("voice_pipeline", "cn-1", "hush"), door("audiocodes", "cn-2", "hush")}
	rests[0].Inactive, rests[1].Inactive = true, true
	all.are(rests...)
	require.NoError(t, talks.Write(t.Context(), websocket.MessageText, []byte(`{"type":"text","id":"1","sessionId":"s","text":"hi"}`)))
	got, err := heard(t, talks)
	require.NoError(t, err)
	require.Contains(t, got, `"code":"INACTIVE"`)
	require.Empty(t, agent.asked, "nothing was taken")
	agent.says <- channels.Reply{State: channels.GoesOn, Said: []channels.Outbound{{Text: "a secret"}}}
	got, err = heard(t, listens)
	require.NoError(t, err)
	require.Contains(t, got, "hangup")
	require.NotContains(t, got, "a secret")
}

// Given an agent that needs long, when the socket ends meanwhile, then nobody waits on it for what is said late: it is for
// who comes again.
func TestWhatIsSaidLateIsNotSpentOnASocketThatEnded(t *testing.T) {
	all, agent, opens := spoken(t)
	all.are(door("voice_pipeline", "cn-1", "hush"))
	talks := opens("/api/v1/channels/voice_pipeline/socket/shop")
	require.NoError(t, talks.Write(t.Context(), websocket.MessageText, []byte(`{"type":"text","id":"1","sessionId":"s","text":"hi"}`)))
	got, err := heard(t, talks)
	require.NoError(t, err)
	require.Contains(t, got, `"state":"working"`)
	require.NoError(t, talks.CloseNow())
	select {
	case <-agent.gaveUp:
	case <-time.After(patience):
		require.Fail(t, "somebody still waits on it")
	}
}

// Given a conversation on a socket, then what is said behind an answer is said there when it is, however often, with the id of
// the last message, and so is that it goes on otherwise; what asks next has what was not said by then, and nobody beside it.
func TestWhatIsSaidByItselfIsSaidOnTheSocket(t *testing.T) {
	all, agent, opens := spoken(t)
	all.are(door("voice_pipeline", "cn-1", "hush"))
	talks := opens("/api/v1/channels/voice_pipeline/socket/shop")
	says := func(id string) {
		require.NoError(t, talks.Write(t.Context(), websocket.MessageText, []byte(`{"type":"text","id":"`+id+`","sessionId":"s","text":"hi"}`)))
	}
	hears := func(id, text, state string) {
		t.Helper()
		got, err := heard(t, talks)
		require.NoError(t, err)
		require.JSONEq(t, `{"type":"response","id":"`+id+`","sessionId":"s","texts":[`+text+`],"state":"`+state+`"}`, got)
	}
	says("1")
	hears("1", "", "working")
	agent.more <- channels.Reply{State: channels.Escalated} // in silence
	hears("1", "", "escalated")
	for range 2 {
		agent.more <- channels.Reply{State: channels.Escalated, Said: []channels.Outbound{{Text: "Maria here"}}}
		hears("1", `"Maria here"`, "escalated")
	}
	says("2")
	<-agent.gaveUp
	hears("2", "", "working")
	agent.more <- channels.Reply{State: channels.Ended, Said: []channels.Outbound{{Text: "Bye"}}}
	hears("2", `"Bye"`, "ended")
	says("3")
	hears("3", "", "working")
	require.Empty(t, agent.gaveUp, "nobody waits behind the end")
	agent.more <- channels.Reply{State: channels.Working} // as if it had been news
	says("4")
	hears("4", "", "working")
	require.Empty(t, agent.gaveUp, "whoever was told of what is none asks no more")
}
