package turns_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// stage is a session with everybody who acts on it: users, processes that make calls and die, tools,
// people, and those who cancel and reset. Which rule it is without is said by broken.
type stage struct {
	r        *rand.Rand
	broken   string
	programs turns.Programs
	past     []event.Payload
	taken    []taken
	now      time.Time
	tries    []*try
	outside  []string // calls whose answers may come from outside, at any time
	effects  map[string]int
	keys     map[string]string
	rules    rules
	wrong    string // the first rule that did not hold
}

// taken is a decision, and on how many events it was taken.
type taken struct {
	on     int
	decide func(sessions.State) ([]event.Payload, error)
	got    []event.Payload
}

// try is a process that makes the calls that it has claimed.
type try struct {
	claim sessions.Claimed
	dead  bool
	begun []string
	ends  []func(at time.Time) func(sessions.State) ([]event.Payload, error) // what came of them, which nobody else knows
}

func (s *stage) fail(format string, args ...any) {
	if s.wrong == "" {
		s.wrong = fmt.Sprintf(format, args...)
	}
}

// newStage begins a session with agents; false: they are none.
func newStage(r *rand.Rand, broken string, sources ...string) (*stage, string) {
	s := &stage{r: r, broken: broken, programs: turns.Programs{}, now: noon, effects: map[string]int{}, keys: map[string]string{}}
	s.rules = rules{s: s, open: map[string]bool{}, ended: map[string]bool{}}
	manifest := map[string]sessions.Pinned{}
	for _, source := range sources {
		name := agentName(source)
		program, problems := dsl.Compile(name, source)
		if len(problems) > 0 {
			return nil, fmt.Sprint(problems)
		}
		s.programs[name], manifest[name] = program, sessions.Pinned{Hash: name}
	}
	s.add(sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "bot", Channel: "api", AgentName: agentName(sources[0]),
		Begun: &sessions.Begun{Manifest: manifest, Language: "en"}, At: noon})
	return s, ""
}

func (s *stage) state() sessions.State { return sessions.Sessions.State(s.past...) }

// add puts an event on the log, and takes it as the log gives it back.
func (s *stage) add(p event.Payload) {
	kind, err := sessions.Sessions.KindOf(p)
	if err != nil {
		s.fail("%v", err)
		return
	}
	data, err := json.Marshal(p)
	if err == nil {
		p, err = sessions.Sessions.Decode(kind.Type(), data)
	}
	if err != nil {
		s.fail("%T does not come back from the log: %v", p, err)
		return
	}
	s.past = append(s.past, p)
	s.rules.sees(p)
}

// decides takes a decision; false: it was refused.
func (s *stage) decides(decide func(sessions.State) ([]event.Payload, error)) bool {
	if s.broken == "order" {
		inner := decide
		decide = func(st sessions.State) ([]event.Payload, error) {
			st.Talk.Running = nil
			return inner(st)
		}
	}
	got, err := decide(s.state())
	if err != nil {
		return false
	}
	s.taken = append(s.taken, taken{len(s.past), decide, got})
	for _, p := range got {
		if opened, is := p.(sessions.CallOpened); is && s.broken == "writes" {
			opened.Repeat = true
			p = opened
		}
		if _, is := p.(sessions.CallSent); is && s.broken == "missing" {
			continue
		}
		s.add(p)
	}
	return true
}

// another is a process that has just begun.
func (s *stage) another() *try {
	x := &try{claim: sessions.Claimed{Process: "p", Try: fmt.Sprint("t-", len(s.tries))}}
	s.tries = append(s.tries, x)
	return x
}

// says lets the user say something.
func (s *stage) says(text string) {
	in := turns.Receive{Text: text, Programs: s.programs, At: s.now, Try: s.another().claim}
	if s.broken != "order" {
		s.decides(in.Decide)
		return
	}
	if st := s.state(); st.Talk.Running != nil && st.Talk.People == nil {
		s.decides(in.Decide)
		return
	}
	broken := s.broken
	s.broken = ""
	s.decides(in.Decide)
	s.broken = broken
}

// works lets a process make one of the calls that it has; false: it has none that it has not made.
func (s *stage) works(x *try) bool {
	st := s.state()
	wanted, err := turns.WantedOf(st, s.programs, x.claim.Try)
	if err != nil {
		s.fail("what is wanted: %v", err)
	}
	for _, w := range wanted {
		if slices.Contains(x.begun, w.CallID) {
			continue
		}
		x.begun = append(x.begun, w.CallID)
		s.asks(x, w)
		return true
	}
	questions, err := turns.QuestionsOf(st, s.programs, x.claim.Try)
	if err != nil {
		s.fail("what is asked: %v", err)
	}
	for _, q := range questions {
		if slices.Contains(x.begun, q.CallID) {
			continue
		}
		x.begun = append(x.begun, q.CallID)
		text, calls, failed := anyAnswer(s.r)
		answer := &sessions.ModelAnswered{Text: text, Failed: failed}
		for _, c := range calls {
			answer.ToolCalls = append(answer.ToolCalls, sessions.ModelCall{Name: c[0], Arguments: c[1]})
		}
		x.ends = append(x.ends, func(at time.Time) func(sessions.State) ([]event.Payload, error) {
			return turns.Outcome{CallID: q.CallID, Answer: answer, Programs: s.programs, At: at, Try: x.claim}.Decide
		})
		return true
	}
	if w := turns.MemoryOf(st, s.programs, x.claim.Try); w != nil && !slices.Contains(x.begun, w.CallID) {
		x.begun = append(x.begun, w.CallID)
		told := w.Failed("UNAVAILABLE")
		if s.r.IntN(2) == 0 {
			for i := range told {
				told[i].Failed, told[i].Version = "", 1
			}
		}
		x.ends = append(x.ends, func(at time.Time) func(sessions.State) ([]event.Payload, error) {
			return turns.Recalled{CallID: w.CallID, Stores: told, Programs: s.programs, At: at, Try: x.claim}.Decide
		})
		return true
	}
	return false
}

