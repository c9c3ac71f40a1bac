package turns

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// request is all that a model is asked. It follows from the state and the source alone.
func (m *machine) request(step *dsl.Step, of sessions.ModelAsked) completions.Request {
	p := m.program()
	return completions.Request{ModelID: of.ModelID, Tier: of.Tier, Messages: m.messages(step), Tools: m.tools(step),
		Temperature: p.Model.Temperature, MaxTokens: int64(p.Model.MaxTokens)}
}

// messages are what the model is told, what was said, and what it was answered in this turn.
func (m *machine) messages(step *dsl.Step) []completions.Message {
	out := []completions.Message{{Role: completions.System, Text: m.brief(step)}}
	lines := m.s.Talk.Viewed()
	if i := slices.IndexFunc(lines, func(l sessions.Line) bool { return l.Agent == "" && !l.Person }); i > 0 {
		lines = lines[i:] // what went before it is half of an exchange
	}
	with, data := m.dataTold(lines)
	last, shown := lastHeard(lines), m.pictures(lines)
	for i, l := range lines {
		if l.Person {
			l.Text = personWrote + l.Text
		}
		if l.Agent == "" && !l.Person {
			if i == with {
				l.Text += data
			}
			l.Text += m.filesTold(l, i == last)
			out = append(out, completions.Message{Role: completions.User, Text: l.Text, Pictures: shown[i]})
			continue
		}
		said := completions.Message{Role: completions.Assistant, Text: l.Text}
		for _, w := range l.Wishes {
			said.ToolCalls = append(said.ToolCalls, completions.ToolCall{ID: w.ID, Name: w.Name, Arguments: whole(w.Arguments)})
		}
		out = append(out, said)
		for _, w := range l.Wishes {
			out = append(out, completions.Message{Role: completions.FromTool, ToolCallID: w.ID, Text: w.Result})
		}
	}
	return out
}

// otherAgents is the channel by which agents of others talk.
const otherAgents = "a2a"

// dataTold is the data that another agent sent beside the words of the turn's message, and the line that it goes with;
// -1: with none. It is what the user says, so the guardrails have their say; what one of them blocks is not told.
// Data that came alone are the text already.
func (m *machine) dataTold(lines []sessions.Line) (with int, told string) {
	r := m.s.Talk.Running
	if m.s.Channel != otherAgents || r == nil || r.Heard == "" {
		return -1, ""
	}
	for with = len(lines) - 1; with >= 0 && (lines[with].Agent != "" || lines[with].Person); {
		with--
	}
	var sent struct{ Data []json.RawMessage }
	if with < 0 || lines[with].Text != r.Heard || json.Unmarshal(r.Metadata, &sent) != nil || len(sent.Data) == 0 {
		return -1, ""
	}
	var words []string
	for _, d := range sent.Data {
		words = append(words, valueText(d))
	}
	var alone []string
	for _, line := range strings.Split(r.Heard, "\n") {
		alone = append(alone, valueText(json.RawMessage(line)))
	}
	if slices.Equal(words, alone) {
		return -1, ""
	}
	text, _, blocked := m.guard("input", strings.Join(words, "\n"))
	if blocked != nil {
		text = taken
	}
	return with, "\n\n" + sentBeside + text
}

// sentBeside begins the data that came with a message, as a model sees it.
const sentBeside = "(Sent with it, as data:) "

// whole are arguments that a provider takes back: what is no object was not understood by anybody.
func whole(arguments string) string {
	if _, ok := objectIn(arguments); !ok || strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	return arguments
}

// brief tells the model who it is, what it is for, and what is known.
func (m *machine) brief(step *dsl.Step) string {
	p := m.program()
	var b strings.Builder
	part := func(title, text string) {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString(title + text + "\n")
		}
	}
	list := func(title string, all []dsl.Text) {
		for i, t := range all {
			if i == 0 {
				b.WriteString(title + "\n")
			}
			part("- ", m.text(t))
		}
	}
	if step != nil {
		part("Your goal now: ", m.text(step.Goal))
		part("It serves this goal: ", m.text(p.Goal))
	} else {
		part("Your goal: ", m.text(p.Goal))
	}
	part("You are ", p.Agent+". "+m.text(p.Persona))
	list("Keep to this:", p.Limitations)
	list("How to go about it:", p.Instructions)
	part("The user's language: ", m.s.Talk.Language)
	part("What happened before: ", m.s.Talk.Views[p.Agent].Summary)
	m.speechTold(part)
	m.slotsTold(step, part)
	m.memoryTold(part)
	m.workTold(part)
	if step != nil && step.ExitWhen != nil {
		part("You have reached your goal when this holds: ", step.ExitWhen.String())
	}
	return strings.TrimSpace(b.String())
}

// speechTold tells what the user has heard of what was said last on a call, where it was cut off.
func (m *machine) speechTold(part func(title, text string)) {
	var told struct {
		Speech struct {
			Interrupted *struct{ Heard string }
		}
	}
	if len(m.Metadata) == 0 || json.Unmarshal(m.Metadata, &told) != nil || told.Speech.Interrupted == nil {
		return
	}
	if heard := told.Speech.Interrupted.Heard; heard != "" {
		part("The user began to speak while you did, and heard of what you said last only: ", heard)
		return
	}
	part("", "The user began to speak before you did, and has not heard what you said last.")
}

// slotsTold tells which values are known and which are wanted, sensitive ones without their value.
func (m *machine) slotsTold(step *dsl.Step, part func(title, text string)) {
	p, known := m.program(), m.s.Talk.Slots[m.s.Talk.Agent]
	for _, slot := range p.Slots {
		switch raw, has := known[slot.Name]; {
		case has && slot.Sensitive:
			part("Known: ", slot.Name+" (not shown)")
		case has:
			part("Known: ", slot.Name+" = "+string(raw))
		case !m.delegated() && wantedBy(step, slot) && (slot.AskWhen == nil || m.holds(slot.AskWhen)):
			part("Still to be asked for, and remembered: ", slot.Name+". "+m.text(slot.Prompt))
		}
	}
}

