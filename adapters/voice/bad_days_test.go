package voice_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// Given an hour in which nobody says anything, then nothing is made of it, whether silence comes, the noise of a line or no packet at
// all; and who speaks behind it is heard as at any other time.
func TestAnHourOfSilence(t *testing.T) {
	for name, noise := range map[string]int{"silence": 0, "the noise of a line": 12, "no packets": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPhone(voice.Options{})
			p.Answered(began)
			p.hear(loud(400))
			p.hear(quiet(1_500))
			require.Len(t, p.story(), 5)
			r := rand.New(rand.NewPCG(1, 2))
			for range int(time.Hour / voice.FrameTime) {
				if noise < 0 { // its clock and its numbers go on
					p.tick()
					continue
				}
				frame := quiet(20)
				for i := range frame {
					if noise > 0 {
						frame[i] = int16(r.IntN(2*noise) - noise)
					}
				}
				p.hear(frame)
			}
			require.Empty(t, p.story())
			p.hear(loud(400))
			p.hear(quiet(1_500))
			require.Equal(t, "speech-began words words speech-ended silence", kinds(p.story()))
		})
	}
}

// kinds are what was told, without its times.
func kinds(story []string) string {
	var out []string
	for _, line := range story {
		out = append(out, strings.Fields(line)[1])
	}
	return strings.Join(out, " ")
}

// Given a clock that jumps, forth and back, then what is heard is what would be heard anyway: sound has its own time.
func TestAClockThatJumps(t *testing.T) {
	tell := func(jump time.Duration) (string, calls.Quality) {
		p := newPhone(voice.Options{})
		p.Answered(p.at)
		var story []string
		for i := range 6 {
			p.hear(quiet(300))
			p.at = p.at.Add(jump)
			p.hear(loud(300))
			p.at = p.at.Add(-jump * time.Duration(i%2))
			p.hear(quiet(1_500))
			story = append(story, p.story()...)
		}
		return kinds(story), p.Quality()
	}
	steady, _ := tell(0)
	require.Equal(t, 6, strings.Count(steady, "silence"))
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 3 * time.Second} {
		story, q := tell(jump)
		require.Equal(t, steady, story, jump)
		require.Equal(t, []int{0, 0}, []int{q.Lost, q.Late})
		require.Less(t, q.JitterMs, 100.0)
	}
}
