package runtime

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

type completionIn struct {
	Body struct {
		ProjectID   string        `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
		Messages    []ChatMessage `json:"messages" required:"true" minItems:"1" maxItems:"1000" nullable:"false" doc:"What was said until now, oldest first."`
		SessionID   string        `json:"sessionId,omitempty" maxLength:"128" doc:"Counts against the rate of this session: 60 messages a minute."`
		Tools       []ChatTool    `json:"tools,omitempty" maxItems:"128" nullable:"false" doc:"What the model may ask to be called."`
		ModelID     string        `json:"modelId,omitempty" maxLength:"128" doc:"A model of the project or of this server. Wins over tier."`
		Tier        string        `json:"tier,omitempty" enum:"fast,balanced,powerful" doc:"Without modelId: one of the models of this tier, the project's own before the server's; balanced unless the project's settings say otherwise."`
		Temperature *float64      `json:"temperature,omitempty" minimum:"0" maximum:"2"`
		MaxTokens   *int64        `json:"maxTokens,omitempty" minimum:"1" maximum:"200000" doc:"Of the answer."`
	}
}

// ChatMessage is what was said, or what a tool answered.
type ChatMessage struct {
	Role       string      `json:"role" required:"true" enum:"system,user,assistant,tool"`
	Content    ChatContent `json:"content,omitempty" doc:"A text, or an array of parts {type: text, text} and, of the user, {type: image_url, image_url: {url}}, where url holds the picture: data:image/png;base64,... Only an assistant's with tool_calls may be left out or null; it and that of a tool may be empty."`
	Name       string      `json:"name,omitempty" maxLength:"64"`
	ToolCallID string      `json:"tool_call_id,omitempty" maxLength:"128" doc:"Of a tool's message: the call that it answers."`
	ToolCalls  []ChatCall  `json:"tool_calls,omitempty" maxItems:"128" nullable:"false" doc:"Of an assistant's message."`
}

// ChatCall is a call of a tool that a model wanted.
type ChatCall struct {
	ID        string `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name      string `json:"name,omitempty" maxLength:"64" doc:"Or in function."`
	Arguments string `json:"arguments,omitempty" doc:"A JSON object, as text. Or in function."`
	Function  *struct {
		Name      string `json:"name,omitempty" maxLength:"64"`
		Arguments string `json:"arguments,omitempty"`
	} `json:"function,omitempty" doc:"Name and arguments, as OpenAI writes them."`
}

// ChatTool is one that a model may want called.
type ChatTool struct {
	Name        string          `json:"name" required:"true" minLength:"1" maxLength:"64" doc:"Letters, digits, _ and -." example:"find_customer"`
	Description string          `json:"description,omitempty" maxLength:"4096"`
	Parameters  jsontext.Object `json:"parameters,omitempty" doc:"A JSON Schema of an object."`
}

// ChatContent is a text or an array of parts, as it came.
type ChatContent json.RawMessage

// Schema implements huma.SchemaProvider: what it holds is checked by text.
func (ChatContent) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// MarshalJSON implements json.Marshaler.
func (c ChatContent) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (c *ChatContent) UnmarshalJSON(data []byte) error {
	*c = append((*c)[:0], data...)
	return nil
}

// given says whether there is any: a tool may answer with an empty text.
func (c ChatContent) given() bool { return len(c) > 0 && string(c) != "null" }

// read is what it says, the pictures in it, and what is wrong with it.
func (c ChatContent) read() (text string, pictures []completions.Picture, problem string) {
	if !c.given() {
		return "", nil, ""
	}
	if json.Unmarshal(c, &text) == nil {
		return text, nil, ""
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     *string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(c, &parts) != nil {
		return "", nil, "must be a text or an array of parts"
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			text += *p.Text
		case p.Type == "image_url" && p.ImageURL != nil:
			picture, problem := pictureIn(p.ImageURL.URL)
			if problem != "" {
				return "", nil, problem
			}
			pictures = append(pictures, picture)
		default:
			return "", nil, "must hold parts {type: text, text} and {type: image_url, image_url: {url}} only"
		}
	}
	return text, pictures, ""
}

// pictureIn is the picture that an address holds, and what is wrong with it. Nothing is fetched for who asks a model.
func pictureIn(url string) (p completions.Picture, problem string) {
	about, data, found := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !found || !strings.HasPrefix(url, "data:") {
		return p, "must hold a picture as data:image/png;base64,...: pictures are fetched from nowhere"
	}
	content, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return p, "must hold a picture in base64"
	}
	p.ContentType, problem = files.Judge(about, content)
	switch {
	case problem != "":
		return p, "holds a picture that " + problem
	case !completions.IsPicture(p.ContentType, int64(len(content))):
		return p, fmt.Sprintf("must hold pictures of PNG, JPEG, GIF or WebP of at most %d bytes", completions.LargestPicture)
	}
	p.Content = content
	return p, ""
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// request is what the body asks, and what is wrong with it beyond its schema.
func (in *completionIn) request() (completions.Request, error) {
	b := in.Body
	r := completions.Request{ModelID: b.ModelID, Tier: b.Tier, Temperature: b.Temperature}
	if b.MaxTokens != nil {
		r.MaxTokens = *b.MaxTokens
	}
	var f fault.Fields
	if b.SessionID != "" && !access.ValidID(b.SessionID) {
		f.Add("sessionId", "must be an id")
	}
	r.Messages, r.Tools = Talk(b.Messages, b.Tools, &f)
	return r, f.InOrder().Err()
}

// Talk is what was said and which tools there are, with what is wrong in it beyond its schema.
func Talk(messages []ChatMessage, tools []ChatTool, f *fault.Fields) (said []completions.Message, offered []completions.Tool) {
	others, pictures := false, 0
	for i, m := range messages {
		said = append(said, m.message(fmt.Sprintf("messages[%d]", i), f))
		pictures += len(said[i].Pictures)
		others = others || m.Role != completions.System
	}
	if !others {
		f.Add("messages", "must hold one that is not the system's")
	}
	if pictures > completions.MostPictures {
		f.Add("messages", "may hold at most %d pictures", completions.MostPictures)
	}
	seen := map[string]bool{}
	for i, t := range tools {
		at := fmt.Sprintf("tools[%d].name", i)
		if !toolName.MatchString(t.Name) {
			f.Add(at, "must be of letters, digits, _ and -")
		}
		if seen[t.Name] {
			f.Add(at, "is used twice")
		}
		seen[t.Name] = true
		offered = append(offered, completions.Tool{Name: t.Name, Description: t.Description, Parameters: json.RawMessage(t.Parameters)})
	}
	return said, offered
}

func (m ChatMessage) message(at string, f *fault.Fields) completions.Message {
	out := completions.Message{Role: m.Role, Name: m.Name, ToolCallID: m.ToolCallID}
	var problem string
	if out.Text, out.Pictures, problem = m.Content.read(); problem != "" {
		f.Add(at+".content", "%s", problem)
	} else if len(out.Pictures) > 0 && m.Role != completions.User {
		f.Add(at+".content", "may hold pictures where the role is user only")
	} else if out.Text == "" && len(out.Pictures)+len(m.ToolCalls) == 0 && (m.Role != completions.FromTool || !m.Content.given()) {
		f.Add(at+".content", "is required")
	}
	if m.Role == completions.FromTool != (m.ToolCallID != "") {
		f.Add(at+".tool_call_id", "is required of a tool's message, and of no other")
	}
	if m.Role != completions.Assistant && len(m.ToolCalls) > 0 {
		f.Add(at+".tool_calls", "are an assistant's only")
	}
	for i, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, c.call(fmt.Sprintf("%s.tool_calls[%d]", at, i), f))
	}
	return out
}

func (c ChatCall) call(at string, f *fault.Fields) completions.ToolCall {
	out := completions.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	if c.Function != nil {
		out.Name, out.Arguments = c.Function.Name, c.Function.Arguments
	}
	if !toolName.MatchString(out.Name) {
		f.Add(at+".name", "must be of letters, digits, _ and -")
	}
	if out.Arguments == "" {
		out.Arguments = "{}"
	}
	if !json.Valid([]byte(out.Arguments)) || !strings.HasPrefix(strings.TrimSpace(out.Arguments), "{") {
		f.Add(at+".arguments", "must be a JSON object, as text")
	}
	return out
}
