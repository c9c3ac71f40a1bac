package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/parley-platform/parley/domain/event"
)

// ModelAsked says that a turn asks a model how to go on. What it is asked is not on the log: it
// follows from the state and the sources, and Prompt tells whether it still does.
type ModelAsked struct {
	InTurn
	CallID   string `json:"callId"`
	Agent    string `json:"agent"`
	Step     string `json:"step,omitempty"`
	Tier     string `json:"tier,omitempty"`
	ModelID  string `json:"modelId,omitempty"`  // that the source names
	Prompt   string `json:"prompt"`             // SHA-256 of the request
	Fallback bool   `json:"fallback,omitempty"` // the first one failed
	Empty    bool   `json:"empty,omitempty"`    // it said nothing before
	Retry    int    `json:"retry,omitempty"`    // how often ON_ERROR had it asked again

	// Of one that is asked for values only, and leads nothing.
	Purpose Purpose  `json:"purpose,omitempty"`
	Slots   []string `json:"slots,omitempty"` // whose values are wanted
	Waits   Waiting  `json:"waits,omitzero"`  // what the turn has begun with
	Claimed
}

var _ = event.Register[ModelAsked](Sessions, "model-asked", 1)

// Apply folds the event.
func (e ModelAsked) Apply(s *State) {
	s.Talk.Calls++
	if r := s.at(e.InTurn).Running; r != nil {
		r.Models++
		r.Asked = &e
		if e.Purpose == Extracts {
			r.Extracted = append(r.Extracted, e.Agent)
		}
	}
}

// Purpose is what a model is asked for.
type Purpose string

// The purposes.
const (
	Leads    Purpose = ""        // how to go on
	Extracts Purpose = "extract" // values of slots in what the user said
)

// ModelCall is a model's wish to have a tool called.
type ModelCall struct {
	ID        string `json:"id"`
	Name      string `json:"name" personal:"customer"`
	Arguments string `json:"arguments" personal:"customer"` // a JSON object, if the model did well
}

// ModelAnswered says what came of a model: its first answer, from whomever.
type ModelAnswered struct {
	InTurn
	CallID    string      `json:"callId"`
	ProjectID string      `json:"projectId,omitempty"`
	Agent     string      `json:"agent"`
	Step      string      `json:"step,omitempty"`
	Text      string      `json:"text,omitempty" personal:"customer"`
	ToolCalls []ModelCall `json:"toolCalls,omitempty"`
	Finish    string      `json:"finish,omitempty"`
	Failed    string      `json:"failed,omitempty"` // why there is no answer
	Purpose   Purpose     `json:"purpose,omitempty"`

	ModelID      string `json:"modelId,omitempty"` // absent: no model began
	Provider     string `json:"provider,omitempty"`
	Model        string `json:"model,omitempty"` // as its provider calls it
	TokensIn     int64  `json:"tokensIn"`
	TokensOut    int64  `json:"tokensOut"`
	Estimated    bool   `json:"estimated,omitempty"` // nobody counted the tokens
	PriceVersion string `json:"priceVersion,omitempty"`
	CostPico     *int64 `json:"costPico"` // pico-dollars; null: the price is not known
	TookMs       int64  `json:"tookMs"`
}

var _ = event.Register[ModelAnswered](Sessions, "model-answered", 1)

// Apply folds the event: the wishes stay until each of them has its result.
func (e ModelAnswered) Apply(s *State) {
	s.Talk.Traces++
	s.spend(e.CostPico, e.ModelID)
	if e.Failed != "" && e.Failed != CodeCancelled {
		s.Talk.Errors++
	}
	t := s.at(e.InTurn)
	if t.Running != nil {
		t.Running.Asked = nil
	}
	if len(e.ToolCalls) == 0 || e.Purpose != Leads {
		return
	}
	line := Line{Agent: e.Agent}
	for _, c := range e.ToolCalls {
		line.Wishes = append(line.Wishes, Wish{ModelCall: c})
	}
	t.History = append(t.History, line)
}

// ModelTold is what a model is told of a wish that no tool's call answers: what was remembered,
// or why nothing was called.
type ModelTold struct {
	InTurn
	Agent  string `json:"agent"`
	Step   string `json:"step,omitempty"`
	Wish   string `json:"wish"` // the id of the model's call
	Result string `json:"result" personal:"customer"`
}

var _ = event.Register[ModelTold](Sessions, "model-told", 1)

// Apply folds the event.
func (e ModelTold) Apply(s *State) { s.at(e.InTurn).told(e.Wish, e.Result) }

// Wish is a call that a model wants, with its result when there is one.
type Wish struct {
	ModelCall
	Done   bool
	Result string
}

// Sum stands for what a wish wants: the same tool with the same arguments.
func (w Wish) Sum() string {
	sum := sha256.Sum256([]byte(w.Name + "\x00" + w.Arguments))
	return hex.EncodeToString(sum[:])
}

// Unsure is a write that a model wanted, and of which nobody knows whether it was done.
type Unsure struct {
	Turn int
	Tool string
	Sum  string
}

// outcomeTold is what a model is told of a call: its result, or why it has none.
func outcomeTold(e CallEnded) string {
	switch {
	case e.Outcome == CallUnknown:
		return `{"error":"` + CodeUnknown + `","hint":"Nobody knows whether this was done. Do not do it again."}`
	case e.Outcome != CallOK:
		why := map[string]string{"error": e.Code}
		if e.Problem != "" {
			why["problem"] = e.Problem
		}
		told, _ := json.Marshal(why)
		return string(told)
	case len(e.Result) == 0:
		return `{"ok":true}`
	}
	return Cut(string(e.Result), mostTold)
}

// ended tells the model whose wish a call was.
func (t *Talk) ended(e CallEnded) {
	if w := t.wish(e.Wish); w != nil {
		if e.Outcome == CallUnknown {
			t.Unsure = append(t.Unsure, Unsure{Turn: e.Turn, Tool: e.Tool, Sum: w.Sum()})
		}
		t.told(e.Wish, outcomeTold(e))
	}
}