// asks makes a call of a tool, and has an outcome that only the process knows: it was done, or not,
// or nobody can say.
func (s *stage) asks(x *try, w turns.Wanted) {
	if s.rules.ended[w.CallID] {
		s.fail("the call %s has an outcome and is made again", w.CallID)
	}
	once := w.Tool.Write && !w.Tool.Idempotent
	if once && s.effects[w.Key] > 0 {
		s.fail("the write %s of %s is made again, and was done or may have been", w.Key, w.CallOpened.Tool)
	}
	if before := s.keys[w.CallID]; before != "" && before != w.Key {
		s.fail("the call %s is made with the keys %s and %s", w.CallID, before, w.Key)
	}
	s.keys[w.CallID] = w.Key
	outcome := []sessions.CallEnded{ok(`{"n":1}`), ok(`[]`), failed("HTTP_500"),
		{Outcome: sessions.CallUnknown, Code: sessions.CodeUnknown}}[s.r.IntN(4)]
	if !once && outcome.Outcome == sessions.CallUnknown {
		outcome = failed("TIMEOUT")
	}
	if outcome.Outcome != sessions.CallFailed {
		s.effects[w.Key]++
		if w.Later {
			s.outside = append(s.outside, w.CallID)
		}
	}
	x.ends = append(x.ends, func(at time.Time) func(sessions.State) ([]event.Payload, error) {
		if w.Later && outcome.Outcome != sessions.CallFailed {
			return turns.Suspend{CallID: w.CallID, Programs: s.programs, At: at}.Decide
		}
		return turns.Outcome{CallID: w.CallID, Ended: outcome, Programs: s.programs, At: at, Try: x.claim}.Decide
	})
}

// tells lets a process put one of its outcomes on the log, perhaps twice, perhaps long after the
// turn went on without it.
func (s *stage) tells(x *try) bool {
	if len(x.ends) == 0 {
		return false
	}
	i := s.r.IntN(len(x.ends))
	before := len(s.past)
	s.decides(x.ends[i](s.now))
	if s.broken == "first" && len(s.past) == before && len(x.begun) > 0 && s.rules.ended[x.begun[0]] {
		s.add(sessions.CallEnded{InTurn: sessions.InTurn{Turn: s.rules.turn, At: s.now}, CallID: x.begun[0], Outcome: sessions.CallOK})
	}
	if s.r.IntN(2) == 0 {
		x.ends = slices.Delete(x.ends, i, i+1)
	}
	return true
}

// dies is a process that is no more: what only it knew is lost.
func (s *stage) dies(x *try) {
	if s.broken == "node" { // it comes back, and takes what it had claimed for its own
		x.begun, x.ends = nil, nil
		return
	}
	x.dead, x.ends = true, nil
}

// gone are the claims that somebody may take over: of processes that are dead.
func (s *stage) gone() (out []string) {
	if s.broken == "nobody" {
		return nil
	}
	for _, c := range s.state().Talk.Running.Claims() {
		for _, x := range s.tries {
			if x.claim == c && x.dead {
				out = append(out, c.Try)
			}
		}
	}
	return out
}

func (s *stage) takesOver(from string) {
	s.decides(turns.TakeOver{From: from, Programs: s.programs, At: s.now, Try: s.another().claim}.Decide)
}

// answers is an answer from outside.
func (s *stage) answers(call string) {
	e := ok(`{"state":"done"}`)
	e.Later = true
	s.decides(turns.Outcome{CallID: call, Ended: e, Programs: s.programs, At: s.now, Try: s.another().claim}.Decide)
}

// passes lets what has taken too long end.
func (s *stage) passes() bool {
	st := s.state()
	if w := st.Talk.Suspended(); w != nil && !s.now.Before(w.ExpiresAt) {
		s.decides(turns.Outcome{CallID: w.CallID, Ended: turns.TooLate(), Programs: s.programs, At: s.now, Try: s.another().claim}.Decide)
		return true
	}
	if ends := st.Talk.Running.Ends(); !ends.IsZero() && !s.now.Before(ends) {
		s.decides(turns.Late{Programs: s.programs, At: s.now, Try: s.another().claim}.Decide)
		return true
	}
	return false
}

// decidedAgain: each decision on the events that it was taken on gives what it gave.
func (s *stage) decidedAgain() {
	if s.broken != "" {
		return
	}
	for _, d := range s.taken {
		got, err := d.decide(sessions.Sessions.State(s.past[:d.on]...))
		if err != nil || !reflect.DeepEqual(got, d.got) {
			s.fail("decided again on %d events it is %v, %v; it was %v", d.on, got, err, d.got)
			return
		}
	}
}
