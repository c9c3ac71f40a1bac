package msteams

import (
	"strings"

	"github.com/parley-platform/parley/domain/channels"
)

// The members of what a card submits: the token of a button, or which of its fields was filled in.
const (
	choice = "choice"
	menu   = "menu"
	input  = "input"
)

// taken begins what a field of a card is called by; the token of the field follows.
const taken = "taken-"

// cardOf is what goes with a text; nil: nothing does.
func cardOf(m channels.Outbound) object {
	if len(m.Choices)+len(m.Fields) == 0 {
		return nil
	}
	card := object{"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.5"}
	var body, actions []object
	for _, f := range m.Fields {
		shown, kind := entry(f)
		ok := submit("OK", object{kind: shown["id"]})
		body = append(body, shown, object{"type": "ActionSet", "actions": []object{ok}})
	}
	for _, c := range m.Choices {
		actions = append(actions, submit(c.Label, object{choice: c.Token}))
	}
	card["body"] = append([]object{}, body...)
	if len(actions) > 0 {
		card["actions"] = actions
	}
	return card
}

func submit(title string, data object) object {
	return object{"type": "Action.Submit", "title": title, "data": data}
}

// entry is a field, called by its token, or a menu by that of its first option.
func entry(f channels.Field) (shown object, kind string) {
	shown = object{}
	if f.Label != "" {
		shown["label"] = f.Label
	}
	if len(f.Options) == 0 {
		shown["id"], shown["type"] = taken+f.Token, "Input.Text"
		return shown, input
	}
	choices := make([]object, len(f.Options))
	for i, o := range f.Options {
		choices[i] = object{"title": o.Label, "value": o.Token}
	}
	shown["id"], shown["type"], shown["style"], shown["choices"] = taken+f.Options[0].Token, "Input.ChoiceSet", "compact", choices
	return shown, menu
}

// submitted is what somebody did to a card of ours: the token of it, and what they wrote. No token:
// nothing that says anything to us.
func submitted(value map[string]any) (token, text string) {
	of := func(kind string) string { s, _ := value[kind].(string); return s }
	filled, _ := value[of(menu)].(string)
	if token = of(choice); token == "" {
		token = filled
	}
	if of(input) == "" || token != "" {
		return token, ""
	}
	text, _ = value[of(input)].(string)
	token, ours := strings.CutPrefix(of(input), taken)
	if !ours || text == "" {
		return "", ""
	}
	return token, text
}
