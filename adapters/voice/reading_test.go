package voice_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// reader is a recogniser whose test says what it has read.
type reader struct {
	fails  error
	facts  chan calls.Fact
	heard  int // samples
	broken error
	stuck  bool
	closed bool
}

func (r *reader) Recognise(context.Context, string) (voice.Recognition, error) { return r, r.fails }
func (r *reader) Facts() <-chan calls.Fact                                     { return r.facts }
func (r *reader) Close() error                                                 { r.closed = true; return nil }
func (r *reader) Write(samples []int16) error {
	if r.stuck {
		select {} // until the test is over
	}
	r.heard += len(samples)
	return r.broken
}

func TestWordsAreRead(t *testing.T) {
	read := func(text string) calls.Fact { return calls.Fact{Kind: calls.FactWords, Text: text, Language: "en"} }
	silence := calls.Fact{Kind: calls.FactSilence}
	counted := []string{"220 speech-began", "420 words 1"}
	for name, tc := range map[string]struct {
		with    reader
		tells   []calls.Fact // when there is silence
		closes  bool
		want    []string
		trouble string
	}{
		"in time": {tells: []calls.Fact{read("hello"), silence},
			want: []string{"600 words 1", "840 speech-ended", "1100 words 0 hello", "1100 silence"}},
		"behind the silence": {tells: []calls.Fact{read("hello")},
			want: []string{"600 words 1", "840 speech-ended", "1100 words 0 hello", "3040 silence"}},
		"by one that stops": {closes: true, want: []string{"600 words 1", "840 speech-ended", "1540 silence"},
			trouble: "the recogniser stopped"},
		"by one that does not begin": {with: reader{fails: errors.New("no")}, want: []string{"600 words 1", "840 speech-ended", "1540 silence"},
			trouble: "beginning to recognise words: no"},
		"by one that breaks": {with: reader{broken: errors.New("pipe")}, want: []string{"600 words 1", "840 speech-ended", "1540 silence"},
			trouble: "giving sound to a recogniser: pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				trouble := ""
				r := tc.with
				r.facts = make(chan calls.Fact)
				p := newPhone(voice.Options{Recogniser: &r, Reader: "scribe", Trouble: func(err error) { trouble = err.Error() }})
				p.Answered(began)
				hear := func(sound []int16) {
					p.hear(sound)
					synctest.Wait()
				}
				for range 5 {
					hear(quiet(20))
				}
				hear(loud(400))
				hear(quiet(600))
				for _, f := range tc.tells {
					r.facts <- f
				}
				if tc.closes {
					close(r.facts)
				}
				synctest.Wait()
				hear(quiet(3_000))
				require.Equal(t, append(counted[:2:2], tc.want...), p.story())
				require.Equal(t, tc.trouble, trouble)
				why, _, _ := strings.Cut(tc.trouble, ": ")
				q := p.Quality()
				require.Equal(t, []string{"scribe", why}, []string{q.Recogniser, q.Fallback})
				require.True(t, r.closed || r.fails != nil || tc.trouble == "")
				p.Close()
				synctest.Wait()
				require.True(t, r.closed || r.fails != nil)
			})
		})
	}
}

func TestARecogniserThatDoesNotKeepPaceHoldsNothingUp(t *testing.T) {
	p := newPhone(voice.Options{Recogniser: &reader{facts: make(chan calls.Fact), stuck: true}})
	p.Answered(began)
	p.hear(loud(5_000))
	p.hear(quiet(3_000))
	require.Contains(t, p.story(), "7500 silence")
	p.Close()
}

// lingering tells what it has read when it is closed.
type lingering struct {
	reader
	mute bool
}

func (r *lingering) Recognise(context.Context, string) (voice.Recognition, error) { return r, nil }
func (r *lingering) Close() error {
	if r.closed = true; r.mute {
		return nil
	}
	r.facts <- calls.Fact{Kind: calls.FactWords, Text: "goodbye"}
	close(r.facts)
	return nil
}

// Given somebody who speaks, when the line is closed, then the last words are told, of all that was heard; nobody
// is waited for who tells none, nor where nobody spoke.
func TestTheLastWordsAreRead(t *testing.T) {
	for name, tc := range map[string]struct {
		says  []int16
		mute  bool
		text  string
		after time.Duration
	}{
		"of who speaks":               {says: loud(1_000), text: "goodbye"},
		"of who speaks, by nobody":    {says: loud(1_000), mute: true, after: 2 * time.Second},
		"of who is silent, by nobody": {says: quiet(1_000), mute: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &lingering{reader{facts: make(chan calls.Fact)}, tc.mute}
				p := newPhone(voice.Options{Recogniser: r})
				p.Answered(began)
				p.hear(tc.says)
				closed, text := time.Now(), ""
				p.Close()
				p.Digit("1", closed)
				for f := range p.Facts() {
					require.NotEqual(t, calls.FactDigit, f.Kind, "behind the end")
					text += f.Text
				}
				require.Equal(t, []any{tc.text, tc.after}, []any{text, time.Since(closed)})
				if !tc.mute {
					require.Equal(t, len(tc.says), r.heard)
				}
				p.Close()
			})
		})
	}
}
