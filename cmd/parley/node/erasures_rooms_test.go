//go:build !apache

package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// Given a contact who has talked in a room, when she is erased, then the call of the room is forgotten with its session.
func TestWhoHasTalkedInARoomIsErased(t *testing.T) {
	t.Parallel()
	w := newRoomsOf(t, func(*testing.T) func(*node.Config) { return erasesSoon })
	w.account(t)
	w.deploy(t, "production")
	got := w.enters(t, "s-1")
	w.tells(t, w.a, "participant_joined", got.RoomName, guest).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "inProgress"))
	w.say(t, got.SessionID, "Gas")
	w.tells(t, w.a, "room_finished", got.RoomName).must(t, 200)
	w.interactionOf(t, got.RoomName, is("status", "completed"))
	her := w.ask(t, "POST", contactsPath, fields{"identity": "+15550000007", "identityType": "phone"}).must(t, 201).contact(t)
	w.ask(t, "POST", contactsPath+"/"+her["id"].(string)+"/link-session", fields{"sessionId": got.SessionID}).must(t, 200)

	var job shownErasure
	w.ask(t, "POST", erasuresPath, fields{"identities": []any{fields{"kind": "telephone", "value": "+15550000007"}}}).
		must(t, http.StatusAccepted).into(t, &job)
	until(t, "the end of the erasure", func() bool {
		w.b.do(t, "GET", erasuresPath+"/"+job.Erasure.ErasureID, nil, "auth", w.auth).must(t, 200).into(t, &job)
		return job.Erasure.Status == "done"
	})
	require.Equal(t, []int{1, 1, 1}, []int{job.Erasure.Forgotten["calls"], job.Erasure.Forgotten["sessions"],
		job.Erasure.Forgotten["contacts"]}, job.Erasure.Forgotten)
}
