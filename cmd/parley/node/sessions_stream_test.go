package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a session, then whoever follows it reads all that happens in it, once and in order, on either node, and goes on where a
// connection was cut; what is personal only with the permission for it.
func TestASessionIsFollowed(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	at := sessionsPath + "/" + id + "/stream"
	all := w.token(t)
	blind := w.grant(t, testClient, access.PermSessionRead)

	first, other := w.a.followAt(t, all, at, ""), w.cluster.b.followAt(t, blind, at, "")
	require.Equal(t, "text/event-stream", first.header.Get("Content-Type"))
	w.say(t, id, "electricity")
	events, sealed := first.take(t, 4), other.take(t, 4)
	require.Equal(t, "parley.sessions.opened.v1", events[0].Type)
	require.Equal(t, "parley.sessions.message-received.v1", events[1].Type)
	for i, e := range events {
		require.EqualValues(t, i+1, e.Version)
		require.Equal(t, []any{e.ID, e.Type, e.Version}, []any{sealed[i].ID, sealed[i].Type, sealed[i].Version}, "both nodes tell the same")
	}
	require.Contains(t, string(events[1].Data), `"electricity"`)
	require.NotContains(t, string(sealed[1].Data), `"electricity"`)
	require.Contains(t, string(sealed[1].Data), "[sealed]")

	first.cut()
	w.ask(t, "DELETE", sessionsPath+"/"+id, nil).must(t, 200)
	again := w.cluster.b.followAt(t, all, at, "2")
	version := int64(2)
	for {
		e := again.take(t, 1)[0]
		version++
		require.Equal(t, version, e.Version, "nothing is missed, and nothing comes twice")
		if strings.HasPrefix(e.Type, "parley.sessions.ended") {
			break
		}
	}

	w.ask(t, "GET", at, nil, "Last-Event-ID", "x").refused(t, 400, fault.Validation, "Last-Event-ID")
	w.ask(t, "GET", at, nil, "Last-Event-ID", "-1").refused(t, 400, fault.Validation, "Last-Event-ID")
	w.ask(t, "GET", at, nil, "Last-Event-ID", "1000").refused(t, 410, fault.Gone)
	w.ask(t, "GET", sessionsPath+"/nobody/stream", nil).refused(t, 404, fault.NotFound)
	w.b.do(t, "GET", at, nil).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "GET", at, nil, "auth", w.grant(t, testClient, access.PermAgentWrite)).refused(t, 403, fault.Forbidden)
	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "GET", at, nil, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
}

// Given who follows a session by an API key, when the key is revoked, then nothing that happens from then on is told, though the
// stream would not look at the key for a quarter of a minute.
func TestAStreamEndsWithTheKeyOfItsReader(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	admin := w.key(t, mainScope)
	made := makeKey(t, w.a, admin, "reader")
	readers := map[string]*follower{}
	for name, on := range map[string]*server{"here": w.a, "on the other node": w.cluster.b} {
		readers[name] = on.followAt(t, made.APIKey.APIKey, sessionsPath+"/"+id+"/stream", "")
		require.Equal(t, "parley.sessions.opened.v1", readers[name].take(t, 1)[0].Type, name)
	}

	w.a.do(t, "DELETE", keyPath(mainApp, made.APIKey.KeyID), nil, "x-api-key", admin).must(t, 200)
	w.say(t, id, "electricity")
	for name, reader := range readers {
		select {
		case e, open := <-reader.events:
			require.False(t, open, "%s it was told of %s", name, e.Type)
		case <-time.After(patience):
			t.Fatal("the stream does not end")
		}
	}
}
