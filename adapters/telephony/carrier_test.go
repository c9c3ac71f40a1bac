package telephony_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/domain/calls"
)

// leg dials and gives every fact as "<ms since dialling> <kind> <detail>", until the
// leg ends or patience does.
func leg(t *testing.T, target string, speed int, patience time.Duration) (lines []string) {
	t.Helper()
	dialed := time.Now()
	l, err := telephony.NewSimulated(speed).Dial(t.Context(), calls.LegRequest{Target: target})
	require.NoError(t, err)
	enough := time.AfterFunc(patience, func() { _ = l.HangUp(context.Background()) })
	defer enough.Stop()
	for f := range l.Facts() {
		detail := f.Text + f.Error
		if f.Code != 0 {
			detail = fmt.Sprint(f.Code, " ", f.Phrase)
		}
		if f.Frequency != 0 {
			detail = fmt.Sprint(f.Frequency)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", f.At.Sub(dialed).Milliseconds(), f.Kind, detail)))
	}
	return lines
}

func TestTheCalleesByNumber(t *testing.T) {
	human := []string{"100 trying", "800 ringing", "2800 answered", "3250 words Hello", "3650 words speaking", "4350 silence"}
	machine := []string{"100 trying", "800 ringing", "2800 answered",
		"3300 words Thanks", "3650 words for", "4000 words calling", "4350 words the", "4700 words office", "5050 words is", "5400 words closed",
		"5750 words today", "6100 words our", "6450 words hours", "6800 words are", "7150 words nine", "7500 words to", "7850 words five",
		"8850 silence"}
	with := func(script []string, more ...string) []string { return append(append([]string{}, script...), more...) }

	for target, want := range map[string][]string{
		"tel:+15550000001": with(human, "12800 hung-up"),
		"tel:+15550000002": with(machine, "12800 hung-up"),
		"tel:+15550000003": with(machine, "9450 tone 1000", "12800 hung-up"),
		"tel:+15550000004": {"100 trying", "800 ringing", "2800 answered", "12800 hung-up"},
		"tel:+15550000005": {"100 trying", "900 rejected 486 Busy Here"},
		"tel:+15550000006": {"100 trying", "800 ringing", "2800 rejected 603 Decline"},
		"tel:+15550000007": {"100 trying", "600 rejected 503 Service Unavailable"},
		"tel:+15550000008": {"100 trying", "800 ringing"},
		"tel:+15550000009": with(human, "7800 hung-up"),
		"tel:+15550000010": {human[0], human[1], human[2], "3100 detector-error the callee's sound cannot be decoded", human[3], human[4],
			human[5], "12800 hung-up"},
		"tel:+15550000011":    {"100 trying", "800 ringing", "2800 answered", "602800 hung-up"}, // nobody says anything to it
		"tel:+15550000012":    with(human, "12800 hung-up"),
		"tel:+4930123456":     with(human, "12800 hung-up"),
		"sip:ann@pbx.example": with(human, "12800 hung-up"),
	} {
		t.Run(target, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { require.Equal(t, want, leg(t, target, 1, time.Hour)) })
		})
	}
}

func TestTheSpeedDividesEveryTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, []string{"10 trying", "80 ringing", "280 rejected 603 Decline"}, leg(t, "tel:+15550000006", 10, time.Hour))
	})
}

func TestAfterHangingUpThereAreNoFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, []string{"100 trying", "800 ringing", "2800 answered", "3250 words Hello"}, leg(t, "tel:+15550000001", 1,
			3_300*time.Millisecond))
	})
}

func TestHangingUpTwiceIsNothing(t *testing.T) {
	l, err := telephony.NewSimulated(1_000).Dial(t.Context(), calls.LegRequest{Target: "tel:+15550000008"})
	require.NoError(t, err)
	require.NoError(t, l.HangUp(t.Context()))
	require.NoError(t, l.HangUp(t.Context()))
	for range l.Facts() { // it ends
	}
}

func TestAReaderThatIsLateDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialed := time.Now()
		l, err := telephony.NewSimulated(1).Dial(t.Context(), calls.LegRequest{Target: "tel:+15550000005"})
		require.NoError(t, err)
		time.Sleep(time.Minute) // virtual
		<-l.Facts()
		require.Equal(t, 900*time.Millisecond, (<-l.Facts()).At.Sub(dialed))
	})
}

func TestADialThatComesTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := telephony.NewSimulated(1).Dial(ctx, calls.LegRequest{Target: "tel:+15550000001"})
	require.ErrorIs(t, err, context.Canceled)
}

// The number of words decides what the simulated callees are, so neither may say
// what only a mailbox says.
func TestNoCalleeGivesItselfAwayByAPhrase(t *testing.T) {
	for _, target := range []string{"tel:+15550000001", "tel:+15550000002"} {
		synctest.Test(t, func(t *testing.T) {
			var words []string
			for _, line := range leg(t, target, 1, time.Hour) {
				if _, word, is := strings.Cut(line, " words "); is {
					words = append(words, word)
				}
			}
			said := strings.ToLower(strings.Join(words, " "))
			require.NotEmpty(t, said)
			for _, hint := range calls.MailboxHints("en-US") {
				require.NotContains(t, said, hint)
			}
		})
	}
}

// However late a machine is that has much to do, a fact bears the time that the script has for it.
func TestFactsBearTheTimesOfTheScript(t *testing.T) {
	l, err := telephony.NewSimulated(1_000).Dial(t.Context(), calls.LegRequest{Target: "tel:+15550000002"})
	require.NoError(t, err)
	began := (<-l.Facts()).At.Add(-100 * time.Microsecond)
	var at []time.Duration
	for f := range l.Facts() {
		at = append(at, f.At.Sub(began))
	}
	require.Equal(t, []time.Duration{800 * time.Microsecond, 2_800 * time.Microsecond, 3_300 * time.Microsecond, 3_650 * time.Microsecond},
		at[:4])
	require.Equal(t, 12_800*time.Microsecond, at[len(at)-1])
}

// Given a fact that is due and not told, then whoever lives by the leg's time is not ahead of it.
func TestALegHasComeAsFarAsItHasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialed := time.Now()
		l, err := telephony.NewSimulated(1).Dial(t.Context(), calls.LegRequest{Target: "tel:+15550000005"})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, dialed, l.Until(dialed), "nothing is due")
		require.Equal(t, 100*time.Millisecond-1, l.Until(dialed.Add(time.Hour)).Sub(dialed), "what is due at that moment comes first")
		time.Sleep(500 * time.Millisecond)
		require.Equal(t, 500*time.Millisecond, l.Until(time.Now()).Sub(dialed))
		require.Equal(t, 900*time.Millisecond-1, l.Until(dialed.Add(time.Hour)).Sub(dialed))
		time.Sleep(time.Minute)
		require.Equal(t, time.Hour, l.Until(dialed.Add(time.Hour)).Sub(dialed), "it is over")
	})
}
