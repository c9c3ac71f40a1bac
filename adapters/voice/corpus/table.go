package corpus

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Tuned are the seeds by whose calls numbers were chosen (and 11 to 16); on HeldOut, and from 100 on,
// nothing was.
var (
	Tuned   = []uint64{1, 2}
	HeldOut = []uint64{3, 4}
)

// LatestBeep is how long after its onset a beep is told at the latest.
const LatestBeep = 200 * time.Millisecond

// Result is what was made of all calls of some seeds.
type Result []Judged

// Plan is the detection of a request that names nothing.
func Plan() calls.DetectionPlan {
	return *calls.Requested{MachineDetection: calls.DetectionDetect, Timers: calls.DefaultTimers(),
		ThresholdWordCount: calls.DefaultThresholdWordCount}.Plan()
}

// Run makes and judges all calls of the seeds.
func Run(ctx context.Context, seeds ...uint64) (Result, error) {
	plan := Plan()
	var out Result
	for _, seed := range seeds {
		made, err := Make(ctx, seed)
		if err != nil {
			return nil, fmt.Errorf("making the calls of seed %d: %w", seed, err)
		}
		judged := make(Result, len(made))
		var all sync.WaitGroup
		for part := range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for i := part; i < len(made); i += runtime.GOMAXPROCS(0) {
					judged[i] = made[i].Judge(plan)
				}
			})
		}
		all.Wait()
		out = append(out, judged...)
	}
	return out, nil
}

// Of are the calls for which is says yes.
func (r Result) Of(is func(Judged) bool) (out Result) {
	for _, j := range r {
		if is(j) {
			out = append(out, j)
		}
	}
	return out
}

// People and Machines are the calls that they answer.
func (r Result) People() Result   { return r.Of(func(j Judged) bool { return !j.Call.Machine }) }
func (r Result) Machines() Result { return r.Of(func(j Judged) bool { return j.Call.Machine }) }

// Right are the calls whose verdict is the truth.
func (r Result) Right() Result { return r.Of(Judged.Right) }

// Lost are people who were taken for machines.
func (r Result) Lost() Result {
	return r.People().Of(func(j Judged) bool { return j.Verdict == calls.AmdMachineDetected || j.HungUpAt > 0 })
}

// Unheard are detected machines whose beep was not told in time.
func (r Result) Unheard() Result {
	return r.Machines().Right().Of(func(j Judged) bool {
		d, told := j.BeepDelay()
		return !told || d > LatestBeep
	})
}

// FalseTones are calls in which something was told as a tone that was none.
func (r Result) FalseTones() Result {
	return r.Of(func(j Judged) bool {
		_, beep := j.BeepDelay()
		return len(j.Tones) > 0 && !beep
	})
}

// FalseKeys are calls in which keys were heard: nobody presses any.
func (r Result) FalseKeys() Result { return r.Of(func(j Judged) bool { return j.Keys != "" }) }

// Table writes what was made of the calls of tuned and of held-out seeds.
func Table(w io.Writer, tuned, heldOut Result) error {
	var b strings.Builder
	for _, part := range []struct {
		name string
		of   Result
	}{{"Seeds that were tuned on", tuned}, {"Seeds that were held out", heldOut}} {
		fmt.Fprintf(&b, "## %s\n\n", part.name)
		b.WriteString("| sound | people right | machines right | verdict on a person after the last word: p50, p95, latest " +
			"| on a machine after the first: p50, p95, latest | beeps told in time | latest | false tones |\n")
		b.WriteString("|---|---|---|---|---|---|---|---|\n")
		for _, c := range Conditions() {
			row(&b, string(c), part.of.Of(func(j Judged) bool { return j.Call.Condition == c }))
		}
		row(&b, "all", part.of)
		fmt.Fprintf(&b, "\n%d of %d calls right: %.1f %%. People taken for machines: %d.\n\n", len(part.of.Right()), len(part.of),
			100*float64(len(part.of.Right()))/float64(max(len(part.of), 1)), len(part.of.Lost()))
	}
	b.WriteString("## What was not right\n\n")
	misses(&b, append(slices.Clone(tuned), heldOut...))
	_, err := io.WriteString(w, b.String())
	return err
}

func row(b *strings.Builder, name string, r Result) {
	people, machines := r.People(), r.Machines()
	after := func(of Result, from func(Call) time.Duration) string {
		var all []time.Duration
		for _, j := range of.Right() {
			all = append(all, j.VerdictAt-from(j.Call))
		}
		return quantiles(all)
	}
	latest := time.Duration(0)
	for _, j := range machines.Right() {
		if d, told := j.BeepDelay(); told {
			latest = max(latest, d)
		}
	}
	detected := len(machines.Right())
	fmt.Fprintf(b, "| %s | %d of %d | %d of %d | %s | %s | %d of %d | %d ms | %d |\n", name, len(people.Right()), len(people),
		detected, len(machines), after(people, func(c Call) time.Duration { return c.End }),
		after(machines, func(c Call) time.Duration { return c.Begin }), detected-len(r.Unheard()), detected, latest.Milliseconds(),
		len(r.FalseTones()))
}

func quantiles(d []time.Duration) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	at := func(q float64) string { return fmt.Sprintf("%.2f s", d[int(q*float64(len(d)-1))].Seconds()) }
	return at(.5) + ", " + at(.95) + ", " + at(1)
}

// misses lists the greetings that were misjudged, with how often.
func misses(b *strings.Builder, r Result) {
	type miss struct {
		text    string
		verdict calls.Result
	}
	count, hungUp := map[miss]int{}, map[miss]int{}
	var order []miss
	for _, j := range r {
		if m := (miss{j.Call.Text, j.Verdict}); !j.Right() {
			if count[m]++; count[m] == 1 {
				order = append(order, m)
			}
			if j.HungUpAt > 0 {
				hungUp[m]++
			}
		}
	}
	if len(order) == 0 {
		b.WriteString("Nothing.\n")
		return
	}
	b.WriteString("| greeting | taken for | how often | with `disconnect` the beep ended the call |\n|---|---|---|---|\n")
	for _, m := range order {
		fmt.Fprintf(b, "| %s | `%s` | %d | %d |\n", m.text, m.verdict, count[m], hungUp[m])
	}
}
