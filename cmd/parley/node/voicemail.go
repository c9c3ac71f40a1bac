package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/reactors/platform"
)

// voicemailReactors record and transcribe what callers leave.
func (n *Node) voicemailReactors() ([]reactors.Reactor, error) {
	hears, err := n.cfg.Providers.transcriber()
	if err != nil {
		return nil, err
	}
	return []reactors.Reactor{
		contactcenter.VoicemailRecorder{Store: n.store, Blobs: n.blobs, Recorder: simulatedCaller{}, MAC: n.vault.MAC}.Reactor(),
		contactcenter.VoicemailTranscriber{Store: n.store, Blobs: n.blobs, Transcriber: hears,
			Now: n.clock.Now, Backoff: platform.WebhookBackoff, Log: n.log}.Reactor(),
	}, nil
}

// simulatedCaller is the recorder of the simulated carrier: its callers always leave
// the same message.
type simulatedCaller struct{}

// Record implements reactors.Recorder.
func (simulatedCaller) Record(_ context.Context, o contactcenter.RecordingOrder) (contactcenter.Recording, error) {
	return contactcenter.Recording{Audio: speech.LeaveMessage(o.CallerID), ContentType: "audio/wav", Language: "en",
		Provider: speech.ProviderLocal}, nil
}
