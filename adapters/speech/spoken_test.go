package speech_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/speech"
)

// talker counts what it has to speak, and says a second of something else each time.
type talker struct {
	mu    sync.Mutex
	times int
	takes time.Duration
	fails error
}

func (x *talker) Speak(ctx context.Context, text, _ string) ([]int16, error) {
	x.mu.Lock()
	x.times++
	n, err := x.times, x.fails
	x.mu.Unlock()
	if x.takes > 0 {
		select {
		case <-time.After(x.takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return slices.Repeat([]int16{int16(len(text) + n)}, 8_000), err
}

func (*talker) Voice(language string) string { return "talker " + language }

func newSpoken(by speech.Speaker, on speech.Shelf) *speech.Spoken {
	return speech.NewSpoken(by, on, func() uint64 { return 0 }, slog.New(slog.DiscardHandler), nil)
}

// Given a text that was spoken, then it is not spoken again, and from its second time on no process has to.
func TestATextIsSpokenOnce(t *testing.T) {
	by, on := &talker{}, &shelf{files: map[string]string{}, wrote: make(chan string, 9)}
	s := newSpoken(by, on)
	say := func(of *speech.Spoken, text, language string) []int16 {
		samples, err := of.Speak(t.Context(), text, language)
		require.NoError(t, err)
		return samples
	}
	first := say(s, "Good day", "en")
	require.Empty(t, on.files, "what is said to one person only is kept nowhere")
	require.Equal(t, first, say(s, "Good day", "en"))
	<-on.wrote
	require.Len(t, on.files, 1)
	require.NotEqual(t, first, say(s, "Good day", "de"), "another voice")
	require.Equal(t, 2, by.times)
	require.EqualValues(t, 1, s.Hits())

	other := newSpoken(by, on)
	require.Equal(t, first, say(other, "Good day", "en"))
	require.Equal(t, 2, by.times)

	require.NoError(t, s.Forget(t.Context()))
	require.Empty(t, on.files)
	say(s, "Good day", "en")
	require.Equal(t, 3, by.times, "who forgets speaks anew")
}

// Given a shelf that is away, torn, or has another text at that place, then it is spoken all the same.
func TestAShelfIsNeverWaitedForInVain(t *testing.T) {
	by, on := &talker{}, &shelf{files: map[string]string{}, wrote: make(chan string, 9)}
	for range 2 {
		_, err := newSpoken(by, on).Speak(t.Context(), "Good day", "en")
		require.NoError(t, err)
	}
	s := newSpoken(by, on)
	for range 2 {
		_, err := s.Speak(t.Context(), "Good day", "en")
		require.NoError(t, err)
	}
	name := <-on.wrote
	var whole string
	on.set(func() { whole = on.files[name] })
	for _, damaged := range []string{"", whole[:30], whole[:60] + "f" + whole[61:]} {
		on.set(func() { on.files[name] = damaged })
		_, err := newSpoken(by, on).Speak(t.Context(), "Good day", "en")
		require.NoError(t, err)
	}
	require.Equal(t, 6, by.times)
	on.set(func() { on.down = errors.New("the disk is full") })
	s = newSpoken(by, on)
	for range 2 {
		_, err := s.Speak(t.Context(), "Good day", "en")
		require.NoError(t, err)
	}
	<-on.wrote
	require.ErrorContains(t, s.Forget(t.Context()), "the disk is full")
}

// Given several who ask at once, then it is spoken once; one who gives up takes it from nobody.
func TestThoseWhoAskAtOnceShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by := &talker{takes: time.Second}
		s := newSpoken(by, nil)
		impatient, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			_, err := s.Speak(impatient, "Good day", "en")
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		synctest.Wait()
		for range 5 {
			all.Go(func() {
				samples, err := s.Speak(t.Context(), "Good day", "en")
				require.NoError(t, err)
				require.Len(t, samples, 8_000)
			})
		}
		all.Wait()
		require.Equal(t, 2, by.times)
		s.Prepare(t.Context(), "And this", "en")
		time.Sleep(2 * time.Second)
		_, err := s.Speak(t.Context(), "And this", "en")
		require.NoError(t, err)
		require.Equal(t, 3, by.times)
		time.Sleep(11 * time.Minute)
		_, err = s.Speak(t.Context(), "And this", "en")
		require.NoError(t, err)
		require.Equal(t, 4, by.times, "what nobody asks for is forgotten")
		by.fails = errors.New("broken")
		for range 2 {
			_, err = s.Speak(t.Context(), "Another", "en")
			require.ErrorContains(t, err, "broken")
		}
		require.Equal(t, 6, by.times, "a failure is not kept")
	})
}

