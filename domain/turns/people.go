package turns

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// raises is an ESCALATE whose WHEN holds. One escalates once for as long as it does: else the
// first message behind the people would go to them again.
func (m *machine) raises() outcome {
	p := m.program()
	for i, e := range p.Escalates {
		if e.When == nil {
			continue
		}
		key := sessions.Raised(p.Agent, i+1)
		holds, raised := m.holds(e.When), slices.Contains(m.s.Talk.Raised, key)
		switch {
		case holds && !raised:
			return m.escalateBy(sessions.ByRule, i)
		case raised && !holds:
			m.notice(sessions.EscalationOver, key, "")
		}
	}
	return proceed
}

// escalateBy gives the conversation to people as an ESCALATE says.
func (m *machine) escalateBy(by sessions.EscalatedBy, index int) outcome {
	e := m.program().Escalates[index]
	out := sessions.Escalated{By: by, Index: index + 1, Queue: e.Queue, Priority: e.Priority, Skills: e.Skills, Why: m.text(e.Reason)}
	for _, a := range e.Context {
		v, err := a.Value.Eval(m.scope())
		m.noticeError(err)
		if raw := encoded(v); err == nil && raw != nil && len(raw) <= largestValue {
			if out.Context == nil {
				out.Context = map[string]json.RawMessage{}
			}
			out.Context[a.Name] = raw
		}
	}
	return m.escalate(out)
}

// escalate gives the conversation to people: the turn ends, and the agent is silent until they give
// it back. Where somebody has taken the session over meanwhile, they have it. A delegate has no
// conversation to give.
func (m *machine) escalate(e sessions.Escalated) outcome {
	if m.delegated() {
		return m.fail(asksPeople, e.Queue)
	}
	vain := m.s.Talk.Running.Alone // it was asked for a moment ago: else this would go on for ever
	switch {
	case m.assists():
		m.notice(sessions.EscalationInVain, e.Queue, "people have the conversation already")
		vain = true
	case vain:
		m.notice("limit", "ESCALATE", "no person was there a moment ago")
	}
	if vain {
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
		return stopped
	}
	m.escalated = true
	m.s.Talk.Waits = sessions.Waiting{For: sessions.ForPeople}
	if m.s.Talk.People != nil {
		m.kept = m.keptFor(e.By, e.Index, e.Ends)
		return stopped
	}
	e.Number = m.s.Talk.Escalations + 1
	e.InTurn, e.TransferID = m.in(), sessions.TransferID(m.s.ID, e.Number)
	e.Agent, e.Step = m.s.Talk.Agent, m.s.Talk.Step
	m.emit(e)
	return stopped
}

// keptFor is what the agent came to while people have the session, whom it had not asked: they are not sent away, and
// nobody else is asked.
func (m *machine) keptFor(by sessions.EscalatedBy, index int, ends bool) *sessions.Kept {
	return &sessions.Kept{Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, By: by, Index: index, Ends: ends}
}

// assists is whether the agent talks to people who have the conversation already.
func (m *machine) assists() bool { return m.s.Talk.Assists != "" }

// escalateGuarded is the ACTION escalate of a guardrail: to its QUEUE, or as the first ESCALATE
// says.
func (m *machine) escalateGuarded(g *dsl.Guardrail) outcome {
	if g.Queue == "" && len(m.program().Escalates) > 0 {
		return m.escalateBy(sessions.ByGuardrail, 0)
	}
	return m.escalate(sessions.Escalated{By: sessions.ByGuardrail, Queue: g.Queue})
}

// asksPeople is why a delegate failed that would have to give the conversation to people.
const asksPeople = "ASKS_PEOPLE"

const toPeople = "escalate_to_" // and the queue, in the letters that tools may have

var noToolLetter = regexp.MustCompile(`[^A-Za-z0-9_-]`)

func peopleTool(queue string) string {
	name := toPeople + noToolLetter.ReplaceAllString(queue, "_")
	return name[:min(len(name), 64)]
}

// offeredPeople is the ESCALATE behind the name of a tool; -1: none.
func (m *machine) offeredPeople(name string) int {
	if m.delegated() || m.assists() {
		return -1
	}
	return slices.IndexFunc(m.program().Escalates, func(e *dsl.Escalate) bool { return e.Offered && peopleTool(e.Queue) == name })
}

// passOn is a message while people have the conversation: it is for them.
func (m *machine) passOn() {
	m.turn = m.s.Talk.Turns
	people := *m.s.Talk.People
	against, _ := m.guardInput()
	f := m.s.Talk.Figures
	f.Messages++
	f.Traces += 1 + len(against)
	m.emit(sessions.PassedOn{MessageID: m.nextMessage(), TransferID: people.TransferID, ConversationID: people.ConversationID,
		Text: m.heard, Action: m.Action, Metadata: m.Metadata, Attachments: m.Attached, Early: !people.Taken(), Figures: f,
		Test: m.s.Talk.Test, At: event.Stamp(m.At), Patience: m.s.Talk.Patience})
	m.noticeGuards("input", against)
}

