package voice_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/recording"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// Given a callee whose words nobody reads, then each thing it says is a turn, and the agent knows that it was not read.
func TestATurnOnALineWithSound(t *testing.T) {
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		p.speak(time.Second)
		w.pass(5 * time.Second)
		p.press("17#")
		w.pass(5 * time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "played 1", "heard 1", "said 3 How many?", "played 3", "pressed 2 17",
			"said 5 17, noted.", "played 5"}, w.store.heardOn("c1"))
		said := messages(w.store.sessionEvents("c1"))
		require.Len(w, said, 2)
		require.Regexp(w, `^\[speech of about \d words?, not transcribed\] \{"speech":\{"estimatedWords":\d\}\}$`, said[0])
		require.Equal(w, `17 {"speech":{"pressed":true}}`, said[1])
		q := w.store.quality(w.T, "c1")
		require.Equal(w, []int{2, 0, 1, 1}, []int{q.Turns, q.BargeIns, q.DigitTurns, q.Unread})
		require.NotNil(w, q.LatencyMs)
		require.Greater(w, q.Received, 100)
		require.NotEmpty(w, q.Levels.Heard)
		require.Greater(w, q.SilencePercent, 10.0)
	}, asAsked)
}

// Given a callee who speaks while we do, then we stop, and the next turn knows what was heard.
func TestWhoSpeaksCutsUsOff(t *testing.T) {
	inThree := func(c *calls.DialOut) {
		c.Metadata = []byte(`{"name":"Ada. I call about the table that you have reserved. It is for four persons, is it not? Tell me"}`)
	}
	onThePhone(t, func(w *dialerWorld, p *phone, by *slowSpeaker) {
		w.pass(2500 * time.Millisecond)
		p.speak(time.Second)
		w.pass(5 * time.Second)
		lines := w.store.heardOn("c1")
		require.Equal(w, []string{"heard 1", "said 3 How many?", "played 3"}, lines[2:])
		require.Regexp(w, `^played 1 until: Good day, Ada. I call about( the)?( table)?( that)?( you)?$`, lines[1])
		require.Regexp(w, `"interrupted":\{"heard":"Good day, Ada. I call about`, messages(w.store.sessionEvents("c1"))[0])
		require.Contains(w, by.ahead, "I call about the table that you have reserved.")
		_ = p.HangUp(w.Context())
		w.pass(time.Second)
		require.Equal(w, 1, w.store.quality(w.T, "c1").BargeIns)
	}, inThree)
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(400 * time.Millisecond)
		p.press("9")
		w.pass(4 * time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "played 1 until: Good", "pressed 1 9", "said 3 How many?"}, w.store.heardOn("c1")[:4])
	}, asAsked)
}

// Given a callee who puts us on hold, then what we say waits for them; who does not come back in a minute has not heard it, which is no
// interruption of theirs, and the next turn knows.
func TestACalleeWhoPutsUsOnHold(t *testing.T) {
	hold := func(p *phone, on bool) {
		p.Hold(on)
		p.facts <- fact(map[bool]calls.FactKind{true: calls.FactHeld, false: calls.FactResumed}[on])
	}
	for name, c := range map[string]struct {
		away   time.Duration
		played string
		told   string
	}{
		"for a moment":     {30 * time.Second, "played 1", `\{"speech":\{"estimatedWords":\d\}\}$`},
		"for more than it": {70 * time.Second, "played 1 until: ", `"interrupted":\{"heard":""\}`},
	} {
		t.Run(name, func(t *testing.T) {
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				hold(p, true)
				p.speak(c.away) // their music
				w.pass(c.away)
				hold(p, false)
				w.pass(3 * time.Second)
				require.Equal(w, []string{"said 1 Good day, Ada!", c.played}, w.store.heardOn("c1"))
				p.speak(time.Second)
				w.pass(5 * time.Second)
				said := messages(w.store.sessionEvents("c1"))
				require.Len(w, said, 1)
				require.Regexp(w, c.told, said[0])
				_ = p.HangUp(w.Context())
				w.pass(time.Second)
				require.Zero(w, w.store.quality(w.T, "c1").BargeIns)
			}, asAsked)
		})
	}
}