// Given texts about a person that are being spoken, or put on the shelf, while all is forgotten, then none
// of them is on the shelf behind it.
func TestWhatIsForgottenComesNotBack(t *testing.T) {
	twice := func(s *speech.Spoken) {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := s.Speak(context.Background(), "About Ann", "en")
				require.NoError(t, err)
			})
		}
		all.Wait()
	}
	t.Run("spoken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			on := &shelf{files: map[string]string{}, wrote: make(chan string, 9)}
			s := newSpoken(&talker{takes: time.Second}, on)
			go twice(s)
			time.Sleep(500 * time.Millisecond)
			require.NoError(t, s.Forget(t.Context()))
			time.Sleep(time.Minute)
			require.Empty(t, on.files)
		})
	})
	t.Run("shelved", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			on := &slowShelf{shelf: &shelf{files: map[string]string{}, wrote: make(chan string, 9)}}
			s := newSpoken(&talker{}, on)
			twice(s)
			synctest.Wait() // it is on its way to the shelf
			require.NoError(t, s.Forget(t.Context()))
			time.Sleep(time.Minute)
			require.Empty(t, on.files)
			require.Len(t, on.wrote, 1)
		})
	})
}

// Given texts that a node has spoken or is putting on the shelf, when another node erases somebody, then this one speaks them anew, and
// the shelf has none of them.
func TestAnErasureElsewhereIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var erasures uint64
		by, on := &talker{}, &slowShelf{shelf: &shelf{files: map[string]string{}, wrote: make(chan string, 9)}}
		here := speech.NewSpoken(by, on, func() uint64 { return erasures }, slog.New(slog.DiscardHandler), nil)
		say := func(text string) {
			_, err := here.Speak(t.Context(), text, "en")
			require.NoError(t, err)
		}
		for _, text := range []string{"About Ann", "About Ann", "For Bob alone"} {
			say(text)
		}
		require.Equal(t, 2, by.times)
		synctest.Wait() // one is on its way to the shelf
		require.NoError(t, newSpoken(&talker{}, on).Forget(t.Context()))
		erasures++
		say("For Bob alone")
		time.Sleep(time.Minute)
		require.Len(t, on.wrote, 1, "it came there behind the erasure")
		on.set(func() { require.Empty(t, on.files) })
		say("About Ann")
		require.Equal(t, 4, by.times)
	})
}

// slowShelf takes a second to put something on.
type slowShelf struct{ *shelf }

func (s *slowShelf) Replace(ctx context.Context, name, contentType string, content []byte) error {
	time.Sleep(time.Second)
	return s.shelf.Replace(ctx, name, contentType, content)
}

// Given a text that is on the shelf, then whoever asks for it meanwhile races with nobody.
func TestAShelfIsReadBesideThoseWhoAsk(t *testing.T) {
	by, on := &talker{}, &shelf{files: map[string]string{}, wrote: make(chan string, 99)}
	first := newSpoken(by, on)
	for range 2 {
		_, err := first.Speak(t.Context(), "Good day", "en")
		require.NoError(t, err)
	}
	<-on.wrote
	for range 20 {
		s := newSpoken(by, on)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, err := s.Speak(context.Background(), "Good day", "en")
				require.NoError(t, err)
			})
		}
		all.Wait()
	}
	require.Equal(t, 1, by.times)
}
