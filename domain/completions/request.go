package completions

import (
	"context"
	"encoding/json"
	"slices"
)

// The parts that say something to a model, or that a model plays.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	FromTool  = "tool"
)

// Request is what a model is asked: how to go on after the messages.
type Request struct {
	ModelID     string // as the server names it; empty: the tier says
	Tier        string // empty: Balanced
	Messages    []Message
	Tools       []Tool
	ToolChoice  string   // NoTool, AnyTool or OneTool; empty: the model chooses
	OnlyTool    string   // of OneTool: its name
	OneAtATime  bool     // at most one tool is called
	Temperature *float64 // nil: the model's own
	MaxTokens   int64    // of the answer; 0: the model's own
	Stop        []string // texts before which the answer ends

	// Show gives the content of a picture to who asks a model that sees, fault.NotFound where it is not there any
	// more; nil: no picture is shown. It is no part of what is asked.
	Show func(context.Context, Picture) ([]byte, error) `json:"-"`
}

// How far a model may choose whether it calls a tool.
const (
	NoTool  = "none"
	AnyTool = "any" // at least one
	OneTool = "one" // this one
)

// The tiers, from the cheapest to the strongest.
const (
	Fast     = "fast"
	Balanced = "balanced"
	Powerful = "powerful"
)

// Tiers lists them.
func Tiers() []string { return []string{Fast, Balanced, Powerful} }

// Message is one statement to a model, or of one.
type Message struct {
	Role       string // System, User, Assistant or FromTool
	Name       string // of who speaks; empty: nobody says
	Text       string
	ToolCallID string     // of FromTool: the call that this answers
	ToolCalls  []ToolCall // of Assistant
	Pictures   []Picture  `json:",omitempty"` // of User, beside the text
}

// Picture is one that goes with a statement. Its content is not part of what is decided, and never on the log.
type Picture struct {
	AttachmentID string
	ContentType  string
	Blob         string // its name in blob storage
	Content      []byte `json:"-"` // put in for the model that is asked
}

// The bounds of what a model is shown.
const (
	MostPictures   = 10      // of one request: the newest
	LargestPicture = 1 << 20 // bytes
)

var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// IsPicture is whether a file is one that models can be shown.
func IsPicture(contentType string, size int64) bool {
	return slices.Contains(pictures, contentType) && size <= LargestPicture
}

// Tool is what a model may ask to be called.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema; nil: it takes nothing
}

// ToolCall is a model's wish to have a tool called.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, as text
}

// Chosen is the model that answers.
type Chosen struct {
	ModelID  string
	Provider string
	Source   string // what decided: request (its modelId), tier, or default
}

// Kind is what a piece of an answer is.
type Kind int

// The pieces, in the order in which they come: Begun once, then texts and calls of tools,
// each of which starts, is given its arguments, and ends.
const (
	Begun Kind = iota + 1
	TextDelta
	ToolStarted
	ToolArguments
	ToolEnded
)

// Piece is a part of an answer that is being made.
type Piece struct {
	Kind   Kind
	Chosen Chosen   // of Begun
	Text   string   // of TextDelta
	Call   ToolCall // ToolStarted has its id and name, ToolArguments a piece of Arguments, ToolEnded all
}

// Finish is how an answer ended.
type Finish struct {
	Chosen  Chosen
	Model   string // that answered, as its provider calls it
	Reason  string // EndTurn and so on
	Usage   Usage
	Pricing Pricing
}

// Why a model ended its answer.
const (
	EndTurn       = "end_turn"
	MaxTokens     = "max_tokens"
	ToolUse       = "tool_use"
	StopSequence  = "stop_sequence"
	ContentFilter = "content_filter"
)

// Usage is what an answer took, in the model's tokens.
type Usage struct {
	TokensIn  int64
	TokensOut int64
	Estimated bool // nobody counted: a token is taken to be four bytes
}

// mostTokens is how many one answer can have taken at the most: no model comes near it.
const mostTokens = 1_000_000_000

// Credible reports whether a provider can have counted so. One that a tenant brings may say anything, also what a budget would give
// back, and what no sum could hold.
func (u Usage) Credible() bool {
	return u.TokensIn >= 0 && u.TokensOut >= 0 && u.TokensIn <= mostTokens && u.TokensOut <= mostTokens
}
