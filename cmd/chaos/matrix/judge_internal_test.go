package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What came too late is decided again and is a step of its own: it must not be taken for what was done,
// since then a reply that was on its way seems to have been noted.
func TestWhatANodeMayHaveAskedBeforeItDied(t *testing.T) {
	const started, sent, queued = "thread reply-attempt-started", "thread reply-part-sent", "thread reply-queued"
	for name, c := range map[string]struct {
		place Place
		steps []string
		late  []int // of the steps, from 1
		may   bool
	}{
		"when it was asked":    {place: Place{asked, 1}, may: true},
		"before it began":      {place: Place{before, 2}, steps: []string{queued, started}},
		"behind its beginning": {place: Place{after, 2}, steps: []string{queued, started}, may: true},
		"before the note":      {place: Place{before, 3}, steps: []string{queued, started, sent}, may: true},
		"behind the note":      {place: Place{after, 3}, steps: []string{queued, started, sent}},
		"before a note decided again": {place: Place{before, 4}, steps: []string{queued, started, sent, sent}, late: []int{3},
			may: true},
		"behind a note that was decided twice": {place: Place{after, 4}, steps: []string{queued, started, sent, sent}, late: []int{3}},
		"with the first note decided twice": {place: Place{before, 6}, steps: []string{started, queued, sent, sent, started, sent},
			late: []int{3}, may: true},
		"before a beginning that is decided again": {place: Place{before, 3}, steps: []string{queued, started, started}, late: []int{2}},
	} {
		died := &turn{place: c.place, steps: c.steps, counted: map[int]bool{}}
		for n := range c.steps {
			died.counted[n+1] = true
		}
		for _, n := range c.late {
			died.counted[n] = false
		}
		require.Equal(t, c.may, died.unsureReply(), name)
	}
}

func TestWhatAToolMayHaveBeenAskedBeforeItsNodeDied(t *testing.T) {
	steps := []string{"session message-received", "session call-opened", "session call-opened", "session call-ended"}
	for place, may := range map[Place]bool{
		{asked, 1}: true, {before, 2}: false, {after, 2}: false, {before, 3}: false, {after, 3}: true, {before, 4}: true, {after, 4}: false,
	} {
		died := &turn{place: place, steps: steps, counted: map[int]bool{1: true, 3: true, 4: true}}
		require.Equal(t, may, died.unsure(), place)
	}
}
