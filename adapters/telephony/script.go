package telephony

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// step is one fact and when it happens, since dialling.
type step struct {
	after time.Duration
	fact  calls.Fact
}

// None of the times is a round one that a caller would choose for timeoutInMs, so
// that no script races with it.
const (
	tryingAfter = 100 * time.Millisecond
	ringAfter   = 800 * time.Millisecond
	answerAfter = 2_800 * time.Millisecond
	hangUpAfter = 10 * time.Second // since answer
	language    = "en-US"          // of a call that asks for none
)

const (
	humanSays   = "Hello speaking"
	machineSays = "Thanks for calling the office is closed today our hours are nine to five"
)

// numbers of the callees that are not plain humans, by the last four digits.
const numberPrefix = "tel:+1555000"

func scriptOf(target string) []step {
	number, simulated := strings.CutPrefix(target, numberPrefix)
	if !simulated {
		return human()
	}
	switch number {
	case "0002":
		return machine()
	case "0003":
		return machine(answered(6_650*time.Millisecond, calls.Fact{Kind: calls.FactTone, Frequency: 1000, Variance: 2}))
	case "0004":
		return conversation(hangUpAfter)
	case "0005":
		return rejected(900*time.Millisecond, 486, "Busy Here")
	case "0006":
		return append([]step{trying(), ringing()}, rejected(answerAfter, 603, "Decline")[1:]...)
	case "0007":
		return rejected(600*time.Millisecond, 503, "Service Unavailable")
	case "0008":
		return []step{trying(), ringing()}
	case "0009":
		return conversation(5*time.Second, humanWords()...)
	case "0011":
		return []step{trying(), ringing(), answered(0, calls.Fact{Kind: calls.FactAnswered})}
	case "0010":
		failure := answered(300*time.Millisecond, calls.Fact{Kind: calls.FactDetectorError, Error: "the callee's sound cannot be decoded"})
		return conversation(hangUpAfter, append([]step{failure}, humanWords()...)...)
	}
	return human()
}

func human() []step { return conversation(hangUpAfter, humanWords()...) }

func humanWords() []step {
	return utterance(humanSays, 450*time.Millisecond, 400*time.Millisecond, 700*time.Millisecond)
}

// machine speaks its greeting; more follows it before the machine hangs up.
func machine(more ...step) []step {
	words := utterance(machineSays, 500*time.Millisecond, 350*time.Millisecond, time.Second)
	return conversation(hangUpAfter, append(words, more...)...)
}

// conversation is an answered call with what the callee does until it hangs up.
func conversation(end time.Duration, does ...step) []step {
	script := []step{trying(), ringing(), answered(0, calls.Fact{Kind: calls.FactAnswered})}
	return append(append(script, does...), answered(end, calls.Fact{Kind: calls.FactHungUp}))
}

// utterance is one words fact per word, and the silence that ends them. Times are
// since answer; pause is from the last word to the silence.
func utterance(text string, start, gap, pause time.Duration) []step {
	var out []step
	at := start
	for i, word := range strings.Fields(text) {
		at = start + time.Duration(i)*gap
		out = append(out, answered(at, calls.Fact{Kind: calls.FactWords, Text: word}))
	}
	return append(out, answered(at+pause, calls.Fact{Kind: calls.FactSilence}))
}

// answered is a fact some time after answer.
func answered(after time.Duration, f calls.Fact) step { return step{answerAfter + after, f} }

func trying() step  { return step{tryingAfter, calls.Fact{Kind: calls.FactTrying}} }
func ringing() step { return step{ringAfter, calls.Fact{Kind: calls.FactRinging}} }

func rejected(after time.Duration, code int, phrase string) []step {
	return []step{trying(), {after, calls.Fact{Kind: calls.FactRejected, Code: code, Phrase: phrase}}}
}
