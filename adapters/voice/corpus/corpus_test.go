package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice/corpus"
)

// TestMachinesAreHeard judges some 850 calls, half of them on seeds that nothing was tuned on.
func TestMachinesAreHeard(t *testing.T) {
	for name, seeds := range map[string][]uint64{"tuned": corpus.Tuned, "held out": corpus.HeldOut} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := corpus.Run(t.Context(), seeds...)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, len(r.People()), 200)
			assert.GreaterOrEqual(t, float64(len(r.Right()))/float64(len(r)), 0.96, "of all calls")
			for of, bad := range map[string]corpus.Result{"people taken for machines": r.Lost(), "beeps not told in time": r.Unheard(),
				"tones that were none": r.FalseTones(), "keys that nobody pressed": r.FalseKeys()} {
				for _, j := range bad {
					t.Errorf("%s: seed %d, %s, %q: %v %s", of, j.Call.Seed, j.Call.Condition, j.Call.Text, j.Story, j.Keys)
				}
			}
		})
	}
}

func TestTheSameSeedIsTheSameStory(t *testing.T) {
	plan := corpus.Plan()
	again := func() (out [][]string) {
		made, err := corpus.Make(t.Context(), 5)
		require.NoError(t, err)
		for i := 0; i < len(made); i += 7 {
			out = append(out, made[i].Judge(plan).Story)
		}
		return out
	}
	first := again()
	require.Equal(t, first, again())
	require.False(t, slices.ContainsFunc(first, func(s []string) bool { return len(s) < 2 }), "each ends with what it came to")
}

func TestTheTableSaysWhatWasNotRight(t *testing.T) {
	r := corpus.Result{{Call: corpus.Call{Text: "Hello?", Condition: corpus.Clean}, Verdict: "amd_human_detected", VerdictAt: 1},
		{Call: corpus.Call{Text: "Leave a message.", Machine: true, Condition: corpus.Clean}, Verdict: "amd_human_detected", HungUpAt: 1}}
	var b strings.Builder
	require.NoError(t, corpus.Table(&b, r, nil))
	require.Contains(t, b.String(), "| clean | 1 of 1 | 0 of 1 | 0.00 s, 0.00 s, 0.00 s | - | 0 of 0 | 0 ms | 0 |")
	require.Contains(t, b.String(), "| Leave a message. | `amd_human_detected` | 1 | 1 |")
	require.Contains(t, b.String(), "1 of 2 calls right: 50.0 %. People taken for machines: 0.")
}

// TestOverRTPItIsTheSame hears people and machines over sockets, at once.
func TestOverRTPItIsTheSame(t *testing.T) {
	t.Parallel()
	made, err := corpus.Make(t.Context(), corpus.HeldOut[0])
	require.NoError(t, err)
	var some []corpus.Call
	for i := 0; i < len(made); i += 29 {
		some = append(some, made[i])
	}
	heard, err := corpus.OverRTP(t.Context(), some, corpus.Plan())
	require.NoError(t, err)
	for i, j := range heard {
		require.Equal(t, some[i].Judge(corpus.Plan()).Verdict, j.Verdict, "%s, %q: %v", j.Call.Condition, j.Call.Text, j.Story)
	}
}
