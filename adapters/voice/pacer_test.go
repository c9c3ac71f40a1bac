package voice_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

func TestEachHasATurnEveryFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := 0
		p := voice.NewPacer(voice.PacerOptions{Late: func(d time.Duration) {
			late++
			require.Zero(t, d)
		}})
		begin := time.Now()
		turns := make([][]time.Duration, 25)
		var leave []func()
		for i := range turns {
			leave = append(leave, p.Add(func(at time.Time) {
				require.Equal(t, time.Now(), at)
				turns[i] = append(turns[i], at.Sub(begin))
			}))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 25, p.Members())
		spread := map[time.Duration]int{}
		for _, all := range turns {
			require.Len(t, all, 50)
			spread[all[0]]++
			for i, at := range all {
				require.Equal(t, all[0]+time.Duration(i)*voice.FrameTime, at)
			}
		}
		require.Len(t, spread, 10, "in ten phases")
		require.LessOrEqual(t, spread[2*time.Millisecond], 3)
		require.Equal(t, 500, late)

		for _, l := range leave {
			l()
			l()
		}
		time.Sleep(time.Second)
		require.Len(t, turns[0], 50)
		require.Zero(t, p.Members())

		again := 0
		stop := p.Add(func(time.Time) { again++ })
		time.Sleep(100 * time.Millisecond)
		stop()
		time.Sleep(voice.FrameTime)
		require.InDelta(t, 5, again, 1, "and it runs again")
	})
}

func TestOneMayLeaveInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, other := voice.NewPacer(voice.PacerOptions{}), 0, 0
		var leave func()
		leave = p.Add(func(time.Time) {
			first++
			leave()
		})
		stop := p.Add(func(time.Time) { other++ })
		time.Sleep(time.Second)
		stop()
		time.Sleep(voice.FrameTime)
		require.Equal(t, 1, first)
		require.InDelta(t, 50, other, 1)
	})
}

func TestNobodySendsABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var worst time.Duration
		p := voice.NewPacer(voice.PacerOptions{Late: func(d time.Duration) { worst = max(worst, d) }})
		var at []time.Time
		stop := p.Add(func(due time.Time) {
			if at = append(at, due); len(at) == 10 {
				time.Sleep(500 * time.Millisecond) // the machine stands still
			}
		})
		time.Sleep(2*time.Second - time.Millisecond)
		stop()
		time.Sleep(voice.FrameTime)
		require.InDelta(t, 100-25, len(at), 1, "what was missed is missed")
		for i := 1; i < len(at); i++ {
			require.GreaterOrEqual(t, at[i].Sub(at[i-1]), voice.FrameTime)
		}
		require.Zero(t, worst, "it goes on, and is not late any more")
	})
}

func TestHowLateRoundsAreIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, told := prometheus.NewRegistry(), 0
		p := voice.NewPacer(voice.PacerOptions{Metrics: registry, Late: func(time.Duration) { told++ }})
		first := true
		stop := p.Add(func(time.Time) {
			if first {
				time.Sleep(50 * time.Millisecond)
			}
			first = false
		})
		time.Sleep(time.Second)
		all, err := registry.Gather()
		require.NoError(t, err)
		stop()
		time.Sleep(voice.FrameTime)
		require.Equal(t, "parley_media_lines", all[0].GetName())
		require.Equal(t, 1.0, all[0].GetMetric()[0].GetGauge().GetValue())
		late := all[1].GetMetric()[0].GetHistogram()
		require.Equal(t, "parley_media_round_late_seconds", all[1].GetName())
		require.Equal(t, uint64(told), late.GetSampleCount())
		within := func(bucket int) int { return int(late.GetBucket()[bucket].GetCumulativeCount()) }
		require.Equal(t, []int{told - 2, told}, []int{within(0), within(7)}, "two rounds were due while one took 50 ms")
	})
}

// Given threads of its own, then members are spread over them, and each has its turns.
func TestThreadsOfItsOwn(t *testing.T) {
	p := voice.NewPacer(voice.PacerOptions{Threads: 2})
	var turns [4]atomic.Int32
	var all sync.WaitGroup
	for i := range turns {
		all.Add(1)
		stop := p.Add(func(time.Time) {
			if turns[i].Add(1) == 5 {
				all.Done()
			}
		})
		defer stop()
	}
	require.Equal(t, 4, p.Members())
	all.Wait()
}

// Whether threads get real-time priority is the system's to say; asking leaves this one as it was.
func TestRealTimeIsAskedFor(t *testing.T) {
	if err := voice.RealTime(); err != nil {
		require.ErrorContains(t, err, "real-time priority")
	}
}
