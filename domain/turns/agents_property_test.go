package turns_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

func agentName(source string) string {
	_, rest, _ := strings.Cut(source, "AGENT: ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

// rules are what must hold of every session, as its events come.
type rules struct {
	s          *stage
	turn, last int // that began last, that ended last
	open       map[string]bool
	ended      map[string]bool
	memory     string
	over       bool
}

func (r *rules) sees(p event.Payload) {
	if of, is := p.(interface{ Of() sessions.InTurn }); is && r.over && of.Of().Turn > 0 {
		r.s.fail("%T comes behind the end of the session", p)
	}
	switch e := p.(type) {
	case sessions.MessageReceived:
		r.begins(e.Turn)
	case sessions.GivenBack:
		if e.Turn > 0 {
			r.begins(e.Turn)
		}
	case sessions.TurnEnded:
		if e.Turn != r.turn || e.Turn == r.last {
			r.s.fail("turn %d ended, when %d was the last that began, and %d that ended", e.Turn, r.turn, r.last)
		}
		r.last = e.Turn
		delete(r.open, r.memory)
		for id := range r.open {
			r.s.fail("turn %d ended and left the call %s without an outcome", e.Turn, id)
		}
	case sessions.CallOpened:
		r.opens(e.CallID)
	case sessions.ModelAsked:
		r.opens(e.CallID)
	case sessions.MemoryAsked:
		delete(r.open, r.memory)
		r.memory = e.CallID
		r.opens(e.CallID)
	case sessions.CallEnded:
		r.ends(e.CallID)
	case sessions.ModelAnswered:
		r.ends(e.CallID)
	case sessions.MemoryTold:
		delete(r.open, e.CallID)
	case sessions.DelegateEnded:
		for _, id := range e.Left {
			delete(r.open, id)
		}
	case sessions.SessionEnded:
		r.over = true
	}
}

func (r *rules) begins(turn int) {
	if turn != r.turn+1 || r.turn != r.last {
		r.s.fail("turn %d began, when %d was the last that began, and %d that ended", turn, r.turn, r.last)
	}
	r.turn = turn
}

func (r *rules) opens(id string) {
	if r.open[id] || r.ended[id] {
		r.s.fail("the call %s was opened twice", id)
	}
	r.open[id] = true
}

func (r *rules) ends(id string) {
	if r.ended[id] || !r.open[id] {
		r.s.fail("the call %s has two outcomes, or one that nobody waits for", id)
	}
	delete(r.open, id)
	r.ended[id] = true
}

// largestState is how many bytes the state of any of these sessions may have as JSON.
const largestState = 200 << 10

// history plays a session of random agents, in which anything may happen at any time, and gives the
// first rule that did not hold.
func history(seed uint64, broken string, agents ...string) string {
	r := rand.New(rand.NewPCG(seed, 13))
	if len(agents) == 0 {
		agents = randomAgents(r)
	}
	s, problems := newStage(r, broken, agents...)
	if s == nil {
		return "agents that do not compile: " + problems
	}
	for range 10 + r.IntN(110) {
		if s.move(); s.wrong != "" || s.rules.over {
			break
		}
	}
	s.heals()
	if state, err := json.Marshal(s.state()); err != nil || len(state) > largestState {
		s.fail("the state has %d bytes (%v)", len(state), err)
	}
	s.decidedAgain()
	return s.wrong
}

// move is one thing that happens.
func (s *stage) move() {
	alive := slices.DeleteFunc(slices.Clone(s.tries), func(x *try) bool { return x.dead })
	anybody := func() *try { return alive[s.r.IntN(len(alive))] }
	what := s.r.IntN(100)
	switch {
	case what < 15 || len(alive) == 0:
		s.says(textsSaid[s.r.IntN(len(textsSaid))])
	case what < 45:
		for _, x := range slices.Backward(alive) {
			if s.works(x) {
				return
			}
		}
	case what < 65:
		for _, x := range slices.Backward(alive) {
			if s.tells(x) {
				return
			}
		}
	case what < 68:
		s.tells(anybody())
	case what < 74:
		s.dies(s.busiest(alive))
	case what < 80:
		if gone := s.gone(); len(gone) > 0 {
			s.takesOver(gone[s.r.IntN(len(gone))])
		}
	case what < 86 && len(s.outside) > 0:
		s.answers(s.outside[s.r.IntN(len(s.outside))])
	case what < 90:
		s.now = s.now.Add(time.Duration(1+s.r.IntN(400)) * time.Second)
		s.passes()
	case what < 92:
		s.decides(sessions.CancelTurn{At: s.now}.Decide)
	case what < 93:
		s.decides(sessions.Reset{At: s.now}.Decide)
	case what < 94:
		s.decides(sessions.End{Reason: "x", At: s.now}.Decide)
	default:
		s.people()
	}
}

// busiest is a process that knows something that nobody else does, if there is one.
func (s *stage) busiest(alive []*try) *try {
	for _, x := range slices.Backward(alive) {
		if len(x.ends) > 0 {
			return x
		}
	}
	return alive[s.r.IntN(len(alive))]
}

// people take the conversation, give it back, or are not there.
func (s *stage) people() {
	p := s.state().Talk.People
	switch {
	case p == nil && s.r.IntN(4) > 0:
	case p == nil:
		n := s.state().Talk.Transferred + 1
		s.decides(sessions.Take{TransferID: fmt.Sprint("tr-", n), ConversationID: "c-1", HumanAgentID: "a-1", Turn: n, At: s.now}.Decide)
	case !p.Taken() && s.r.IntN(2) == 0:
		s.decides(sessions.Take{TransferID: p.TransferID, ConversationID: p.ConversationID, HumanAgentID: "a-1",
			Turn: s.state().Talk.Transferred + 1, At: s.now}.Decide)
	default:
		s.decides(turns.GiveBack{TransferID: p.TransferID, Turn: p.Turn, Taken: p.Taken(), Failed: !p.Taken(), Reason: "x",
			Programs: s.programs, At: s.now, Try: s.another().claim}.Decide)
	}
}

// mostMoves is how much there may be to do until a turn ends that nothing disturbs any more: it may begin 50 delegates, each of
// which asks a model some times, and calls what that wants.
const mostMoves = 1_000

// heals lets all calls have outcomes: then the turn ends.
func (s *stage) heals() {
	for range mostMoves {
		if s.state().Talk.Running == nil || s.wrong != "" {
			return
		}
		if !s.goesOn() {
			s.fail("turn %d stands still: nobody has anything to do for it", s.rules.turn)
			return
		}
	}
	if s.state().Talk.Running != nil {
		s.fail("turn %d has not ended after %d moves", s.rules.turn, mostMoves)
	}
}

func (s *stage) goesOn() bool {
	for _, x := range s.tries {
		if !x.dead && (s.tells(x) || s.works(x)) {
			return true
		}
	}
	if gone := s.gone(); len(gone) > 0 {
		s.takesOver(gone[0])
		return true
	}
	open := s.state().Talk.Running.Left()
	for _, call := range s.outside {
		if slices.Contains(open, call) {
			s.answers(call)
			return true
		}
	}
	if w := s.state().Talk.Suspended(); w != nil {
		s.now = w.ExpiresAt
	} else if ends := s.state().Talk.Running.Ends(); !ends.IsZero() {
		s.now = ends
	}
	return s.passes()
}

// Given whatever agents, and users, tools, models, people and processes that do whatever they can
// at any time, late and twice, then every message that was taken has its turn, one after the other,
// and each ends once; a call that has an outcome is not made again, and no write twice; deciding
// again on the same events gives the same; a turn ends when its calls have outcomes; and the state
// stays small.
func TestWhateverHappensToWhateverAgents(t *testing.T) {
	first := uint64(time.Now().UnixNano())
	for n := range histories(t) {
		require.Empty(t, history(first+n, ""), "history(%d, \"\") repeats it", first+n)
	}
}

// histories is how many of them are played: PARLEY_TURN_HISTORIES, where engine and rules were changed.
func histories(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("PARLEY_TURN_HISTORIES")
	if text == "" {
		return 60
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// writing is an agent that is always about to write, now or later.
var writing = agent("main", anyTools+`FLOW:
  START: now
  STEPS:
    now: {CALL: write, ON_ERROR: {CONTINUE: true}, NEXT: then}
    then: {CALL: later, ON_ERROR: {CONTINUE: true}, NEXT: look}
    look: {CALL: look, ON_ERROR: {CONTINUE: true}}
`)

// Each rule that the engine or its drivers hold to is missed where it is not held to.
func TestWhatIsMissingIsFound(t *testing.T) {
	for broken, of := range map[string]string{
		"node":    "is made again, and was done",
		"writes":  "is made again, and was done",
		"missing": "has not ended",
		"nobody":  "stands still",
		"first":   "has two outcomes",
		"order":   "was the last that began",
	} {
		t.Run(broken, func(t *testing.T) {
			source := writing
			if broken == "missing" {
				source = agent("main", anyTools+"FLOW: {START: a, STEPS: {a: {CALL: later, ON_ERROR: {CONTINUE: true}}}}\n")
			}
			for seed := range uint64(200) {
				if wrong := history(seed, broken, source); wrong != "" {
					require.Contains(t, wrong, of)
					return
				}
			}
			t.Fatal("nobody noticed")
		})
	}
}
