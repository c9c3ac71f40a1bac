package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
)

// What receivers do to us, all at once: nobody's troubles are another's.
func TestReceiversInTrouble(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, speed(100))
	release := make(chan struct{})
	slow := newReceiver(t, func(int, notified) int { <-release; return 200 })
	t.Cleanup(func() { close(release) }) // before the receiver closes, which waits for its answers
	sorry := newReceiver(t, func(count int, _ notified) int { return map[bool]int{true: 500, false: 204}[count <= 2] })
	inward := newReceiver(t, func(count int, _ notified) int { return map[bool]int{true: 302, false: 200}[count == 1] })
	gone := newReceiver(t, func(count int, _ notified) int { return map[bool]int{true: 404, false: 200}[count == 1] })
	well := newReceiver(t, nil)
	placedFor := func(r *receiver) string {
		return w.dialOut(t, aCall().and(fields{"notifyurl": r.url, "notifyHeaders": fields{"x-secret": "of-the-dialer"}})).CallID
	}
	started := time.Now()
	slowCall := placedFor(slow)
	until(t, "the slow receiver to be asked", func() bool { return len(slow.all()) == 1 })
	sorryCall, inwardCall, goneCall := placedFor(sorry), placedFor(inward), placedFor(gone)

	t.Run("a slow one delays no other", func(t *testing.T) {
		require.Equal(t, []string{"200 after 1", "200 after 1"}, w.delivered(t, placedFor(well), 2))
		require.Equal(t, []string{"Answered", "completed"}, well.kinds(t))
		asked := len(slow.all())
		if time.Since(started) < 9*time.Second { // then the slow one's first attempt still runs
			require.Equal(t, 1, asked)
		}
		w.ended(t, slowCall)
	})
	t.Run("a redirect to a private address ends a notice", func(t *testing.T) {
		require.Equal(t, []string{"final 302 after 1", "200 after 1"}, w.delivered(t, inwardCall, 2))
		require.Equal(t, []string{"Answered", "completed"}, inward.kinds(t))
	})
	t.Run("404 ends a notice", func(t *testing.T) {
		require.Equal(t, []string{"final 404 after 1", "200 after 1"}, w.delivered(t, goneCall, 2))
		require.Equal(t, []string{"Answered", "completed"}, gone.kinds(t))
	})
	t.Run("500 is asked again, and the next notice waits", func(t *testing.T) {
		require.Equal(t, []string{"204 after 3", "204 after 1"}, w.delivered(t, sorryCall, 2))
		require.Equal(t, []string{"Answered", "Answered", "Answered", "completed"}, sorry.kinds(t))
		got := sorry.all()
		for i, n := range got[:3] {
			require.Equal(t, got[0].header.Get("X-Delivery-Id"), n.header.Get("X-Delivery-Id"))
			require.Equal(t, string(got[0].body), string(n.body))
			require.Equal(t, string(rune('1'+i)), n.header.Get("X-Delivery-Attempt"))
			checkSignature(t, n)
		}
		require.NotEqual(t, got[0].header.Get("X-Delivery-Id"), got[3].header.Get("X-Delivery-Id"))
	})
	t.Run("a receiver that is not there is asked again", func(t *testing.T) {
		p := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000005", "notifyurl": "http://127.0.0.1:1/"}))
		stream := deliveries.Deliveries.Stream(calls.Calls.Stream(p.CallID))
		until(t, "the first attempt to be recorded", func() bool {
			for _, r := range w.events(t, stream) {
				if strings.HasSuffix(r.Type, ".attempt-failed.v1") {
					return true
				}
			}
			return false
		})
	})
	t.Run("no event shows a header", func(t *testing.T) {
		for _, callID := range []string{sorryCall, goneCall} {
			for _, stream := range []string{calls.Calls.Stream(callID), deliveries.Deliveries.Stream(calls.Calls.Stream(callID))} {
				for _, r := range w.events(t, stream) {
					require.NotContains(t, string(r.Data), "of-the-dialer")
				}
			}
		}
		require.Equal(t, "of-the-dialer", well.all()[0].header.Get("X-Secret"))
	})
}
