package traces

import (
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
)

// rules are what a session is looked through for.
var rules = []func(s story, f *findings){failures, loops, notices, retries, silences, calls, delays}

// repeats is how often something happens before it is conspicuous that it does.
const repeats = 3

// failures are turns that did not come to their end, and several of them one after the other.
func failures(s story, f *findings) {
	inRow, first, at := 0, happened{}, 0
	for i, h := range s.happened {
		ended, ok := h.was.(sessions.TurnEnded)
		switch {
		case !ok:
			continue
		case ended.Failed == "":
			inRow = 0
			continue
		}
		f.add(i, h, "turn_failed", severe, "a turn did not come to its end: "+ended.Failed)
		if inRow++; inRow == 1 {
			first, at = h, i
		}
		if inRow == 2 {
			f.add(at, first, "repeated_failure", severe, "turns failed one after the other")
		}
	}
}

// loops are steps that one turn comes to again and again, and turns that were stopped because
// they would not end.
func loops(s story, f *findings) {
	type visit struct { // delegates that work at once come to the same steps, each once
		turn                  int
		delegate, agent, step string
	}
	visits := map[visit]int{}
	for i, h := range s.happened {
		switch e := h.was.(type) {
		case sessions.StepEntered:
			at := visit{e.Turn, e.Delegate, e.Agent, e.Step}
			if visits[at]++; visits[at] == repeats {
				f.add(i, h, "loop", warning, fmt.Sprintf("one turn came to the step %s of %s %d times or more", e.Step, e.Agent, repeats))
			}
		case sessions.Noticed:
			if e.Kind == "limit" && (e.What == "STEP_LIMIT" || e.What == "TRANSFER_LIMIT") {
				f.add(i, h, "loop", severe, "a turn was stopped: "+e.Detail)
			}
		}
	}
}

// noticed are the kinds of notices that are findings by themselves.
var noticed = map[string]struct{ severity, text string }{
	"condition_error": {severe, "a condition or a value could not be computed"},
	"limit":           {warning, "a limit was reached"},
	"history_trimmed": {notable, "a model does not see all of the conversation any more"},
	"guardrail":       {notable, "a guardrail had something against a text"},
	"constraint":      {notable, "a constraint did not hold"},
}

func notices(s story, f *findings) {
	for i, h := range s.happened {
		e, ok := h.was.(sessions.Noticed)
		if !ok {
			continue
		}
		if e.Kind == sessions.Budget {
			spent(i, h, e, f)
			continue
		}
		if kind, known := noticed[e.Kind]; known {
			text := kind.text
			for _, more := range []string{e.What, e.Detail} {
				if more != "" && e.Kind != sessions.HistoryTrimmed { // its detail has a number, and is another each time
					text += ": " + more
				}
			}
			f.add(i, h, e.Kind, kind.severity, text)
		}
	}
}

// spent is a budget of which most is spent, or all, so that no model is asked any more.
func spent(at int, h happened, e sessions.Noticed, f *findings) {
	if e.What == sessions.SessionBudget || e.What == sessions.AgentBudget {
		f.add(at, h, sessions.Budget, warning, "most of a budget is spent: "+e.What+": "+e.Detail)
		return
	}
	f.add(at, h, sessions.Budget, severe, "a budget is spent: "+e.Detail)
}

// retries are values that could not be read, again and again, with nothing learned in between.
func retries(s story, f *findings) {
	tries := map[string]int{}
	for i, h := range s.happened {
		switch e := h.was.(type) {
		case sessions.SlotsFilled, sessions.WasReset:
			clear(tries)
		case sessions.Noticed:
			if e.Kind != "retry" {
				continue
			}
			slot := e.Agent + "/" + e.What
			if tries[slot]++; tries[slot] == repeats {
				f.add(i, h, "repeated_retry", warning, fmt.Sprintf("%d values for %s could not be read", repeats, e.What))
			}
		}
	}
}

// silences are messages that nobody said anything to, in turns that have ended.
func silences(s story, f *findings) {
	said, heard := false, false
	for i, h := range s.happened {
		switch e := h.was.(type) {
		case sessions.MessageReceived:
			said, heard = false, true
		case sessions.PickedUp, sessions.GivenBack: // no message has begun it
			heard = false
		case sessions.Said:
			said = true
		case sessions.TurnEnded:
			if heard && !said && e.Action == sessions.Continue {
				f.add(i, h, "unanswered", warning, "nothing was said to a message")
			}
		}
	}
}

// calls are those that failed again and again with nothing that went well in between, and writes
// of which nobody knows whether they were done.
func calls(s story, f *findings) {
	inRow := map[string]int{}
	fails := func(i int, h happened, what string, failed bool) {
		if !failed {
			delete(inRow, what)
			return
		}
		if inRow[what]++; inRow[what] == repeats {
			f.add(i, h, "repeated_failure", severe, fmt.Sprintf("%s failed %d times or more, one after the other", what, repeats))
		}
	}
	for i, h := range s.happened {
		switch e := h.was.(type) {
		case sessions.CallEnded:
			if e.Outcome == sessions.CallUnknown {
				f.add(i, h, "unknown_outcome", severe, "nobody knows whether the tool "+e.Tool+" did what it was asked")
			}
			fails(i, h, "the tool "+e.Tool, e.Outcome != sessions.CallOK && e.Outcome != sessions.CallCancelled)
		case sessions.DelegateEnded:
			if e.Outcome == sessions.DelegateFailed {
				f.add(i, h, "delegate_failed", warning, "what "+e.From+" had "+e.To+" do failed: "+e.Code)
			}
		case sessions.ModelAnswered:
			fails(i, h, "the model of "+e.Agent, e.Failed != "" && e.Failed != sessions.CodeCancelled)
		}
	}
}

// slow is how long a step may have been under way in a turn before it is conspicuous: whoever talks waits for it.
const slow = 10 * time.Second

// delays are steps in which a turn stood for long, as those show that are told in them. What waits for an answer from outside
// is no delay.
func delays(s story, f *findings) {
	outside, first, at := map[*span]bool{}, map[*span]happened{}, map[*span]int{}
	for i, h := range s.happened {
		step := s.stepOf(h.span)
		if step == nil {
			continue
		}
		if _, seen := first[step]; !seen {
			at[step], h.span = i, step
			first[step] = h
		}
		if _, sent := h.was.(sessions.CallSent); sent {
			outside[step] = true
		}
	}
	for _, x := range s.spans {
		if took := x.ended.Sub(x.begun); x.kind == ofStep && took >= slow && !outside[x] {
			f.add(at[x], first[x], "slow_step", notable, fmt.Sprintf("a turn stood in the step %s of %s for %d seconds or more", x.name,
				first[x].agent, slow/time.Second))
		}
	}
}
