package runtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A tenth of the places is given away before sessions are counted again, for a second at most.
func TestWhoIsFarFromFullIsNotCountedEachTime(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	acme := crowd{"acme", "", 1000}
	for name, c := range map[string]struct {
		sessions, places int
		later            time.Duration
	}{
		"nobody is there":                  {0, 100, 0},
		"half of them":                     {500, 50, 0},
		"a hundred places":                 {900, 10, 0},
		"less than a hundred: each counts": {901, 0, 0},
		"full":                             {1000, 0, 0},
		"a moment before the second":       {0, 100, time.Second - 1},
		"a second later":                   {0, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var x crowds
			x.counted(acme, c.sessions, now)
			given := 0
			for range 1001 {
				if x.far(acme, now.Add(c.later)) {
					given++
				}
			}
			assert.Equal(t, c.places, given)
			assert.False(t, x.far(crowd{"acme", "one", 1000}, now), "a project of it is counted by itself")
		})
	}
}

func TestWhoWasFarAndIsNotAnyMoreIsCounted(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	var x crowds
	x.counted(crowd{"acme", "", 1000}, 0, now)
	x.counted(crowd{"acme", "", 1000}, 950, now)
	assert.False(t, x.far(crowd{"acme", "", 1000}, now))
}

// What is remembered of those who do not come back is let go.
func TestOldCrowdsAreForgotten(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	var x crowds
	for i := range 2 * mostCrowds {
		x.counted(crowd{"acme", "", 1000 + i}, 0, now.Add(time.Duration(i)*time.Millisecond))
	}
	assert.LessOrEqual(t, len(x.of), mostCrowds+1)
}

// Who has not begun after a while does not begin.
func TestWhoDoesNotBeginGivesThePlaceBack(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	var x crowds
	acme := crowd{"acme", "", 5}
	assert.Empty(t, x.begins(acme, "s-1", now))
	assert.Equal(t, []string{"s-1"}, x.begins(acme, "s-2", now.Add(beginsWithin-1)))
	assert.Equal(t, []string{"s-2"}, x.begins(acme, "s-3", now.Add(beginsWithin)))
	x.gone(acme, "s-2", "s-3")
	assert.Empty(t, x.beginning)
	for i := range 2 * mostCrowds {
		x.begins(crowd{"acme", "", i}, "s-1", now.Add(time.Duration(i)*beginsWithin))
	}
	assert.LessOrEqual(t, len(x.beginning), mostCrowds)
}
