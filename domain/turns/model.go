package turns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Why a turn failed that a model leads.
const (
	modelLimit  = "MODEL_LIMIT"
	modelFailed = "MODEL_FAILED"
	modelEmpty  = "MODEL_EMPTY" // twice it said nothing and wanted nothing
)

// nobodyAsks is why a turn cannot go on that wants a model where no try makes its calls.
const nobodyAsks = "nobody asks a model here"

// WantsModel is whether a notice says that a turn came to a model, and that nobody asks one.
func WantsModel(e sessions.Noticed) bool { return e.What == modelFailed && e.Detail == nobodyAsks }

// modelFor is how long a model may take where MODEL says no TIMEOUT.
const modelFor = time.Minute

// mostWishes is how many calls one answer may want.
const mostWishes = 16

// consult asks the model that leads how to go on. The agent without a flow has no step.
func (m *machine) consult(step *dsl.Step, again sessions.ModelAsked) outcome {
	p, r := m.program(), m.s.Talk.Running
	if why, detail := m.spent(); why != "" {
		return m.breaks(why, detail)
	}
	switch {
	case r.Models >= p.Limits.ModelCalls:
		return m.fail(modelLimit, fmt.Sprintf("more than %d calls of a model in one turn", p.Limits.ModelCalls))
	case m.Try.Try == "":
		return m.fail(modelFailed, nobodyAsks)
	}
	if n := m.s.Talk.Trimmed; n > 0 {
		m.notice(sessions.HistoryTrimmed, "HISTORY", fmt.Sprintf("the model sees %d of the oldest texts no longer", n))
	}
	m.At = event.Stamp(m.At) // as the log has it, so that the same is asked again
	e := again
	e.InTurn, e.CallID, e.Agent, e.Step = m.in(), m.nextCall(), p.Agent, stepName(step)
	e.Tier, e.ModelID, e.Claimed = p.Model.Tier, p.Model.ID, m.Try
	if e.Fallback {
		e.Tier, e.ModelID = p.Model.FallbackTier, ""
	}
	e.Prompt = sumOf(m.request(step, e))
	m.asks = true
	m.emit(e)
	return stopped
}

func stepName(step *dsl.Step) string {
	if step == nil {
		return ""
	}
	return step.Name
}

// led is a step of MODE model behind its SAY, or when the user says more in it.
func (m *machine) led(step *dsl.Step) outcome {
	if m.exits(step) {
		return m.behind(step)
	}
	return m.consult(step, sessions.ModelAsked{})
}

// exits is whether a model has led a step to its end: EXIT_WHEN holds or, without one, the slots
// of GATHER are there.
func (m *machine) exits(step *dsl.Step) bool {
	switch {
	case step == nil:
		return false
	case step.ExitWhen != nil:
		return m.holds(step.ExitWhen)
	case len(step.Gather) == 0:
		return false
	}
	return !slices.ContainsFunc(step.Gather, func(slot string) bool { return !m.has(slot) })
}

// hears goes on with what a model answered.
func (m *machine) hears(of sessions.ModelAsked, e sessions.ModelAnswered) {
	e.InTurn, e.CallID, e.ProjectID, e.Agent, e.Step, e.Purpose = m.in(), of.CallID, m.s.ProjectID, of.Agent, of.Step, of.Purpose
	e.ToolCalls = m.wishes(e.ToolCalls)
	m.emit(e)
	m.warnsOfCost()
	p := m.Programs[of.Agent]
	switch {
	case m.takesTooLong():
		m.timesOut()
		return
	case p == nil || of.Step != "" && p.Flow.Step(of.Step) == nil:
		m.fail("UNKNOWN_STEP", of.Step)
		return
	case of.Purpose == sessions.Extracts:
		m.learns(of, e)
		return
	}
	m.goesOn(of.Agent, m.heeds(p.Flow.Step(of.Step), of, e))
}

// goesOn follows the way that an outcome led to, until the turn waits or ends.
func (m *machine) goesOn(agent string, out outcome) {
	m.follow(agent, out)
	if !m.finish(agent) {
		m.lead()
	}
}

// heeds does what an answer says.
func (m *machine) heeds(step *dsl.Step, of sessions.ModelAsked, e sessions.ModelAnswered) outcome {
	nothing := strings.TrimSpace(e.Text) == "" && len(e.ToolCalls) == 0
	switch {
	case e.Failed == budgetExceeded:
		return m.breaks(e.Failed, monthSpent)
	case e.Failed != "":
		return m.unanswered(step, of, e.Failed)
	case nothing && of.Empty:
		return m.withoutModel(step, modelEmpty, "the model said nothing")
	case nothing:
		return m.consult(step, sessions.ModelAsked{Fallback: of.Fallback, Retry: of.Retry, Empty: true})
	}
	if out := m.say(e.Text, nil); out != proceed {
		return out
	}
	if len(e.ToolCalls) > 0 {
		return m.carryOut(step)
	}
	return m.spoken(step)
}