// Given a callee who hangs up while we speak, then how far we were heard is recorded, though it is told behind the end, and nobody waits
// for what is told no more.
func TestHowFarWasHeardByWhoHungUp(t *testing.T) {
	hangsUp := func(_ *dialerWorld, p *phone) { p.facts <- fact(calls.FactHungUp) }
	for name, c := range map[string]struct {
		taken  func(*calls.DialOut)
		ends   func(*dialerWorld, *phone)
		played string
	}{
		"an agent's text":     {asAsked, hangsUp, "played 1 until: Good"},
		"a start text":        {takenBy("gone"), hangsUp, "played 0 until: Good"},
		"a line that is gone": {asAsked, func(w *dialerWorld, p *phone) { _ = p.HangUp(w.Context()) }, "played 1 until: Good"},
	} {
		t.Run(name, func(t *testing.T) {
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				w.pass(300 * time.Millisecond)
				c.ends(w, p)
				w.pass(100 * time.Millisecond)
				require.Contains(w, w.store.heardOn("c1"), c.played)
				require.Zero(w, w.dialer.Legs())
			}, c.taken)
		})
	}
}

// Given a request that wants nothing interim, then who speaks is heard when it has finished, and we say what we say to its end. One that
// gives it time has what follows a silence in the same message.
func TestTheRequestSaysHowSpeechIsHeard(t *testing.T) {
	no, patience := false, 2_000
	settings := calls.CallControlParameter{STTProvider: "local", STTLanguage: "en", Interim: &no, ContinuousASRTimeoutInMS: &patience}
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		p.speak(600 * time.Millisecond)
		w.pass(2200 * time.Millisecond) // the silence was told
		p.speak(600 * time.Millisecond)
		w.pass(2 * time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "played 1"}, w.store.heardOn("c1"), "it may go on")
		w.pass(4 * time.Second)
		require.Equal(w, []string{"heard 1", "said 3 How many?", "played 3"}, w.store.heardOn("c1")[2:])
	}, func(c *calls.DialOut) { c.CallControlParameter = &settings })
}

// Given a synthesizer that fails, then the call goes on.
func TestASynthesizerThatFailsEndsNoCall(t *testing.T) {
	onThePhone(t, func(w *dialerWorld, p *phone, by *slowSpeaker) {
		by.fails = errors.New("no voice")
		w.pass(3 * time.Second)
		for range 2 {
			p.press("17#")
			w.pass(5 * time.Second)
		}
		require.Contains(w, w.store.heardOn("c1"), "said 5 17, noted.")
	}, asAsked)
}

// Given keys that may be the number of a card, then they stand sealed on the log and in no other event of the call.
func TestKeysAfterAPause(t *testing.T) {
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		p.press("41")
		w.pass(time.Second)
		p.press("11")
		w.pass(1900 * time.Millisecond)
		require.Len(w, w.store.heardOn("c1"), 2)
		w.pass(200 * time.Millisecond)
		require.Equal(w, "pressed 1 4111", w.store.heardOn("c1")[2])
	}, asAsked)
}

// taped are recordings in files of the test.
type taped struct{ *recording.Folder }

func (x taped) Begin(tenant, call string, broke func(error)) (voice.Tape, error) {
	return x.Folder.Begin(tenant, call, broke)
}
func (taped) Left() []voice.LeftTape { return nil }

type blobsInMemory map[string][]byte

func (b blobsInMemory) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	b[prefix+"/x"] = content
	return prefix + "/x", nil
}
func (b blobsInMemory) Replace(_ context.Context, name, _ string, content []byte) error {
	b[name] = content
	return nil
}
func (b blobsInMemory) Delete(_ context.Context, name string) error { delete(b, name); return nil }

func recorded(c *calls.DialOut) { c.Flow.Recorded = true }

func TestACallIsRecordedWhereItsFlowAsks(t *testing.T) {
	blobs := blobsInMemory{}
	folder, err := recording.Open(t.TempDir(), blobs)
	require.NoError(t, err)
	with := func(c *voice.DialerConfig) { c.Recordings = taped{folder} }
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		require.Empty(w, blobs)
		_ = p.HangUp(w.Context())
		w.pass(time.Second)
		require.Equal(w, "recorded", w.store.heardOn("c1")[2])
		kept := w.store.state("c1").Recording
		require.InDelta(w, 3_000, kept.Ms, 200)
		require.Len(w, blobs[kept.Blob], int(kept.SizeBytes))
	}, recorded, with)
	clear(blobs)
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		w.store.do(w.T, "c1", "", calls.Forget{At: time.Now()}.Decide)
		w.pass(20 * time.Second)
		require.NotContains(w, w.store.heardOn("c1"), "recorded")
		require.Empty(w, blobs, "of a callee who was erased nothing is kept")
	}, recorded, with)
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		_ = p.HangUp(w.Context())
		w.pass(time.Second)
		require.Empty(w, blobs, "nobody asked")
	}, asAsked, with)
}

