//go:build !apache

package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// callOfContact is what is forgotten of a contact with one call.
var callOfContact = map[string]int{"calls": 1, "sessions": 1, "contacts": 1}

// forgets erases a person, and is what was forgotten when a node shows that it is done.
func (w *agentsWorld) forgets(t *testing.T, on *server, kind, value string) map[string]int {
	t.Helper()
	var job shownErasure
	w.ask(t, "POST", erasuresPath, fields{"identities": []any{fields{"kind": kind, "value": value}}}).
		must(t, http.StatusAccepted).into(t, &job)
	until(t, "the end of the erasure", func() bool {
		on.do(t, "GET", erasuresPath+"/"+job.Erasure.ErasureID, nil, "auth", w.auth).must(t, 200).into(t, &job)
		return job.Erasure.Status == "done"
	})
	return job.Erasure.Forgotten
}

// Given a contact who has talked in a room, when she is erased, then the call of the room is forgotten with its session.
func TestWhoHasTalkedInARoomIsErased(t *testing.T) {
	t.Parallel()
	w := newRoomsOf(t, func(*testing.T) func(*node.Config) { return erasesSoon })
	w.account(t)
	w.deploy(t, "production")
	got := w.enters(t, "s-1")
	w.tells(t, w.a, "participant_joined", got.RoomName, guest).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "inProgress"))
	w.told(t, got.SessionID, 0)
	w.say(t, got.SessionID, "Gas")
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "completed"))
	her := w.ask(t, "POST", contactsPath, fields{"identity": "+15550000007", "identityType": "phone"}).must(t, 201).contact(t)
	w.ask(t, "POST", contactsPath+"/"+her["id"].(string)+"/link-session", fields{"sessionId": got.SessionID}).must(t, 200)

	require.Equal(t, callOfContact, w.forgets(t, w.b, "telephone", "+15550000007"))
}

// Given a contact in the name of whose session a browser has called, when she is erased, then the call is forgotten with the
// session that it got, in which alone something was told.
func TestWhoHasCalledFromABrowserIsErased(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, erasesSoon)
	c.b = c.a
	w := c.talks(t)
	p, call, session := newTwilioNumber(t, w), newCall(), w.begin(t, "meter")
	_, _ = streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing", "From", "client:s_"+session, "To", ""))
	w.interactionOf(t, call, is("status", "inProgress"))
	her := w.ask(t, "POST", contactsPath, fields{"identity": "C-17", "identityType": "external"}).must(t, 201).contact(t)
	w.ask(t, "POST", contactsPath+"/"+her["id"].(string)+"/link-session", fields{"sessionId": session}).must(t, 200)

	require.Equal(t, callOfContact, w.forgets(t, w.a, "external", "C-17"))
	require.Equal(t, "[erased]", w.interactionOf(t, call, is("status", "completed"))["userId"])
}
