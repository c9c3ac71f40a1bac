package projections_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
)

// asker counts how often it is asked.
type asker struct {
	asked int
	fails error
}

func (a *asker) ask() (int, error) {
	a.asked++
	return a.asked, a.fails
}

type settingOf struct{ project string }

func TestAPieceOfWorkIsAnsweredOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a asker
		work := projections.OneWork(t.Context())
		get := func(ctx context.Context, project string) int {
			v, err := projections.Once(ctx, settingOf{project}, a.ask)
			require.NoError(t, err)
			return v
		}
		assert.Equal(t, 1, get(work, "one"))
		assert.Equal(t, 1, get(projections.OneWork(context.WithoutCancel(work)), "one"), "what goes on behind a request is the same work")
		assert.Equal(t, 2, get(work, "other"), "another key")
		assert.Equal(t, 3, get(projections.OneWork(projections.OtherWork(work)), "one"), "another work, as a message on a socket")
		time.Sleep(999 * time.Millisecond)
		assert.Equal(t, 1, get(work, "one"))
		time.Sleep(time.Millisecond)
		assert.Equal(t, 4, get(work, "one"), "a second later it is asked again")
	})
}

func TestOutsideOfAPieceOfWorkEachAsks(t *testing.T) {
	var a asker
	for i := 1; i <= 3; i++ {
		v, err := projections.Once(t.Context(), settingOf{"one"}, a.ask)
		require.NoError(t, err)
		assert.Equal(t, i, v)
	}
}

func TestARefusalIsNoAnswer(t *testing.T) {
	a := asker{fails: errors.New("no connection")}
	work := projections.OneWork(t.Context())
	_, err := projections.Once(work, settingOf{"one"}, a.ask)
	require.ErrorIs(t, err, a.fails)
	a.fails = nil
	v, err := projections.Once(work, settingOf{"one"}, a.ask)
	require.NoError(t, err)
	assert.Equal(t, 2, v)
}
