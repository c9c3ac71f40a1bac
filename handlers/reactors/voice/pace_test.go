package voice_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// pressedOn are the messages of keys on a call.
func (m *memoryCalls) pressedOn(callID string) (all []string) {
	for _, e := range m.events(callID) {
		if p, is := e.(calls.DigitsPressed); is {
			all = append(all, p.Digits)
		}
	}
	return all
}

// Given keys that come as no person presses them, then they are few messages, ten at once and one each two seconds behind these; and
// whoever presses as quickly as people do, loses none.
func TestKeysWithoutEnd(t *testing.T) {
	for name, c := range map[string]struct {
		keys  string // of which one comes each so often
		every time.Duration
		whole string // what was pressed, of which nothing is missing; empty: some may be
		most  int
	}{
		"a # fifty times a second, for a minute":  {strings.Repeat("#", 3_000), 20 * time.Millisecond, "", 42},
		"keys with a #, fifty times a second":     {strings.Repeat("1#", 1_500), 20 * time.Millisecond, "", 42},
		"a # a thousand times a second":           {strings.Repeat("#", 60_000), time.Millisecond, "", 42},
		"as quickly as a person, with a # always": {strings.Repeat("123#", 150), 100 * time.Millisecond, strings.Repeat("123", 150), 42},
		"a # as quickly as a person":              {strings.Repeat("#", 100), 125 * time.Millisecond, strings.Repeat("#", 100), 20},
		"keys with pauses":                        {strings.Repeat("7", 30), 2500 * time.Millisecond, strings.Repeat("7", 30), 30},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				require.NoError(w, w.dialer.Close(w.Context()))
				w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"deaf": deaf}))
				w.bring("deaf", deaf)
				line := newWire()
				done := w.carry(line)
				for _, key := range c.keys {
					line.facts <- calls.Fact{Kind: calls.FactDigit, At: time.Now(), Digit: string(key)}
					w.pass(c.every)
				}
				w.pass(time.Minute)
				told := w.store.pressedOn(carried)
				require.LessOrEqual(w, len(told), c.most)
				for _, keys := range told {
					require.LessOrEqual(w, len(keys), calls.MostDigits)
				}
				if c.whole != "" {
					all := strings.Join(told, "")
					if strings.Trim(c.whole, "#") != "" {
						all = strings.ReplaceAll(all, "#", "") // between messages that waited for their turn
					} else {
						require.GreaterOrEqual(w, len(all), len(c.whole))
						all = all[:len(c.whole)]
					}
					require.Equal(w, c.whole, all)
				}
				line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
				require.NoError(w, <-done)
			})
		})
	}
}

// Given messages of keys that come too quickly, then those that wait for their turn are one, with a # between them.
func TestKeysThatWaitForTheirTurn(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"deaf": deaf}))
		w.bring("deaf", deaf)
		line := newWire()
		done := w.carry(line)
		press := func(keys string) {
			for _, key := range keys {
				line.facts <- calls.Fact{Kind: calls.FactDigit, At: time.Now(), Digit: string(key)}
			}
			w.pass(0)
		}
		press(strings.Repeat("1#", 10) + "12#" + "#" + "34#5")
		require.Len(w, w.store.pressedOn(carried), 10)
		w.pass(3 * time.Second)
		require.Equal(w, []string{"12###34#5"}, w.store.pressedOn(carried)[10:])
		line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		require.NoError(w, <-done)
	})
}

// Given a peer that holds and comes back, and moves, without end, then a few of these are events, and the last one stands.
func TestAPeerThatFlaps(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line := newWire()
		w.carrier.legs = func() voice.Leg { return line }
		w.place("c1")
		line.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
		w.pass(time.Second)
		for n := range 3_001 {
			moved := dialog
			moved.RTP = fmt.Sprintf("10.0.0.9:%d", 10_000+n)
			line.facts <- calls.Fact{Kind: []calls.FactKind{calls.FactHeld, calls.FactResumed}[n%2], At: time.Now()}
			line.facts <- calls.Fact{Kind: calls.FactEstablished, At: time.Now(), Dialog: &moved}
			w.pass(20 * time.Millisecond)
		}
		w.pass(2 * time.Second)
		told := map[string]int{}
		for _, e := range w.store.events("c1") {
			told[fmt.Sprintf("%T", e)]++
		}
		require.LessOrEqual(w, told["calls.Held"]+told["calls.Resumed"], 41)
		require.LessOrEqual(w, told["calls.LegEstablished"], 41)
		s := w.store.state("c1")
		require.Equal(w, []any{true, "10.0.0.9:13000"}, []any{s.OnHold, s.Dialog.RTP})
		line.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
	})
}

// Given a peer that moves while its node goes, then who goes on knows where it is.
func TestAPeerThatFlapsIsLeftToAnotherNode(t *testing.T) {
	onTwoNodesOf(t, others(1), func(n *twoNodes) {
		for k := range 30 {
			moved := dialog
			moved.RTP = fmt.Sprintf("10.0.0.9:%d", 10_000+k)
			n.first.facts <- calls.Fact{Kind: calls.FactEstablished, At: time.Now(), Dialog: &moved}
		}
		n.pass(0)
		require.NotEqual(n, "10.0.0.9:10029", n.store.state("c1").Dialog.RTP, "it is not its turn")
		require.NoError(n, n.dialer.Close(n.Context()))
		require.Equal(n, "10.0.0.9:10029", n.store.state("c1").Dialog.RTP)
		require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
		n.pass(time.Second)
		n.second.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
	})
}
