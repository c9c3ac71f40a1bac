package matrix

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/chaos/checks"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
)

func (r *Run) fold(ctx context.Context) (*checks.Fold, error) {
	v, err := vault.Open(r.cluster.Keyset())
	if err != nil {
		return nil, err
	}
	return checks.ReadLog(ctx, r.cluster.Brokers.Addresses(), v)
}

// settle waits until turns have ended, and gives the log.
func (r *Run) settle(ctx context.Context, all []*turn) (*checks.Fold, error) {
	within := cmp.Or(r.Within, 2*time.Minute)
	before := 0
	for deadline := time.Now().Add(within); ; {
		fold, err := r.fold(ctx)
		if err != nil {
			return nil, err
		}
		var left []string
		for _, t := range all {
			if why := r.unfinished(fold, t); why != "" {
				left = append(left, t.name+" ("+why+")")
			}
		}
		if len(left) == 0 {
			r.say("%d turns have ended", len(all))
			return fold, nil
		}
		if time.Now().After(deadline) {
			for _, name := range left {
				r.Add("ends", "%s has not ended within %s", name, within)
			}
			return fold, nil
		}
		if len(left) != before {
			r.say("%d of %d have not ended: %s", len(left), len(all), strings.Join(left, ", "))
		}
		before = len(left)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// unfinished is what a turn still lacks; empty: nothing.
func (r *Run) unfinished(f *checks.Fold, t *turn) string {
	select {
	case <-t.done:
	default:
		return "its caller has no answer"
	}
	if t.Channel != "" {
		return r.unfinishedThread(f, t)
	}
	if t.call != "" {
		c, _ := checks.At(f, calls.Calls, t.call)
		if !c.Ended() {
			return "the call goes on"
		}
		if s, _ := checks.At(f, sessions.Sessions, c.SessionID); s.Status == sessions.Active {
			return "the session of the call goes on"
		}
		return ""
	}
	s, past := checks.At(f, sessions.Sessions, t.session)
	switch {
	case s.Talk.Turns <= len(t.Before):
		return "it has not begun"
	case s.Talk.Running != nil:
		return "it runs"
	case t.Taken && !slices.ContainsFunc(past, is[sessions.TakenByPeople]):
		return "nobody has taken the session"
	}
	return ""
}

func is[E event.Payload](p event.Payload) bool { _, ok := p.(E); return ok }

// said are the texts of the turn that counts, as its stream has them.
func said(f *checks.Fold, t *turn) string {
	var out []string
	_, past := checks.At(f, sessions.Sessions, t.session)
	for _, p := range past {
		if e, ok := p.(sessions.Said); ok && e.Turn == len(t.Before)+1 {
			out = append(out, e.Text)
		}
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), t.name, "{case}")
}

// judge holds what became of the turns against what they are without a kill.
func (r *Run) judge(f *checks.Fold) {
	checks.Turns(f, &r.Findings)
	for _, t := range r.turns {
		if t.call != "" {
			r.judgeCall(f, t)
			continue
		}
		if t.Channel != "" {
			r.judgeThread(f, t)
		} else {
			r.judgeAnswer(f, t)
			r.judgeTools(t)
		}
		if t.Taken {
			r.judgePeople(f, t)
		}
		if calm := r.calm[t.Name]; t.later != calm.later {
			r.Add("answer", "%s: afterwards it said %q, and %q without a kill", t.name, t.later, calm.later)
		}
	}
}

// judgeAnswer: the answer is that of the calm turn, or what is said where nobody knows.
func (r *Run) judgeAnswer(f *checks.Fold, t *turn) {
	calm, got := r.calm[t.Name], said(f, t)
	want := strings.ReplaceAll(calm.replied, calm.name, "{case}")
	may := []string{want}
	if t.Pauses { // then the first answer is what was said before it paused
		may = []string{t.Whole}
	}
	if len(t.Else) > 0 && t.unsure() {
		may = append(may, strings.Join(t.Else, "\n"))
	}
	if !slices.Contains(may, got) {
		r.Add("answer", "%s said %q; without a kill it is %q", t.name, got, may)
	}
	told := strings.ReplaceAll(t.replied, t.name, "{case}")
	if t.status != 200 || told != got && !(t.Pauses && strings.HasPrefix(got, told)) {
		r.Add("answer", "%s was answered with %d %q (%s), and said %q", t.name, t.status, told, t.action, got)
	}
}

// unsure is whether the node died where nobody can know whether the tool was asked: behind the
// commit that opens its call, and before the one that says what came of it.
func (t *turn) unsure() bool {
	if t.Waits {
		return true
	}
	if t.place.When == asked {
		return true
	}
	so := t.before()
	return slices.IndexFunc(so, func(s string) bool { return strings.Contains(s, "call-opened") }) == len(so)-1
}

// before is what counted when the node died. A commit that came too late is a step of its own, behind
// which the same is decided again: it says nothing of what was done.
func (t *turn) before() (out []string) {
	for i, step := range t.steps {
		if n := i + 1; t.counted[n] && (n < t.place.Nth || n == t.place.Nth && t.place.When == after) {
			out = append(out, step)
		}
	}
	return out
}

// judgeTools: reads may be made again, writes with the same key, and others never.
func (r *Run) judgeTools(t *turn) {
	times, keys := map[string]int{}, map[string][]string{}
	for _, q := range r.tools.log(t.name) {
		times[q.Path]++
		if q.Key != "" && !slices.Contains(keys[q.Path], q.Key) {
			keys[q.Path] = append(keys[q.Path], q.Key)
		}
	}
	for path, n := range times {
		switch path {
		case "/write", "/charge":
			if n > 1 {
				r.Add("repeated", "%s: %s was asked %d times", t.name, path, n)
			}
		case "/book", "/later":
			if len(keys[path]) != 1 {
				r.Add("key", "%s: %s was asked %d times under the keys %q", t.name, path, n, keys[path])
			}
		}
	}
	for path, n := range r.timesCalm(t) {
		if times[path] < n && !t.unsure() || times[path] > n+most {
			r.Add("asked", "%s: %s was asked %d times, and %d without a kill", t.name, path, times[path], n)
		}
	}
}

// most is how many requests one kill may add: those that were under way.
const most = 2

func (r *Run) timesCalm(t *turn) map[string]int {
	times := map[string]int{}
	for _, q := range r.tools.log(r.calm[t.Name].name) {
		times[q.Path]++
	}
	return times
}

// judgePeople: one transfer was made, and one person has the session.
func (r *Run) judgePeople(f *checks.Fold, t *turn) {
	_, past := checks.At(f, sessions.Sessions, t.session)
	escalated, taken := 0, 0
	for _, p := range past {
		if is[sessions.Escalated](p) {
			escalated++
		}
		if e, ok := p.(sessions.TakenByPeople); ok && e.HumanAgentID != "" {
			taken++
		}
	}
	made, steps := checks.At(f, transfers.Transfers, sessions.TransferID(t.session, 1))
	assigned := 0
	for _, p := range steps {
		if is[transfers.Assigned](p) {
			assigned++
		}
	}
	if escalated != 1 || taken != 1 || assigned != 1 {
		r.Add("people", "%s was escalated %d times, its transfer assigned %d times (%+v), and the session taken %d times", t.name, escalated,
			assigned, made, taken)
	}
}

// judgeCall: the call and its session end once, and nobody hears anything twice.
func (r *Run) judgeCall(f *checks.Fold, t *turn) {
	c, past := checks.At(f, calls.Calls, t.call)
	ended, spoken := 0, map[string]int{}
	for _, p := range past {
		switch e := p.(type) {
		case calls.Completed, calls.Failed:
			ended++
		case calls.Said:
			if e.Message > 0 {
				spoken[fmt.Sprint("said ", e.Message)]++
			}
		case calls.Heard:
			spoken[fmt.Sprint("heard ", e.Number)]++
		}
	}
	for what, n := range spoken {
		if n > 1 {
			r.Add("call", "%s: %s is on the log %d times", t.name, what, n)
		}
	}
	if ended != 1 {
		r.Add("call", "%s ended %d times", t.name, ended)
	}
	if s, _ := checks.At(f, sessions.Sessions, c.SessionID); c.SessionID != "" && s.Status != sessions.Ended {
		r.Add("call", "%s has ended, and its session is %q", t.name, s.Status)
	}
}
