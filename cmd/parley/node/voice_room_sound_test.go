//go:build !apache

package node_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit/livekittest"
	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
)

// soundingRooms are rooms with sound, on two nodes.
type soundingRooms struct {
	roomWorld
	server *livekittest.Server
}

func newSoundingRooms(t *testing.T) soundingRooms {
	t.Helper()
	return newSoundingRoomsOf(t, func(*testing.T) func(*node.Config) { return func(*node.Config) {} })
}

// newSoundingRoomsOf is newSoundingRooms, with nodes of another make.
func newSoundingRoomsOf(t *testing.T, make func(*testing.T) func(*node.Config)) soundingRooms {
	t.Helper()
	s, err := livekittest.New(rtcKey, rtcHush)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	w := newRoomsOf(t, make, func(p *given.Providers) { p.Channels = map[string]string{"livekit": s.URL} })
	w.account(t)
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": keyAgent})
	return soundingRooms{w, s}
}

// comes has somebody come into a room, which its webhook tells.
func (w soundingRooms) comes(t *testing.T, got roomToken) *livekittest.Person {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, err := livekittest.Enter(ctx, w.server.URL, got.Token)
	require.NoError(t, err)
	t.Cleanup(p.Leave)
	w.tells(t, w.b, "participant_joined", got.RoomName, fields{"participant": fields{"sid": "PA_1", "identity": got.Identity}}).must(t, 200)
	return p
}

// listens waits until the sound of the agent comes to somebody: a greeting may be over before that, on a machine that has much to do.
func (w soundingRooms) listens(t *testing.T, p *livekittest.Person) {
	t.Helper()
	require.Eventually(t, p.Hears, patience, 20*time.Millisecond, "no sound of the agent comes")
}

func (w soundingRooms) hears(t *testing.T, p *livekittest.Person, before int) {
	t.Helper()
	require.Eventually(t, func() bool { return p.Heard() > before+5 }, patience, 20*time.Millisecond, "the agent is not heard")
}

// agents are those of ours that are in a room.
func (w soundingRooms) agents(room string) []string {
	return slices.DeleteFunc(w.server.Who(room), func(who string) bool { return !strings.HasPrefix(who, "agent-") })
}

// Given somebody who comes into a room, then one agent comes too, is heard and hears; what it says is written into the room
// as ever; and it leaves when the room is over.
func TestAnAgentTalksInARoom(t *testing.T) {
	w := newSoundingRooms(t)
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	got := w.enters(t, "s-4711")
	p := w.comes(t, got)
	require.Equal(t, []string{"assistant: Good day."}, w.told(t, got.SessionID, 1)[:1])
	w.listens(t, p)
	require.Len(t, w.agents(got.RoomName), 1)
	require.Eventually(t, func() bool { return len(p.Texts()) > 0 }, patience, 20*time.Millisecond, "data goes on working")
	require.Contains(t, p.Texts()[0], "parley.text: ")
	require.Contains(t, p.Texts()[0], "Good day.")
	go p.Says(t.Context())
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(w.told(t, got.SessionID, 1), func(line string) bool { return strings.HasPrefix(line, "user: ") })
	}, patience, 100*time.Millisecond, "the person is not heard")
	w.hears(t, p, 0)
	w.tells(t, w.a, "participant_joined", got.RoomName, fields{"participant": fields{"sid": "PA_2", "identity": "s_ben"}}).must(t, 200)
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	row := w.interactionOf(t, got.RoomName, is("status", "completed"))
	require.Equal(t, "room_finished", row["providerStatus"])
	require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 0 }, patience, 20*time.Millisecond)
	kinds := w.sounded(t, row["conversationId"])
	require.Contains(t, kinds, "heard")
	require.Contains(t, kinds, "said")
	require.Len(t, slices.DeleteFunc(w.server.Joined(), func(who string) bool { return !strings.HasPrefix(who, "agent-") }), 1,
		"it came once, whoever told of whom")
}

