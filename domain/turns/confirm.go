package turns

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

const (
	confirmation = "confirmation"  // the kind of what is noticed of it
	notConfirmed = "NOT_CONFIRMED" // the user did not say yes
)

// What a user chooses between.
const (
	yesID = "yes"
	noID  = "no"
)

// asking are the words in which a user is asked whether a tool may be called.
type asking struct{ may, yes, no string }

// askedIn are those words by language; English where there is none.
var askedIn = map[string]asking{
	"en": {"May I do this: %s?", "Yes", "No"},
	"de": {"Darf ich das tun: %s?", "Ja", "Nein"},
	"es": {"¿Puedo hacer esto: %s?", "Sí", "No"},
	"fr": {"Puis-je faire ceci : %s ?", "Oui", "Non"},
	"it": {"Posso fare questo: %s?", "Sì", "No"},
	"nl": {"Mag ik dit doen: %s?", "Ja", "Nee"},
	"pt": {"Posso fazer isto: %s?", "Sim", "Não"},
}

// confirm asks the user whether a tool may be called with these arguments, and waits. A delegate
// has nobody to ask, nor has who assists people: what the user says next is no answer to it.
func (m *machine) confirm(step *dsl.Step, tool *dsl.Tool, args map[string]any, wish string) outcome {
	if m.delegated() || m.assists() {
		return m.unconfirmed(step, tool, wish)
	}
	m.notice(confirmation, tool.Name, "asked")
	m.askFor(sessions.Waiting{For: sessions.ForConfirm, Tool: tool.Name, Wish: wish, Sum: sumOf(args)}, tool, args)
	return stopped
}

func (m *machine) askFor(w sessions.Waiting, tool *dsl.Tool, args map[string]any) {
	words, what := inLanguage(askedIn, m.s.Talk.Language), strings.TrimRight(strings.TrimSpace(m.text(tool.Description)), ".")
	if what == "" {
		what = tool.Name
	}
	var with []string
	args, _, _ = m.guardArguments(tool, args)
	shown := shownArguments(args, tool.Mask)
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		with = append(with, name+" "+cutShown(strings.Trim(string(shown[name]), `"`)))
	}
	if len(with) > 0 {
		what += " (" + strings.Join(with, ", ") + ")"
	}
	button := func(id, label string) sessions.Element {
		return sessions.Element{Kind: string(dsl.RichButton), ID: id, Label: label}
	}
	m.utter(fmt.Sprintf(words.may, what), []sessions.Element{button(yesID, words.yes), button(noID, words.no)})
	m.s.Talk.Waits = w
}

// takeConfirm goes on with what the user says to the call of a tool. What is neither yes nor no is
// asked once more for a step, and is no for a model, which hears it.
func (m *machine) takeConfirm(w sessions.Waiting) bool {
	agent, p := m.s.Talk.Agent, m.program()
	step, tool, wish := p.Flow.Step(m.s.Talk.Step), p.Tool(w.Tool), m.s.Talk.Wish(w.Wish)
	m.s.Talk.Waits = sessions.Waiting{}
	if out := m.rules(); out != proceed {
		m.goesOn(agent, out)
		return false
	}
	if tool == nil || w.Wish != "" && wish == nil || w.Wish == "" && (step == nil || step.Call == nil || step.Call.Tool != w.Tool) {
		return true
	}
	yes, no := m.affirms()
	args, fits := map[string]any(nil), true
	if wish == nil {
		args, fits = m.arguments(step.Call, tool)
	}
	switch {
	case wish == nil && fits && !yes && !no && w.Tries == 0:
		w.Tries++
		m.askFor(w, tool, args)
	case !yes:
		m.notice(confirmation, tool.Name, noID)
		m.goesOn(agent, m.refuses(step, tool, w.Wish))
	case wish != nil:
		m.notice(confirmation, tool.Name, yesID)
		m.confirmed = w.Wish
		m.goesOn(agent, m.carryOut(step))
	case !fits || sumOf(args) != w.Sum: // it would be called with something else now
		m.goesOn(agent, m.call(step))
	default:
		m.notice(confirmation, tool.Name, yesID)
		m.goesOn(agent, m.try(step, 0, ""))
	}
	return false
}

// refuses goes on behind a no.
func (m *machine) refuses(step *dsl.Step, tool *dsl.Tool, wish string) outcome {
	out := m.unconfirmed(step, tool, wish)
	if out == proceed && wish != "" {
		return m.carryOut(step)
	}
	return out
}

// unconfirmed is what follows where nobody said yes: the model is told, or ON_ERROR goes on.
func (m *machine) unconfirmed(step *dsl.Step, tool *dsl.Tool, wish string) outcome {
	if w := m.s.Talk.Wish(wish); w != nil {
		m.refuse(*w, notConfirmed, "the user did not say yes to this; do not do it unless he asks for it again")
		return proceed
	}
	if step.Otherwise() == nil {
		return m.fail(notConfirmed, tool.Name)
	}
	return m.otherwise(step)
}

// otherwise goes on as ON_ERROR of a step says, but for its RETRY.
func (m *machine) otherwise(step *dsl.Step) outcome {
	out := m.then(step.OnError)
	if out == proceed && step.OnError.Continue {
		return m.behind(step)
	}
	return m.settle(out, step)
}

// affirms is whether the user said or chose yes, or no; neither: something else.
func (m *machine) affirms() (yes, no bool) {
	said := m.heard
	if m.Action != nil {
		said = m.Action.ID
		if chosen, _ := decoded(m.Action.Value).(string); chosen == yesID || chosen == noID {
			said = chosen
		}
	}
	if yes, no = dsl.YesOrNo(said); yes || no {
		return yes, no
	}
	said = strings.ToLower(strings.Trim(said, " .,!"))
	return false, said == "stop" || said == "cancel"
}

// sumOf stands for a value: the arguments of a call, or all that a model is asked.
func sumOf(v any) string {
	sum := sha256.Sum256(encoded(v))
	return hex.EncodeToString(sum[:])
}

// longestShown is how many characters a user is shown of one argument.
const longestShown = 80

func cutShown(text string) string {
	if runes := []rune(text); len(runes) > longestShown {
		return string(runes[:longestShown]) + "…"
	}
	return text
}
