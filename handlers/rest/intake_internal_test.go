package rest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// What tests outside of the package reckon with.
const (
	MadePerByte  = madePerByte
	MadePerValue = madePerValue
)

// A tenant gets half of the budget. Whoever finds it taken waits for a while, then is
// told which of the two was full, and when to come again.
func TestRoomForBodiesIsSharedFairly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		first, err := b.take(t.Context(), "acme", 30)
		require.NoError(t, err)
		_, err = b.take(t.Context(), "acme", 30)
		require.Equal(t, fault.QueueFull, fault.CodeOf(err), "acme has 20 left")
		require.Equal(t, bodyWait, err.(*fault.Error).Retry)

		whole, err := b.take(t.Context(), "globex", 1_000)
		require.NoError(t, err, "what is larger than a share takes all of it")
		_, err = b.take(t.Context(), "initech", 30)
		require.Equal(t, fault.NotExecuted, fault.CodeOf(err), "the node has 20 left")

		waiting := make(chan error, 1)
		go func() {
			room, err := b.take(context.Background(), "acme", 50)
			if err == nil {
				room.release()
			}
			waiting <- err
		}()
		synctest.Wait()
		first.release()
		require.NoError(t, <-waiting, "the place that came free")
		whole.release()
		require.Empty(t, b.tenants, "nothing is kept of those who are gone")
	})
}

// Who did not say how long a body is has room for the largest only until it was read.
func TestRoomThatIsNotWantedIsGivenBack(t *testing.T) {
	b := newBudget(100)
	largest, err := b.take(t.Context(), "acme", 50)
	require.NoError(t, err)
	largest.keep(10)
	largest.keep(20)
	other, err := b.take(t.Context(), "acme", 40)
	require.NoError(t, err)
	other.release()
	largest.release()
	require.Empty(t, b.tenants)
	require.True(t, b.node.TryAcquire(100))
}

func TestStrangersHaveALaneOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIntake()
		var leave []func()
		for range strangers {
			release, err := i.stranger(t.Context())
			require.NoError(t, err)
			leave = append(leave, release)
		}
		_, err := i.stranger(t.Context())
		require.Equal(t, fault.RateLimit, fault.CodeOf(err))
		raw, err := i.raw.take(t.Context(), "acme", rawBytes/2)
		require.NoError(t, err, "those who are known do not wait for strangers")
		raw.release()
		for _, release := range leave {
			release()
		}
		_, err = i.stranger(t.Context())
		require.NoError(t, err)
	})
}

func TestAddressesOfStrangersAreBounded(t *testing.T) {
	m := newMeters(nil, nil, func() time.Time { return time.Time{} })
	require.Equal(t, m.strangerAt("[2001:db8::1]:1"), m.strangerAt("[2001:db8::2]:2"), "one host has all of a /64")
	require.NotEqual(t, m.strangerAt("192.0.2.1:1"), m.strangerAt("192.0.2.2:1"))
	require.Equal(t, m.strangerAt("192.0.2.1:1"), m.strangerAt("[::ffff:192.0.2.1]:1"))
	require.Equal(t, "others", m.strangerAt("no address"))
	for i := range maxStrangers {
		m.buckets[meterKey{Strangers, string(rune(i))}] = &bucket{}
	}
	require.Equal(t, "others", m.strangerAt("192.0.2.3:1"), "the table is full")
}
