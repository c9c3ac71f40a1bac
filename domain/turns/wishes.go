package turns

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// Tools that the model has of the turn itself.
const (
	remember = "remember"
	handOver = "hand_off_to_" // and the agent's name
	giveWork = "delegate_to_" // and the id of the DELEGATE
)

// carryOut does what the model wants, one after the other, and asks it again when all of it has a
// result. What the step was for may be reached before: the rest is left. Calls that all read are
// made at once.
func (m *machine) carryOut(step *dsl.Step) outcome {
	if len(m.s.Talk.Running.Open) > 0 { // those that were made at once with the one that has ended
		m.asks = true
		return stopped
	}
	for {
		if m.exits(step) {
			return m.behind(step)
		}
		w := m.s.Talk.Wanted()
		if w == nil {
			break
		}
		if m.readOnly(step) {
			m.callAll(step)
			if m.asks {
				return stopped
			}
			continue
		}
		if out := m.grant(step, *w); out != proceed {
			return out
		}
	}
	if out := m.rules(); out != proceed { // what it learned may be a reason to hand over
		return out
	}
	if out := m.completes(); out != proceed {
		return out
	}
	return m.consult(step, sessions.ModelAsked{})
}

// grant does one thing that the model wants, or tells it why not.
func (m *machine) grant(step *dsl.Step, w sessions.Wish) outcome {
	args, whole := objectIn(w.Arguments)
	index, handoff := m.offered(w.Name)
	switch {
	case !whole:
		m.refuse(w, badArguments, noObject)
	case w.Name == remember && m.remembers(step) != nil:
		m.tell(w, m.keep(step, args))
	case handoff != nil:
		return m.handOff(index, handoff)
	case m.offeredPeople(w.Name) >= 0:
		return m.escalateBy(sessions.ByModel, m.offeredPeople(w.Name))
	case m.offeredWork(w.Name) != nil:
		return m.work(sessions.WorkGiven{Step: stepName(step), Wish: w.ID}, []string{m.offeredWork(w.Name).ID})
	case m.usable(step, w.Name) != nil:
		return m.callFor(step, w, m.usable(step, w.Name), args)
	default:
		m.refuse(w, "UNKNOWN_TOOL", "there is no such tool")
	}
	return proceed
}

// tell gives the model the result of a wish that no tool's call answers.
func (m *machine) tell(w sessions.Wish, result map[string]any) {
	m.emit(sessions.ModelTold{InTurn: m.in(), Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, Wish: w.ID, Result: string(encoded(result))})
}

func (m *machine) refuse(w sessions.Wish, code, hint string) {
	m.tell(w, map[string]any{"error": code, "hint": hint})
}

// usable is a declared tool that the model may have called; nil: there is none with that name.
func (m *machine) usable(step *dsl.Step, name string) *dsl.Tool {
	if step != nil && step.Tools != nil && !slices.Contains(step.Tools, name) {
		return nil
	}
	return m.program().Tool(name)
}

// offered is the handoff behind the name of a tool.
func (m *machine) offered(name string) (int, *dsl.Handoff) {
	to, is := strings.CutPrefix(name, handOver)
	for i, h := range m.program().Handoffs {
		if is && h.Offered && h.To == to && m.Programs[to] != nil {
			return i, h
		}
	}
	return 0, nil
}

// readOnly is whether all that the model wants still are calls of tools that read, and that nothing
// stands before.
func (m *machine) readOnly(step *dsl.Step) bool {
	return !slices.ContainsFunc(m.s.Talk.Wishes(), func(w sessions.Wish) bool {
		tool := m.usable(step, w.Name)
		before := func(c *dsl.Constraint) bool { return c.Before == "call:"+w.Name }
		return tool == nil || tool.Write || tool.Confirm || tool.Kind == dsl.ToolCallback || slices.ContainsFunc(m.program().Constraints, before)
	})
}

// callAll makes the calls that the model wants still.
func (m *machine) callAll(step *dsl.Step) {
	for _, w := range m.s.Talk.Wishes() {
		if args, whole := objectIn(w.Arguments); whole {
			m.callFor(step, w, m.usable(step, w.Name), args)
		} else {
			m.refuse(w, badArguments, noObject)
		}
	}
}

const noObject = "the arguments are not a JSON object"

// callFor makes the call of a declared tool that the model wants.
func (m *machine) callFor(step *dsl.Step, w sessions.Wish, tool *dsl.Tool, args map[string]any) outcome {
	unsure := func(u sessions.Unsure) bool { return u.Turn == m.turn && u.Tool == tool.Name || u.Sum == w.Sum() }
	if slices.ContainsFunc(m.s.Talk.Unsure, unsure) {
		m.refuse(w, sessions.CodeUnknown, "nobody knows whether this was done before; it is not done again")
		return proceed
	}
	if err := tool.Params.Check(args); err != nil {
		m.refuse(w, badArguments, err.Error())
		return proceed
	}
	if out, refused := m.forbids(w, tool); refused {
		return out
	}
	if tool.Confirm && m.confirmed != w.ID {
		return m.confirm(step, tool, args, w.ID)
	}
	if _, answered := m.openTool(tool, args, true, sessions.CallOpened{Step: stepName(step), Wish: w.ID}); !answered {
		return stopped
	}
	return proceed
}

// forbids is a constraint that keeps a tool from being called: the model is told, unless ON_FAIL
// leads elsewhere.
func (m *machine) forbids(w sessions.Wish, tool *dsl.Tool) (out outcome, refused bool) {
	for _, x := range m.program().Constraints {
		if x.Before != "call:"+tool.Name {
			continue
		}
		out, kept := m.constrain(x)
		if !kept {
			continue
		}
		if out == proceed {
			m.refuse(w, notAllowed, x.Check.String())
		}
		return out, true
	}
	return proceed, false
}

// mostVariables is how many variables a session may have until a model can name no more of its own.
const mostVariables = 100

// keep puts values that the model found in what was said where they belong, and says which of
// them are none.
func (m *machine) keep(step *dsl.Step, args map[string]any) map[string]any {
	p, refused := m.program(), map[string]any{}
	of, _ := args[sessionMember].(map[string]any)
	stores, _ := args[memoryMember].(map[string]any)
	if p.Slot(sessionMember) == nil {
		delete(args, sessionMember)
	}
	if m.memoryParameters() != nil {
		delete(args, memoryMember)
	} else {
		stores = nil
	}
	var slots []string
	for _, slot := range p.Slots {
		slots = append(slots, slot.Name)
	}
	found, wrong := m.judge(args, slots)
	for name, problem := range wrong {
		refused[name] = problem.Hint
	}
	kept := slices.Sorted(maps.Keys(found))
	if len(found) > 0 {
		m.fill(p, found)
	}
	known, free := m.members(step)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if p.Slot(sessionMember) != nil || !free && !slices.Contains(known, name) || dsl.OfSession(name) {
			refused[sessionMember+"."+name] = "there is no such value"
			continue
		}
		if _, is := m.s.Talk.Vars[name]; free && !is && len(m.s.Talk.Vars) >= mostVariables {
			refused[sessionMember+"."+name] = "there are too many values"
			continue
		}
		m.put(dsl.Target{Root: sessionMember, Path: []string{name}}, of[name])
		kept = append(kept, sessionMember+"."+name)
	}
	inStores, not := m.keepInMemory(stores)
	kept = append(kept, inStores...)
	for name, why := range not {
		refused[name] = why
	}
	out := map[string]any{"remembered": append([]string{}, kept...)}
	if len(refused) > 0 {
		out["refused"] = refused
	}
	return out
}
