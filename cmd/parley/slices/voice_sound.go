package slices

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/parley-platform/parley/adapters/deepgram"
	"github.com/parley-platform/parley/adapters/recording"
	"github.com/parley-platform/parley/adapters/speech"
	sound "github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// speakerOf is who speaks on calls; nil on a node that is only looked at.
func speakerOf(s *speech.Spoken) voice.Speaker {
	if s == nil {
		return nil
	}
	return s
}

// soundOf is how the sound of a call is made and heard: by this node's speaker, and by the recogniser
// that the call names, or the node. A recogniser that stops is told of; words are counted from then on.
func (n Needs) soundOf(p providers, log *slog.Logger, language string, r calls.Recognition) sound.Options {
	if r == (calls.Recognition{}) { // of a call that nobody asked for here
		r = calls.Recognition{Language: language, Interim: true}
	}
	o := sound.Options{Language: r.Language, BargeIn: r.Interim}
	if p.speaker != nil {
		o.Speaker = p.speaker
	}
	if by := cmp.Or(r.Provider, n.Providers.Speech.Recogniser); by != deepgram.Provider || p.deepgram == nil {
		return o
	}
	o.Recogniser, o.Reader = recogniser{p.deepgram.For(r)}, deepgram.Provider
	o.Trouble = func(err error) {
		log.Warn("speech on a call is not recognised any more: words are counted by their sound", "error", err)
	}
	return o
}

// recogniser is Deepgram's as a line takes it.
type recogniser struct{ deepgram.Recogniser }

func (r recogniser) Recognise(ctx context.Context, language string) (sound.Recognition, error) {
	s, err := r.Recogniser.Recognise(ctx, language)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// recordings are where calls are recorded. A node that cannot open its folder says so; its calls go
// on, and say that they are not recorded.
func (n Needs) recordings() voice.Recordings {
	if n.Store == nil || n.RecordingFolder == "" {
		return nil
	}
	folder, err := recording.Open(n.RecordingFolder, n.Blobs)
	if err != nil {
		n.Log.Error("no call can be recorded", "error", err)
		return nil
	}
	return tapes{folder}
}

// tapes are a folder as who carries calls takes it.
type tapes struct{ folder *recording.Folder }

func (t tapes) Begin(tenantID, callID string, broke func(error)) (voice.Tape, error) {
	begun, err := t.folder.Begin(tenantID, callID, broke)
	if err != nil {
		return nil, err
	}
	return begun, nil
}

func (t tapes) Left() (out []voice.LeftTape) {
	for _, left := range t.folder.Left() {
		out = append(out, voice.LeftTape{TenantID: left.TenantID(), CallID: left.CallID(), Tape: left})
	}
	return out
}

// keepLeft keeps the recordings of the process before this one, and what could not be kept before, in the background, until it is
// stopped.
func keepLeft(d *voice.Dialer) func(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.KeepLeft(ctx)
	}()
	return func(within context.Context) error {
		stop()
		select {
		case <-done:
			return nil
		case <-within.Done():
			return within.Err()
		}
	}
}
