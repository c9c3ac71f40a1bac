package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
)

// Stream implements Provider by rules, so that everything can be tried without a key. Each
// word is a piece, and counts as a token. Of the rules the first that fits is followed:
//
//   - the last message is a tool's: "The tool answered: ..." with what it said
//   - the last message of the user names a tool, as a word: the tool is called. Its arguments
//     are the JSON object in the message, if there is one, else an empty one
//   - a tool has to be called: the one that is wanted, or else the first. Its arguments are those
//     of valuesIn
//   - else: "You said: ..." with the last message of the user, and before it "My goal: ..."
//     with the last system message, if there is one
//
// At most 200 characters of each are quoted. MaxTokens ends the answer behind so many words,
// and a text of Stop before itself.
func (Local) Stream(ctx context.Context, model string, r completions.Request, emit func(completions.Piece) error) (Ended, error) {
	p := &pieces{emit: emit}
	out := Ended{Model: model, Reason: completions.EndTurn, Counted: true}
	for _, m := range r.Messages {
		out.Usage.TokensIn += int64(len(strings.Fields(m.Text)))
	}
	if err := p.begin(); err != nil {
		return out, err
	}
	if tool, arguments := wantedTool(r); tool != "" {
		out.Reason, out.Usage.TokensOut = completions.ToolUse, int64(1+len(strings.Fields(arguments)))
		if err := p.start(0, fmt.Sprintf("call_local_%d", len(r.Messages)), tool); err != nil {
			return out, err
		}
		if err := p.arguments(arguments); err != nil {
			return out, err
		}
		return out, p.end()
	}
	for i, word := range strings.SplitAfter(strings.TrimSpace(before(localAnswer(r.Messages), r.Stop)), " ") {
		if err := ctx.Err(); err != nil {
			return out, fault.New(fault.Unavailable, "the answer was given up").Because(err)
		}
		if r.MaxTokens > 0 && int64(i) == r.MaxTokens {
			out.Reason = completions.MaxTokens
			break
		}
		if word == "" { // nothing is left before the first stop
			break
		}
		if err := p.text(word); err != nil {
			return out, err
		}
		out.Usage.TokensOut++
	}
	return out, nil
}

func lastOfRole(all []completions.Message, role string) (text string) {
	for _, m := range all {
		if m.Role == role {
			text = m.Text
		}
	}
	return cut(strings.Join(strings.Fields(text), " "), mostQuoted)
}

func localAnswer(all []completions.Message) string {
	if all[len(all)-1].Role == completions.FromTool {
		return "The tool answered: " + lastOfRole(all, completions.FromTool)
	}
	said := "You said: " + lastOfRole(all, completions.User)
	if goal := lastOfRole(all, completions.System); goal != "" {
		return "My goal: " + goal + " " + said
	}
	return said
}

func wantedTool(r completions.Request) (name, arguments string) {
	last := r.Messages[len(r.Messages)-1]
	switch {
	case last.Role != completions.User || r.ToolChoice == completions.NoTool:
		return "", ""
	case r.ToolChoice == completions.OneTool:
		return r.OnlyTool, valuesIn(r, r.OnlyTool)
	}
	for _, t := range r.Tools {
		if regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(t.Name) + `($|[^\w-])`).MatchString(last.Text) {
			return t.Name, argumentsIn(last.Text)
		}
	}
	if r.ToolChoice == completions.AnyTool {
		return r.Tools[0].Name, valuesIn(r, r.Tools[0].Name)
	}
	return "", ""
}

// before is a text up to the first of the texts that end it.
func before(text string, stops []string) string {
	for _, stop := range stops {
		text, _, _ = strings.Cut(text, stop)
	}
	return text
}

// argumentsIn is the JSON object of a text, from its first brace on.
func argumentsIn(text string) string {
	from := strings.IndexByte(text, '{')
	if from < 0 {
		return "{}"
	}
	var object json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text[from:])).Decode(&object); err != nil {
		return "{}"
	}
	return string(object)
}
