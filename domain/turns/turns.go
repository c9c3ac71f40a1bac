// Package turns runs the agents of a session: what follows from one input (a message, or the
// outcome of a call), as a pure function of the session's state, the compiled sources and the
// input. All that follows is one decision, so all of it stands in one commit: what was heard,
// what the agent learned, which way it went, what it says, and the calls that it wants, opened
// and claimed for one try. A turn that wants none is one commit.
//
// It makes no calls and keeps nothing; the state and its events are those of package
// sessions, the sources those of package dsl.
package turns

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Programs are the compiled sources of a session's agents, by name.
type Programs map[string]*dsl.Program

// From are the agents whom a conversation may come to that is with one of these: they, and all to
// whom they can hand over or delegate, each once.
func (p Programs) From(agents ...string) (names []string) {
	for len(agents) > 0 {
		name := agents[0]
		agents = agents[1:]
		of := p[name]
		if of == nil || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		for _, h := range of.Handoffs {
			agents = append(agents, h.To)
		}
		for _, d := range of.Delegates {
			agents = append(agents, d.Agent)
		}
	}
	return names
}

// Receive is a message of the user, with the turn that follows from it.
type Receive struct {
	Text     string           // not blank, unless something comes with it
	Action   *sessions.Chosen // what was chosen
	Metadata json.RawMessage  // an object, of this turn alone; nil: none
	Programs Programs
	Attached []string            // files of the session that come with it; one that is named twice comes once
	Files    []sessions.ToldFile // what is told of files that were sent, where some of them did not come; nil: of Attached
	At       time.Time
	Try      sessions.Claimed // who makes the calls that it wants; nobody: they are not made

	OnCall bool // the callee of the session's call has said it
	Asked  bool // it was said in the conversation that the session assists

	Waited *int // how many messages the last reset was behind when this one began to wait for its turn; nil: it did not wait

	IgnoredAgent string // whom the caller wanted to begin, in a session that has begun

	Judged *Judged // nil: the guardrails of input judge it now
	Taken  bool    // it stands on a log, and is played again as it does

	// What a test brings along (testContext).
	SkipOnStart bool
	StartAt     string                     // a step of the agent's flow, for the first turn
	Slots       map[string]json.RawMessage // what was gathered before
	Mocks       []sessions.Mock            // what answers in place of tools
	Begins      *sessions.Tested           // makes the session one of a test: nothing was said in it yet
}

// Judged is what the guardrails of input said of a message, which is taken again as they left it.
type Judged struct {
	Against []string // those that had something against it
	Blocked string   // the one that blocks it
}

// Says is whether there is anything in the message: words, a choice, or files. What the guardrails have left
// of one may be nothing.
func (c Receive) Says() bool {
	return !sessions.Blank(c.Text) || c.Action != nil || len(c.Attached) > 0 || c.Judged != nil || c.Taken
}

// once gives each id where it stands first.
func once(ids []string) (out []string) {
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// LongestText is how many characters a message may have.
const LongestText = 20_000

// Decide runs the turn. An ended session takes no message, one of a call only what its callee says,
// and one that assists people only what is said in their conversation.
func (c Receive) Decide(s sessions.State) ([]event.Payload, error) {
	own := (c.OnCall || c.Asked) && s.Status == sessions.Active && s.Talk.Manifest != nil
	if err := s.Takes("messages"); err != nil && !own {
		return nil, err
	}
	if c.Waited != nil && *c.Waited != s.ResetBefore {
		return nil, ErrDropped
	}
	switch {
	case s.Talk.People != nil:
	case s.Talk.Suspended() != nil:
		return nil, fault.New(fault.TurnSuspended, "the session waits for the answer to a callback until %s",
			s.Talk.Suspended().ExpiresAt.UTC().Format(time.RFC3339))
	case s.Talk.Running != nil:
		return nil, ErrRunning
	}
	switch {
	case !c.Says():
		return nil, fault.Field("message", "must have at least one character that is no blank")
	case utf8.RuneCountInString(c.Text) > LongestText:
		return nil, fault.Field("message", "may have at most %d characters", LongestText)
	}
	if err := s.Has(c.Attached); err != nil {
		return nil, err
	}
	if !c.Taken {
		c.Attached = once(c.Attached)
		c.Metadata = c.withFiles(s)
	}
	if s.Talk.People == nil && !c.OnCall {
		if err := spentBy(s); err != nil {
			return nil, err
		}
	}
	s.Talk = s.Talk.Own() // which the machine folds into
	m := &machine{Receive: c, s: s, turn: s.Talk.Turns + 1}
	if m.program() == nil {
		return nil, errNoProgram(s.Talk.Agent)
	}
	if c.Begins != nil && (s.Talk.Turns > 0 || s.Talk.People != nil) {
		return nil, untested(s)
	}
	if s.Talk.People != nil {
		m.passOn()
		return m.out, nil
	}
	if err := m.checkSlots(); err != nil {
		return nil, err
	}
	if err := m.checkMocks(); err != nil {
		return nil, err
	}
	if c.StartAt != "" && !c.Taken && m.program().Flow.Step(c.StartAt) == nil {
		return nil, fault.Field("testContext.startAtStep", "names no step of the agent %s", s.Talk.Agent)
	}
	m.run()
	return m.out, nil
}

// untested refuses what a session takes with its first message only.
func untested(s sessions.State) error {
	if s.Talk.Test {
		return fault.Field("testContext", "may have sessionVariables, callerContext, skipOnStart and startAtStep for a new session only")
	}
	return fault.Field("testContext", "is for sessions that were begun with one, or in which nothing was said yet")
}

// ErrRunning refuses a message while a turn runs: they have their order.
var ErrRunning = fault.New(fault.QueueFull, "the session answers another message").After(time.Second)

// ErrDropped refuses a message that waited for its turn while the session was reset: it was said in what is no more.
var ErrDropped = fault.New(fault.Conflict,
	"the session was reset while the message waited for its turn: say it again if it is meant for what begins now")

// IsRunning is whether a message was refused because a turn runs.
func IsRunning(err error) bool { return errors.Is(err, ErrRunning) }

// TurnFor is how long a turn may take. What it waits for then still ends, and the turn with it.
const TurnFor = 5 * time.Minute

// turnTimeout is why a turn failed that has taken longer.
const turnTimeout = "TURN_TIMEOUT"

func (m *machine) takesTooLong() bool { return m.At.Sub(m.s.Talk.Running.At) > TurnFor }

func (m *machine) timesOut() { m.fail(turnTimeout, "the turn took longer than "+TurnFor.String()) }
