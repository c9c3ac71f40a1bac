package voice_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

// Given somebody who puts us on hold while they are spoken to, then nothing is made of the music that comes, what is said waits for them,
// and they hear the rest when they are back.
func TestWhatIsSaidWaitsForWhoHasPutUsOnHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPhone(voice.Options{Speaker: spoken{}, BargeIn: true})
		p.Answered(p.at)
		var tapped []int16
		p.Tap(func(heard, _ []int16) { tapped = append(tapped, heard...) })
		go func() { _ = p.SayAs(t.Context(), "a", "ten letters", "") }()
		synctest.Wait()
		require.Greater(t, level(p.hear(quiet(500))), 100.0)
		p.Hold(true)
		require.Zero(t, level(p.hear(loud(20_000))))
		require.Greater(t, level(tapped), 100.0, "who records it has the music")
		require.Empty(t, p.story(), "and nobody speaks")
		p.Hold(false)
		require.Greater(t, level(p.hear(quiet(600))), 100.0)
		require.Equal(t, []string{"21100 played a 1100 false"}, p.story())
		p.hear(loud(400))
		require.Equal(t, "speech-began", p.story()[0][6:])
		p.Close()
	})
}

// Given somebody who does not come back within a minute, then what is said to them is cut off,
// and so is what else is said until they are back.
func TestWhatIsSaidDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPhone(voice.Options{Speaker: spoken{}})
		p.Answered(p.at)
		p.Hold(true)
		say := func(id string) {
			go func() { _ = p.SayAs(t.Context(), id, "abc", "") }()
			synctest.Wait()
		}
		say("a")
		p.hear(quiet(int(time.Minute.Milliseconds())))
		require.Empty(t, p.story())
		p.hear(quiet(20))
		require.Equal(t, []string{"60020 played a 0 true"}, p.story())
		say("b")
		p.hear(quiet(20))
		require.Equal(t, []string{"60040 played b 0 true"}, p.story())
		p.Hold(false)
		say("c")
		require.Greater(t, level(p.hear(quiet(400))), 100.0)
		require.Equal(t, []string{"60340 played c 300 false"}, p.story())
		p.Close()
	})
}