// unanswered is what follows when a model failed: another tier once, then ON_ERROR.
func (m *machine) unanswered(step *dsl.Step, of sessions.ModelAsked, code string) outcome {
	again := sessions.ModelAsked{Fallback: of.Fallback, Retry: of.Retry, Empty: of.Empty}
	switch {
	case !of.Fallback && m.program().Model.FallbackTier != "":
		again.Fallback = true
	case step != nil && step.OnError != nil && of.Retry < step.OnError.Retry:
		again.Retry++
	default:
		return m.withoutModel(step, modelFailed, code)
	}
	return m.consult(step, again)
}

// withoutModel is how a step goes on, or a turn fails, when the model is of no help.
func (m *machine) withoutModel(step *dsl.Step, why, detail string) outcome {
	if step == nil || step.Otherwise() == nil {
		return m.fail(why, detail)
	}
	m.notice("limit", why, detail)
	return m.otherwise(step)
}

// spoken is what follows when the model has said what it wants to say: the user is heard again,
// for as long as the step may take.
func (m *machine) spoken(step *dsl.Step) outcome {
	switch {
	case step == nil:
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
		return stopped
	case m.exits(step):
		return m.behind(step)
	case m.s.Talk.Led < step.MaxTurns && !m.delegated(): // nobody answers a delegate
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForModel}
		return stopped
	}
	m.notice("limit", "MAX_TURNS", step.Name)
	if step.OnExhausted != nil {
		return m.settle(m.then(step.OnExhausted), step)
	}
	return m.behind(step)
}

// wishes are the calls that a model wants, as the log takes them: each with an id of its own, and
// its arguments in one spelling. What it says again in the same answer, by the same id, it wants once:
// a write would be made twice.
func (m *machine) wishes(all []sessions.ModelCall) []sessions.ModelCall {
	if len(all) > mostWishes {
		m.notice("limit", "MODEL_TOOL_CALLS", fmt.Sprintf("of %d calls that the model wanted, the first %d are made", len(all), mostWishes))
		all = all[:mostWishes]
	}
	var out []sessions.ModelCall
	said := map[sessions.ModelCall]bool{}
	for i, c := range all {
		if len(c.Arguments) > largestArguments {
			c.Arguments = ""
		}
		if args, ok := objectIn(c.Arguments); ok {
			c.Arguments = string(encoded(args))
		}
		if c.ID != "" && said[c] {
			continue
		}
		said[c] = true
		taken := func(x sessions.ModelCall) bool { return x.ID == c.ID }
		if c.ID == "" || m.s.Talk.Wish(c.ID) != nil || slices.ContainsFunc(out, taken) {
			c.ID = fmt.Sprintf("call_%d_%d", m.s.Talk.Calls, i)
		}
		out = append(out, c)
	}
	return out
}

// objectIn are the arguments of a wish, as expressions take them.
func objectIn(text string) (map[string]any, bool) {
	if strings.TrimSpace(text) == "" {
		text = "{}" // so some say that there are none
	}
	var whole json.RawMessage
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if d.Decode(&whole) != nil || d.More() {
		return nil, false
	}
	args, ok := decoded(whole).(map[string]any)
	return args, ok
}

// answer goes on with what a model answered. The first answer counts.
func (c Outcome) answer(s sessions.State) ([]event.Payload, error) {
	open := s.Talk.Running.Question(c.CallID)
	if open == nil {
		return nil, nil
	}
	of := *open
	m, err := goingOn(s, c.Programs, c.At, c.Try)
	if err != nil {
		return nil, err
	}
	m.at(of.Delegate, func(x *machine) { x.hears(of, *c.Answer) })
	m.end()
	return m.out, nil
}

// Question is what a model is to be asked.
type Question struct {
	CallID  string
	Purpose sessions.Purpose
	Agent   string
	Held    bool // what it says is judged first, or is said to nobody but another agent
	Request completions.Request
	Timeout time.Duration
}

// QuestionsOf are the open questions of a try: one, or one of each of several delegates. They are
// what was hashed when they were asked, as they follow from the same state.
func QuestionsOf(s sessions.State, programs Programs, try string) (out []Question, err error) {
	for _, in := range places(s) {
		if r := in.Talk.Running; r.Asked == nil || r.Asked.Try != try {
			continue
		}
		of := *in.Talk.Running.Asked
		m, err := goingOn(in, programs, of.At, sessions.Claimed{})
		if err != nil {
			return nil, err
		}
		p := m.program()
		q := Question{CallID: of.CallID, Agent: of.Agent, Purpose: of.Purpose, Timeout: modelFor,
			Held: of.Purpose == sessions.Extracts || m.delegated() || p.Guards("output") || p.Constrains(dsl.BeforeReply)}
		if of.Purpose == sessions.Extracts {
			q.Request = m.extraction(of)
		} else {
			q.Request = m.request(p.Flow.Step(of.Step), of)
		}
		if p.Model.Timeout > 0 {
			q.Timeout = p.Model.Timeout
		}
		out = append(out, q)
	}
	return out, nil
}