func wantedBy(step *dsl.Step, slot *dsl.Slot) bool {
	if step != nil {
		return slices.Contains(step.Gather, slot.Name)
	}
	return slot.Required
}

// tools are what the model may have called.
func (m *machine) tools(step *dsl.Step) []completions.Tool {
	p := m.program()
	var out []completions.Tool
	for _, t := range p.Tools {
		if m.usable(step, t.Name) == nil {
			continue
		}
		tool := completions.Tool{Name: t.Name, Description: m.text(t.Description), Parameters: encoded(object(nil))}
		if t.Params != nil {
			tool.Parameters = encoded(t.Params)
		}
		out = append(out, tool)
	}
	if members := m.remembers(step); members != nil {
		out = append(out, completions.Tool{Name: remember, Parameters: encoded(object(members)),
			Description: "Keep values that the user has given. Only those that were said; never guessed ones."})
	}
	var to []string
	for _, h := range p.Handoffs {
		if _, offered := m.offered(handOver + h.To); offered == nil || slices.Contains(to, h.To) {
			continue
		}
		to = append(to, h.To)
		why := strings.TrimSpace(strings.Join([]string{h.Intent, m.text(h.Reason), m.Programs[h.To].Description}, " "))
		out = append(out, completions.Tool{Name: handOver + h.To, Parameters: encoded(object(nil)),
			Description: strings.TrimSpace("Give the conversation to " + h.To + ". " + why)})
	}
	for i, e := range p.Escalates {
		if name := peopleTool(e.Queue); m.offeredPeople(name) == i {
			out = append(out, completions.Tool{Name: name, Parameters: encoded(object(nil)),
				Description: strings.TrimSpace("Give the conversation to a person. " + m.text(e.Reason))})
		}
	}
	return append(out, m.workTools()...)
}

// personWrote begins what a person said while people had the conversation, as a model sees it.
const personWrote = "(A colleague, a person, wrote:) "

func object(members map[string]any) map[string]any {
	if members == nil {
		members = map[string]any{}
	}
	return map[string]any{"type": "object", "properties": members}
}

// sessionMember is the parameter of remember that has variables of the session.
const sessionMember = "session"

// remembers are the parameters of remember: the agent's slots, and the session's variables that
// say when the model is done. nil: there is nothing to remember.
func (m *machine) remembers(step *dsl.Step) map[string]any {
	out := map[string]any{}
	if known, free := m.members(step); free || len(known) > 0 {
		members := map[string]any{}
		for _, name := range known {
			members[name] = map[string]any{}
		}
		out[sessionMember] = object(members)
	}
	if stores := m.memoryParameters(); stores != nil {
		out[memoryMember] = stores
	}
	for _, slot := range m.program().Slots {
		out[slot.Name] = m.slotSchema(slot)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

var memberOf = regexp.MustCompile(`\bsession\.([A-Za-z_][A-Za-z0-9_]*)`)

// members are the session's variables that the model may set: those that EXIT_WHEN names or,
// without a step, COMPLETE. Of an EXIT_WHEN that names neither these nor slots, any.
func (m *machine) members(step *dsl.Step) (known []string, free bool) {
	var conditions []*dsl.Condition
	if step == nil {
		for _, c := range m.program().Completes {
			conditions = append(conditions, c.When)
		}
	} else if step.ExitWhen != nil {
		conditions = append(conditions, step.ExitWhen)
		free = strings.Contains(step.ExitWhen.String(), sessionMember)
	}
	for _, c := range conditions {
		if c == nil {
			continue
		}
		for _, found := range memberOf.FindAllStringSubmatch(c.String(), -1) {
			if !dsl.OfSession(found[1]) && !slices.Contains(known, found[1]) {
				known = append(known, found[1])
			}
		}
	}
	return known, free && len(known) == 0
}

// formats say what a text has to look like, to models that heed it.
var formats = map[dsl.SlotType]string{dsl.SlotDate: "date", dsl.SlotDatetime: "date-time", dsl.SlotEmail: "email", dsl.SlotPhone: "phone"}

// slotSchema is what a value of a slot looks like.
func (m *machine) slotSchema(slot *dsl.Slot) map[string]any {
	kind := map[dsl.SlotType]string{dsl.SlotInteger: "integer", dsl.SlotNumber: "number", dsl.SlotBoolean: "boolean",
		dsl.SlotList: "array"}[slot.Type]
	if kind == "" {
		kind = "string"
	}
	var options []string
	for _, o := range slot.Options {
		options = append(options, o.ID)
	}
	out := map[string]any{"type": kind}
	one := out
	if slot.Type == dsl.SlotList {
		one = map[string]any{"type": "string"}
		out["items"] = one
	}
	if len(options) > 0 {
		one["enum"] = options
	}
	if format := formats[slot.Type]; format != "" {
		one["format"] = format
	}
	about := []string{strings.TrimSpace(m.text(slot.Description) + " " + m.text(slot.Prompt))}
	switch slot.Type {
	case dsl.SlotDate, dsl.SlotDatetime, dsl.SlotEmail, dsl.SlotPhone:
		about = append(about, fmt.Sprintf("(%s)", slot.Type))
	}
	if slot.Pattern != nil {
		one["pattern"] = slot.Pattern.String()
		about = append(about, fmt.Sprintf("(of the form %s)", slot.Pattern))
	}
	if text := strings.TrimSpace(strings.Join(about, " ")); text != "" {
		out["description"] = text
	}
	return out
}
