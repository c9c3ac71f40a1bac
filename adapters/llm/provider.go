package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/parley-platform/parley/domain/completions"
)

// Provider has models that go on after messages. Its pieces come in the order that
// completions.Kind says; the first, Begun, as soon as the model has begun. An error of emit
// ends the answer and is returned.
type Provider interface {
	Stream(ctx context.Context, model string, r completions.Request, emit func(completions.Piece) error) (Ended, error)
}

// Ended is how a provider says that an answer is whole.
type Ended struct {
	Model   string // that answered, as the provider calls it
	Reason  string // completions.EndTurn and so on
	Usage   completions.Usage
	Counted bool // the provider said the usage
}

// errUnreadable says that a provider sent what is no answer.
var errUnreadable = errors.New("the model's call of a tool cannot be read")

// mostSaid is how many bytes of texts and arguments an answer may have, and mostCalls how many calls of tools: a model that is beyond
// them does not end.
const (
	mostSaid  = 4 << 20
	mostCalls = 1_000
)

var errEndless = errors.New("the model says more than is read of an answer")

// pieces makes pieces of what a provider sends: it begins once, and calls of tools start, get
// their arguments and end, one after the other.
type pieces struct {
	emit  func(completions.Piece) error
	begun bool
	open  *completions.ToolCall
	given []byte // the arguments of the call that is open
	at    int    // which call is open, as the provider counts
	calls int
	said  int // bytes
}

func (p *pieces) begin() error {
	if p.begun {
		return nil
	}
	p.begun = true
	return p.emit(completions.Piece{Kind: completions.Begun})
}

func (p *pieces) text(delta string) error {
	if delta == "" {
		return nil
	}
	if p.said += len(delta); p.said > mostSaid {
		return errEndless
	}
	return p.emit(completions.Piece{Kind: completions.TextDelta, Text: delta})
}

// start ends the call that is open, and begins another.
func (p *pieces) start(at int, id, name string) error {
	if err := p.end(); err != nil {
		return err
	}
	if id == "" || name == "" {
		return errUnreadable
	}
	if p.calls++; p.calls > mostCalls {
		return errEndless
	}
	p.open, p.at, p.given = &completions.ToolCall{ID: id, Name: name}, at, nil
	return p.emit(completions.Piece{Kind: completions.ToolStarted, Call: *p.open})
}

func (p *pieces) arguments(piece string) error {
	if piece == "" {
		return nil
	}
	if p.open == nil {
		return errUnreadable
	}
	if p.said += len(piece); p.said > mostSaid {
		return errEndless
	}
	p.given = append(p.given, piece...)
	return p.emit(completions.Piece{Kind: completions.ToolArguments, Call: completions.ToolCall{ID: p.open.ID, Arguments: piece}})
}

// end refuses a call whose arguments are no JSON object; none are an empty one.
func (p *pieces) end() error {
	if p.open == nil {
		return nil
	}
	call := *p.open
	p.open, call.Arguments = nil, "{}"
	if len(p.given) > 0 {
		call.Arguments = string(p.given)
	}
	if given := bytes.TrimSpace([]byte(call.Arguments)); !json.Valid(given) || given[0] != '{' {
		return errUnreadable
	}
	return p.emit(completions.Piece{Kind: completions.ToolEnded, Call: call})
}

// reason is what a provider's word for the end means. A word that is not known is an end
// like any other.
func reason(of map[string]string, word string, calls int) string {
	meant := of[word]
	if meant == "" || meant == completions.EndTurn && calls > 0 {
		if calls > 0 {
			return completions.ToolUse
		}
		return completions.EndTurn
	}
	return meant
}

// systemOf are the instructions of a request, for providers that want them apart.
func systemOf(all []completions.Message) (texts []string, others []completions.Message) {
	others = slices.Clone(all)
	others = slices.DeleteFunc(others, func(m completions.Message) bool { return m.Role == completions.System })
	for _, m := range all {
		if m.Role == completions.System {
			texts = append(texts, m.Text)
		}
	}
	return texts, others
}
