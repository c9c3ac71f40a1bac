package anthropic

import "encoding/json"

// Request asks a model to go on after the messages.
type Request struct {
	Model         string      `json:"model"`
	MaxTokens     int64       `json:"max_tokens"` // Anthropic wants it
	System        string      `json:"system,omitempty"`
	Messages      []Message   `json:"messages"`
	Tools         []Tool      `json:"tools,omitempty"`
	ToolChoice    *ToolChoice `json:"tool_choice,omitempty"` // nil: the model chooses
	Temperature   *float64    `json:"temperature,omitempty"` // 0 to 1
	StopSequences []string    `json:"stop_sequences,omitempty"`
	Stream        bool        `json:"stream"`
}

// ToolChoice says what the model has to call.
type ToolChoice struct {
	Type       string `json:"type"` // none, auto, any or tool
	Name       string `json:"name,omitempty"`
	OneAtATime bool   `json:"disable_parallel_tool_use,omitempty"` // not of none
}

// Message is what one side said.
type Message struct {
	Role    string  `json:"role"` // user or assistant
	Content []Block `json:"content"`
}

// Block is a part of a message: a text, a wish to use a tool, or a tool's result.
type Block struct {
	Type      string          `json:"type"` // text, image, tool_use or tool_result
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"` // of tool_result
	Source    *Source         `json:"source,omitempty"`  // of image
}

// Source is a picture's content.
type Source struct {
	Type      string `json:"type"` // base64
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// Tool is what a model may want used.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Event is one of a stream; which members it has its type says.
type Event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Model string `json:"model"`
		Usage Usage  `json:"usage"`
	} `json:"message"` // of message_start
	ContentBlock struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"content_block"` // of content_block_start
	Delta struct {
		Type        string `json:"type"` // text_delta, input_json_delta and others
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"` // of message_delta
	} `json:"delta"`
	Usage Usage `json:"usage"` // of message_delta: until now
}

// Usage is in tokens. What was read from or written to a cache is not in InputTokens.
type Usage struct {
	InputTokens   int64 `json:"input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	OutputTokens  int64 `json:"output_tokens"`
}
