//go:build !apache

package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/handlers/acts/brought"
)

// inARoom is a call of somebody who is in a room, with an agent.
func (w soundingRooms) inARoom(t *testing.T) *doorCall {
	got := w.enters(t, "s-"+uuid.NewString())
	p := w.comes(t, got)
	every := time.NewTicker(voice.FrameTime)
	t.Cleanup(every.Stop)
	d := &doorCall{session: got.SessionID, call: brought.ID("room/"+got.RoomName, "0"), person: got.Identity, says: func(frame []byte) error {
		<-every.C
		return p.Say(frame)
	}, hangsUp: func() { w.server.Delete(got.RoomName) }}
	p.Gives(d.hears)
	w.opened(t, d.session)
	until(t, "the agent to be there", func() bool { return pageWorld{w.sdkWorld}.callOf(t, d).HasSound() })
	return d.microphone(t)
}

// Given somebody in a room whose transfer waited in its queue for too long, then they leave a message behind a beep as by every door.
func TestWhoIsInARoomLeavesAVoicemail(t *testing.T) {
	w := newSoundingRooms(t)
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	pageWorld{w.sdkWorld}.leavesAVoicemail(t, w.inARoom(t))
}

// Given somebody in a room whose session goes to a person with a telephone, then that is called, and each hears the other; when the room is
// closed, the person is hung up.
func TestWhoIsInARoomTalksWithAPerson(t *testing.T) {
	w := newSoundingRoomsOf(t, overSIP)
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	page := pageWorld{w.sdkWorld}
	telephone := page.personsTelephone(t, 1)
	page.talksWithAPerson(t, w.inARoom, false)
	telephone.Satisfied()
}
