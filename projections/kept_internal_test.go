package projections

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
)

// keptWords is a Kept of words whose answers say how often each was asked for.
type keptWords struct {
	Kept[string, string]
	now         Moment
	told, asked int // moments, and words
}

func newKeptWords() *keptWords {
	w := &keptWords{now: 1}
	w.tellsMoments()
	w.Fits = func(_, v string) bool { return len(v) < 100 }
	w.Ask = func(_ context.Context, keys []string) (map[string]string, error) {
		w.asked++
		out := map[string]string{}
		for _, k := range keys {
			if k != "missing" {
				out[k] = k + strconv.Itoa(w.asked)
			}
		}
		return out, nil
	}
	return w
}

func (w *keptWords) tellsMoments() {
	w.Moments = &Moments{}
	w.Moments.Ask = func(context.Context, []struct{}) (map[struct{}]Moment, error) {
		w.told++
		return map[struct{}]Moment{{}: w.now}, nil
	}
}

func (w *keptWords) get(t *testing.T, ctx context.Context, key string) string {
	t.Helper()
	v, ok, err := w.Get(ctx, key)
	require.NoError(t, err)
	require.Equal(t, key != "missing", ok)
	return v
}

// Given something that is kept, when nothing of settings was projected, then it is not read again; when something was, it is.
func TestWhatIsKeptIsAsGoodAsRead(t *testing.T) {
	w := newKeptWords()
	ctx := t.Context()
	require.Equal(t, []string{"a1", "a1", "a1"}, []string{w.get(t, ctx, "a"), w.get(t, ctx, "a"), w.get(t, ctx, "a")})
	require.Equal(t, 3, w.told, "whether it holds is asked each time")
	require.Equal(t, "b2", w.get(t, ctx, "b"))
	w.now++
	require.Equal(t, []string{"a3", "a3", "b4"}, []string{w.get(t, ctx, "a"), w.get(t, ctx, "a"), w.get(t, ctx, "b")})
}

func TestWhatIsNotThereOrTooLargeIsNotKept(t *testing.T) {
	w := newKeptWords()
	long := strings.Repeat("A", 100)
	for range 2 {
		w.get(t, t.Context(), "missing")
		w.get(t, t.Context(), long)
	}
	require.Equal(t, 4, w.asked)
	for i := range keptAnswers + 10 {
		w.get(t, t.Context(), strconv.Itoa(i))
	}
	require.Len(t, w.all, keptAnswers)
}

// Given a piece of work, then it asks once how far settings are; the next one asks for itself.
func TestAPieceOfWorkAsksOnceWhetherWhatIsKeptHolds(t *testing.T) {
	w := newKeptWords()
	one, other := OneWork(t.Context()), OneWork(t.Context())
	w.get(t, one, "a")
	w.now++
	require.Equal(t, "a1", w.get(t, one, "a"))
	require.Equal(t, 1, w.told)
	require.Equal(t, "a2", w.get(t, other, "a"))
	require.Equal(t, "a2", w.get(t, OtherWork(one), "a"), "who has to know now")
	require.Equal(t, 3, w.told)
}

// Given a node that knows by itself how far settings are, when something kept is asked for, then the database is not asked
// whether it holds; where it does not know, it is.
func TestWhoKnowsHowFarSettingsAreAsksNobody(t *testing.T) {
	w := newKeptWords()
	here, knows := int64(7), true
	w.Moments.Here = func(settings []*event.Category) (int64, bool) {
		require.Equal(t, Settings, settings)
		return here, knows
	}
	ctx := OneWork(t.Context())
	require.Equal(t, []string{"a1", "a1"}, []string{w.get(t, ctx, "a"), w.get(t, ctx, "a")})
	here++
	require.Equal(t, "a2", w.get(t, ctx, "a"), "also within one piece of work")
	require.Zero(t, w.told)
	knows, w.now = false, 8
	require.Equal(t, "a2", w.get(t, ctx, "a"), "the database says the same")
	require.Equal(t, 1, w.told)
}
