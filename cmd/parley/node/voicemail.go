package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
)

// voicemailRecorder records what callers leave.
func (n *Node) voicemailRecorder() reactors.Reactor {
	return contactcenter.VoicemailRecorder{Store: n.store, Blobs: n.blobs, Recorder: simulatedCaller{}, MAC: n.vault.MAC}.Reactor()
}

// simulatedCaller is the recorder of the simulated carrier: its callers always leave
// the same message.
type simulatedCaller struct{}

// Record implements reactors.Recorder.
func (simulatedCaller) Record(_ context.Context, o contactcenter.RecordingOrder) (contactcenter.Recording, error) {
	return contactcenter.Recording{Audio: speech.LeaveMessage(o.CallerID), ContentType: "audio/wav", Language: "en",
		Provider: speech.ProviderLocal}, nil
}