// GiveBack says that a transfer is over: the agent has the conversation again, and goes on where
// it gave it to people. It does nothing for a transfer that another one has replaced.
type GiveBack struct {
	TransferID string
	Turn       int    // of the transfer among those of the session
	Taken      bool   // an agent or a queue had it
	Failed     bool   // nobody was found, or nobody could keep it
	Reason     string // why it is over
	Programs   Programs
	Refused    string // why there are no programs: what is wrong with a source; the agent does not go on
	At         time.Time
	Try        sessions.Claimed // who makes the calls that follow
}

// Concerns is whether the session waits for the end of this transfer.
func (c GiveBack) Concerns(s sessions.State) bool {
	return s.GivesBack(c.Turn, c.TransferID, c.Taken)
}

// Decide gives it back.
func (c GiveBack) Decide(s sessions.State) ([]event.Payload, error) {
	if !c.Concerns(s) {
		return nil, nil
	}
	wish := s.Talk.People.Wish
	back := sessions.GivenBack{InTurn: sessions.InTurn{Test: s.Talk.Test, At: event.Stamp(c.At)}, TransferID: c.TransferID,
		Failed: c.Failed, Reason: c.Reason, Patience: s.Talk.Patience}
	if c.Taken {
		back.TransferTurn = c.Turn
	}
	if wish == nil || s.Talk.Running != nil { // it was taken over: the agent waits for what it waited for
		return []event.Payload{back}, nil
	}
	s.Talk = s.Talk.Own()
	m := &machine{s: s, turn: s.Talk.Turns + 1, Receive: Receive{Programs: c.Programs, At: c.At, Try: c.Try}}
	if m.program() == nil && c.Refused == "" {
		return nil, errNoProgram(s.Talk.Agent)
	}
	back.InTurn = m.in()
	m.emit(back)
	switch {
	case c.Refused != "":
		m.s.Talk.Waits = sessions.Waiting{}
		m.fail(sessions.CodeSource, c.Refused)
	case !m.recalls(false): // what is in stores, which others may have changed meanwhile
		m.starts(false)
	}
	m.end()
	return m.out, nil
}

// returned is what an agent does that has the conversation again from people.
func (m *machine) returned(wish sessions.Escalated) outcome {
	step := m.program().Flow.Step(wish.Step)
	out := proceed
	switch {
	case m.s.Talk.Running.Alone && !wish.Done():
		out = m.nobody(wish, step)
	case wish.Ends:
		out = m.complete(nil)
	case wish.By == sessions.ByStep && step != nil:
		out = m.beyond(step)
	}
	if out == proceed {
		m.s.Talk.Waits = sessions.Waiting{For: sessions.ForMessage}
		return stopped
	}
	return out
}

// nobody is what follows when no person was there: ON_FAIL of the ESCALATE, ON_ERROR of the step,
// or the agent says so. What END stands behind has not happened: the user may ask again.
func (m *machine) nobody(wish sessions.Escalated, step *dsl.Step) outcome {
	all := m.program().Escalates
	switch {
	case wish.Index > 0 && wish.Index <= len(all) && all[wish.Index-1].OnFail != nil:
		return m.then(all[wish.Index-1].OnFail)
	case wish.By == sessions.ByStep && step != nil && step.Otherwise() != nil:
		if out := m.then(step.OnError); out != proceed || !step.OnError.Continue {
			return out
		}
		return m.beyond(step)
	}
	m.utter(inLanguage(nobodyIn, m.s.Talk.Language), nil)
	if wish.By == sessions.ByStep && step != nil && step.Next != "" {
		return m.beyond(step)
	}
	return proceed
}

// inLanguage is what is said where the source has no words for it, in the session's language;
// English where there is nothing in it.
func inLanguage[T any](words map[string]T, language string) T {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if said, ok := words[language]; ok {
		return said
	}
	return words["en"]
}

// nobodyIn says that no person was there, by language.
var nobodyIn = map[string]string{
	"en": "Unfortunately none of my colleagues is available at the moment.",
	"de": "Leider ist gerade niemand von meinen Kolleginnen und Kollegen frei.",
	"es": "Lamentablemente, ninguno de mis compañeros está disponible en este momento.",
	"fr": "Malheureusement, aucun de mes collègues n'est disponible pour le moment.",
	"it": "Purtroppo al momento nessuno dei miei colleghi è disponibile.",
	"nl": "Helaas is op dit moment niemand van mijn collega's beschikbaar.",
	"pt": "Infelizmente, nenhum dos meus colegas está disponível neste momento.",
}
