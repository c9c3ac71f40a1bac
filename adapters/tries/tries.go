// Package tries has the rules by which the call of an agent's tool is made again, whatever it is
// made with: only what failed for now, may be repeated, and has time left.
package tries

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/sessions"
)

// Rules are those of one call.
type Rules struct {
	Timeout    time.Duration // of the whole call: tries, and pauses between them
	Repeatable bool          // it reads, or whoever is asked knows its key
	Retry      int           // how often it is tried again
	Backoff    time.Duration // the most before the first repeat; doubles
}

// Try is what came of one try.
type Try struct {
	Code     string // empty: it succeeded
	Problem  string // what there is to say beside the code
	Result   json.RawMessage
	Status   int           // of HTTP; 0: there was no answer
	Passing  bool          // it is worth another try
	Doubtful bool          // the other side may have done what was asked
	Done     bool          // it says that it has: only its answer is of no use
	After    time.Duration // a pause that the other side asks for
}

// Ended is what came of a call. It holds nothing of what was sent.
type Ended struct {
	Outcome  sessions.CallOutcome // unknown: only of a write that may not be repeated, and may have been done
	Code     string               // empty: it succeeded
	Problem  string
	Result   json.RawMessage // compact JSON, if it succeeded
	Status   int             // of the last answer; 0: there was none
	Tries    int
	Duration time.Duration
}

// Call tries, and again where the rules allow.
func (r Rules) Call(ctx context.Context, try func(context.Context) Try) Ended {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	out := Ended{}
	for pause := r.Backoff; ; pause *= 2 {
		a := try(ctx)
		out.Tries++
		out.Outcome, out.Code, out.Problem, out.Result, out.Status = sessions.CallOK, a.Code, a.Problem, a.Result, a.Status
		switch {
		case a.Code == "":
		case a.Doubtful && !r.Repeatable:
			out.Outcome, out.Code = sessions.CallUnknown, sessions.CodeUnknown
		case a.Done && !r.Repeatable:
			out.Outcome = sessions.CallUnknown
		default:
			out.Outcome = sessions.CallFailed
		}
		if a.Code == "" || !a.Passing || !r.Repeatable || out.Tries > r.Retry || !wait(ctx, a.pause(pause)) {
			out.Duration = time.Since(began)
			return out
		}
	}
}

// pause is how long to wait for the next try: as the other side says, else at random, so
// that those who failed together do not come again together.
func (t Try) pause(most time.Duration) time.Duration {
	if t.After > 0 {
		return t.After
	}
	return rand.N(max(most, 1))
}

// wait reports whether time is left for another try after a pause; it does not begin a pause
// that would not end in time.
func wait(ctx context.Context, pause time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// mostProblem is how many characters of what the other side says of a failure are kept.
const mostProblem = 500

// Problem is what the other side says of a failure, as it is kept.
func Problem(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
	if utf8.RuneCountInString(text) > mostProblem {
		text = string([]rune(text)[:mostProblem]) + "…"
	}
	return text
}
