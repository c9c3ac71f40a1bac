package dsl

import "time"

// ToolKind is how a tool is called.
type ToolKind string

// The kinds.
const (
	ToolHTTP     ToolKind = "http"
	ToolMCP      ToolKind = "mcp"
	ToolCallback ToolKind = "callback" // a request whose answer comes later, to callback.url
	ToolCode     ToolKind = "code"
	ToolDeployed ToolKind = "tool"     // USE: a deployed tool
	ToolWorkflow ToolKind = "workflow" // a deployed workflow, whose steps run
	ToolAgent    ToolKind = "a2a"      // an agent of others, by the agent-to-agent protocol
)

// Tool is something that the agent may call.
type Tool struct {
	Place
	Name        string
	Kind        ToolKind
	Description Text
	Params      *Schema // nil: takes any object
	Result      *Schema // nil: answers anything
	Write       bool    // EFFECT write
	Idempotent  bool    // a write that may be repeated with the same key
	Confirm     bool    // the user is asked before: CONFIRM always, or CONFIRM write of a tool that writes
	Timeout     time.Duration
	Retry       int
	Backoff     time.Duration // before the first repeat; doubles
	Cache       time.Duration // how long a result is good; 0: never
	Mask        []string      // arguments that the log shows as ***

	Request   *Request      // of http, callback and a2a
	Expires   time.Duration // of callback: how long the answer may take
	OnTimeout *Then         // of callback
	SignWith  string        // of callback: the tool secret that its answer is signed with
	Server    string        // of mcp
	Remote    string        // of mcp: the tool's name there
	Protocol  string        // of a2a: its version
	Use       string        // of tool and workflow: its id
	Source    string        // of code: the body of a function of args
	MemoryMB  int           // of code
	Stores    []string      // of code: memory stores that it reaches
}

// Request is what a tool sends. Its values see args, call.id, message_metadata and, of a
// callback, callback.url and callback.id. What secrets stand in it comes in with Fill,
// while Eval shows *** in their place, for the log.
type Request struct {
	Method  string
	URL     Text
	Query   []Argument
	Headers []Argument
	Body    *Value // nil: none
}

// SlotType is what a slot holds.
type SlotType string

// The types.
const (
	SlotString   SlotType = "string" // one line
	SlotText     SlotType = "text"
	SlotInteger  SlotType = "integer"
	SlotNumber   SlotType = "number"
	SlotBoolean  SlotType = "boolean"
	SlotDate     SlotType = "date"     // 2026-11-24
	SlotDatetime SlotType = "datetime" // 2026-11-24T15:04:05Z
	SlotEmail    SlotType = "email"
	SlotPhone    SlotType = "phone" // E.164
	SlotEnum     SlotType = "enum"
	SlotPattern  SlotType = "pattern"
	SlotList     SlotType = "list" // of texts, or of OPTIONS
)

// Extraction is how a value is found in what the user said.
type Extraction string

// The ways.
const (
	ExtractExact   Extraction = "exact"   // all that was said is the value
	ExtractPattern Extraction = "pattern" // the value stands somewhere in it
	ExtractModel   Extraction = "model"   // a model finds it; Read judges what it found
)

// Slot is something that the agent wants to know from the user.
type Slot struct {
	Place
	Name        string
	Type        SlotType
	Description Text // told to the model
	Prompt      Text // none: the slot's name
	RetryPrompt Text // none: Prompt
	MaxRetries  int
	Required    bool
	Default     any      // nil: none
	Options     []Option // of enum and list
	Pattern     *Pattern // nil: none
	Validate    *Condition
	AskWhen     *Condition
	Sensitive   bool // masked in everything that shows it, sealed on the log
	Extract     Extraction
}

// Option is one choice of an enum: what is kept, and what it is called.
type Option struct {
	ID    string
	Label Text // none: its ID
}