// Given a storage that is full when a call is over, then its recording is kept as soon as there is room, by the same process.
func TestARecordingWaitsForItsStorage(t *testing.T) {
	blobs := &blobsThatFill{blobsInMemory: blobsInMemory{}}
	folder, err := recording.Open(t.TempDir(), blobs)
	require.NoError(t, err)
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		ctx, stop := context.WithCancel(w.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.dialer.KeepLeft(ctx) }()
		w.pass(3 * time.Second)
		blobs.full.Store(true)
		_ = p.HangUp(w.Context())
		w.pass(3 * time.Minute)
		require.NotContains(w, w.store.heardOn("c1"), "recorded")
		blobs.full.Store(false)
		w.pass(2 * time.Minute)
		require.Contains(w, w.store.heardOn("c1"), "recorded")
		require.InDelta(w, 3_000, w.store.state("c1").Recording.Ms, 200)
		require.Len(w, blobs.blobsInMemory, 1)
		w.pass(5 * time.Minute)
		require.Equal(w, 1, strings.Count(strings.Join(w.store.heardOn("c1"), ","), "recorded"))
		stop()
		<-done
	}, recorded, func(c *voice.DialerConfig) { c.Recordings = taped{folder} })
}

// blobsThatFill have no room while they are full.
type blobsThatFill struct {
	blobsInMemory
	full atomic.Bool
}

func (b *blobsThatFill) Put(ctx context.Context, prefix, kind string, content []byte) (string, error) {
	if b.full.Load() {
		return "", fault.New(fault.Unavailable, "no space left on device")
	}
	return b.blobsInMemory.Put(ctx, prefix, kind, content)
}

func (b *blobsThatFill) Replace(ctx context.Context, name, kind string, content []byte) error {
	if b.full.Load() {
		return fault.New(fault.Unavailable, "no space left on device")
	}
	return b.blobsInMemory.Replace(ctx, name, kind, content)
}

// fullDisk is that of recordings that break at once, or on their way.
type fullDisk struct{ late bool }

func (b fullDisk) Begin(_, _ string, broke func(error)) (voice.Tape, error) {
	if !b.late {
		return nil, errors.New("no space left on device")
	}
	go func() { time.Sleep(2 * time.Second); broke(errors.New("no space left on device")) }()
	return b, nil
}
func (fullDisk) Left() []voice.LeftTape { return nil }
func (fullDisk) Write(_, _ []int16)     {}
func (fullDisk) Keep(context.Context) (k calls.Taped, err error) {
	return k, fault.New(fault.Unavailable, "no space left on device")
}
func (fullDisk) Done(context.Context, bool) error { return nil }

// Given a disk that is full, then the call goes on, and its stream says so.
func TestACallThatCannotBeRecordedGoesOn(t *testing.T) {
	for name, with := range map[string]voice.Recordings{"no space left on device": fullDisk{}, "this node records nothing": nil} {
		onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
			w.pass(3 * time.Second)
			require.ElementsMatch(w, []string{"said 1 Good day, Ada!", "not recorded: " + name, "played 1"}, w.store.heardOn("c1"))
		}, recorded, func(c *voice.DialerConfig) { c.Recordings = with })
	}
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		p.press("17#")
		w.pass(4 * time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "played 1", "not recorded: no space left on device", "pressed 1 17"},
			w.store.heardOn("c1")[:4])
	}, recorded, func(c *voice.DialerConfig) { c.Recordings = fullDisk{late: true} })
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", recorded, func(c *calls.DialOut) { c.Target = "tel:+15550000001" })
		w.pass(time.Minute)
		require.Contains(w, w.store.heardOn("c1"), "not recorded: the carrier has no sound")
	})
}
