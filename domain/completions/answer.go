package completions

import (
	"slices"
	"strings"
)

// Answer is what came of a model until now.
type Answer struct {
	Chosen Chosen
	text   strings.Builder
	calls  []ToolCall
	bytes  int64 // of texts and arguments
}

// Take adds a piece.
func (a *Answer) Take(p Piece) {
	a.bytes += int64(len(p.Text))
	switch p.Kind {
	case Begun:
		a.Chosen = p.Chosen
	case TextDelta:
		a.text.WriteString(p.Text)
	case ToolArguments:
		a.bytes += int64(len(p.Call.Arguments))
	case ToolEnded:
		a.calls = append(a.calls, p.Call)
	}
}

// Text is all that was said.
func (a *Answer) Text() string { return a.text.String() }

// Calls are the calls of tools that are complete.
func (a *Answer) Calls() []ToolCall { return slices.Clone(a.calls) }

// bytesOfToken is a rule of thumb for what nobody counted.
const bytesOfToken = 4

// Estimate is what an answer took when its provider does not say: of one that was cut off.
// Nothing was taken where no model began.
func (a *Answer) Estimate(r Request) Usage {
	if a.Chosen.ModelID == "" {
		return Usage{}
	}
	var asked int64
	for _, m := range r.Messages {
		asked += int64(len(m.Text))
		for _, c := range m.ToolCalls {
			asked += int64(len(c.Name) + len(c.Arguments))
		}
	}
	for _, t := range r.Tools {
		asked += int64(len(t.Name) + len(t.Description) + len(t.Parameters))
	}
	return Usage{TokensIn: tokens(asked), TokensOut: tokens(a.bytes), Estimated: true}
}

// Told is an estimate with what the provider did tell before the answer was cut off.
func (u Usage) Told(by Usage) Usage {
	if by.TokensIn > 0 {
		u.TokensIn = by.TokensIn
	}
	u.TokensOut = max(u.TokensOut, by.TokensOut)
	return u
}

func tokens(bytes int64) int64 { return (bytes + bytesOfToken - 1) / bytesOfToken }