// Given somebody who comes into a room again, by the token that they have, when its call is over, then the agent comes again, too: in
// the session that there is, else in one that begins. What was told of who came before that end brings nobody.
func TestWhoComesBackIntoARoomIsNotAlone(t *testing.T) {
	w := newSoundingRooms(t)
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	there := w.begin(t, "desk")
	for _, session := range []string{there, "s-4713"} {
		got := w.enters(t, session)
		p := w.comes(t, got)
		require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 1 }, patience, 20*time.Millisecond)
		p.Leave()
		w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
		over := w.interactionOf(t, got.RoomName, is("status", "completed"))
		require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 0 }, patience, 20*time.Millisecond)
		joined := func(at time.Duration) {
			w.tells(t, w.a, "participant_joined", got.RoomName, fields{"createdAt": fmt.Sprint(time.Now().Add(at).Unix()),
				"participant": fields{"sid": "PA_3", "identity": got.Identity}}).must(t, 200)
		}
		joined(-time.Minute)
		var page interactionsPage
		w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions?status=inProgress", nil).must(t, 200).into(t, &page)
		require.Empty(t, page.Interactions)

		p, err := livekittest.Enter(t.Context(), w.server.URL, got.Token)
		require.NoError(t, err)
		t.Cleanup(p.Leave)
		joined(2 * time.Second)
		again := w.interactionWhere(t, "status", "inProgress", is("providerCallId", got.RoomName))
		require.NotEqual(t, over["conversationId"], again["conversationId"])
		require.Equal(t, session == there, again["sessionId"] == over["sessionId"])
		require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 1 }, patience, 20*time.Millisecond)
		w.listens(t, p)
		w.tells(t, w.a, "room_finished", got.RoomName, fields{"createdAt": fmt.Sprint(time.Now().Add(3 * time.Second).Unix())}).must(t, 200)
		w.interactionWhere(t, "conversationId", again["conversationId"].(string), is("status", "completed"))
	}
}

// Given somebody who writes in a room, or presses keys, then the agent hears it once, and answers by its voice and by data.
func TestWhoWritesInARoomIsAnswered(t *testing.T) {
	w := newSoundingRooms(t)
	w.deploy(t, "production", fields{"entryAgentName": "meter"})
	got := w.enters(t, "s-4712")
	p := w.comes(t, got)
	require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 1 }, patience, 20*time.Millisecond)
	w.listens(t, p)
	asked := len(w.told(t, got.SessionID, 1))
	before := p.Heard()
	require.NoError(t, p.Writes("Gas"))
	said := w.told(t, got.SessionID, asked+2)[asked:]
	require.Equal(t, "user: Gas", said[0])
	answer := strings.TrimPrefix(said[1], "assistant: ")
	w.hears(t, p, before)
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(p.Texts(), func(text string) bool { return strings.Contains(text, answer) })
	}, patience, 20*time.Millisecond, "it is written, too: %s", answer)
	for _, key := range []string{"4", "7", "1", "1", "#"} {
		require.NoError(t, p.Presses(key))
	}
	require.Equal(t, "user: 4711", w.told(t, got.SessionID, asked+3)[asked+2])
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "completed"))
	require.Len(t, slices.DeleteFunc(w.told(t, got.SessionID, asked+2), func(line string) bool { return line != "user: Gas" }), 1, "once")
}

// Given a session that goes on in a room, then what is written in it is said there; a server that deletes the room ends the
// call, and not the session.
func TestASessionThatIsThereTalksInARoom(t *testing.T) {
	w := newSoundingRooms(t)
	w.deploy(t, "production")
	w.widget(t, fields{"config": fields{"mode": "unified"}})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	sdk := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	var got roomToken
	w.b.do(t, "POST", rtcToken, fields{"projectId": mainAlias, "sessionId": begun.SessionID}, sdk...).must(t, 200).into(t, &got)
	p := w.comes(t, got)
	require.Eventually(t, func() bool { return len(w.agents(got.RoomName)) == 1 }, patience, 20*time.Millisecond)
	w.listens(t, p)
	w.interactionOf(t, got.RoomName, is("status", "inProgress"))
	before := p.Heard()
	w.a.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi"}, sdk...).must(t, 200)
	w.hears(t, p, before)
	w.server.Delete(got.RoomName)
	row := w.interactionOf(t, got.RoomName, is("status", "completed"))
	require.Equal(t, "Caller-disconnected", row["reasonCode"])
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Gas"}, sdk...).must(t, 200)
}
