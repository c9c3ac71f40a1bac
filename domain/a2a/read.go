package a2a

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/domain/plainjson"
)

// The bounds of what others say.
const (
	LongestID = 128 // of messages, contexts and tasks, in bytes
	MostParts = 100 // of a message

	mostSecret = 4096
)

// Request is one request, by JSON-RPC.
type Request struct {
	ID     json.RawMessage // a text, a number or null; nil: it wants no response, and gets one all the same
	Method string
	Params json.RawMessage // an object; nil: none
	Bare   bool            // it is a message alone, without JSON-RPC around it: Params has it, and there is no Method
}

// Named is a bare request whose message has an id, which who sends a message alone need not give.
func (r Request) Named(id string) Request {
	var params, message map[string]json.RawMessage
	if !r.Bare || json.Unmarshal(r.Params, &params) != nil || json.Unmarshal(params["message"], &message) != nil {
		return r
	}
	if given, is := message["messageId"]; is && string(given) != "null" {
		return r
	}
	message["messageId"], _ = json.Marshal(id) // a text always can be
	params["message"], _ = json.Marshal(message)
	r.Params, _ = json.Marshal(params)
	return r
}

// ReadRequest reads one. Several at once are refused: none of the versions has that.
func ReadRequest(body []byte) (Request, *Error) {
	var none Request
	body = bytes.TrimSpace(body)
	plain, ok := plainjson.Compact(body)
	switch {
	case !ok:
		return none, Refuse(ParseError, "the body is not JSON, or not such that everybody reads it alike")
	case plain[0] == '[':
		return none, Refuse(InvalidRequest, "several requests at once are not taken: send them one by one")
	case plain[0] != '{':
		return none, Refuse(InvalidRequest, "a request is an object")
	}
	var in struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Params  json.RawMessage `json:"params"`
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(plain, &in); err != nil {
		return none, Refuse(InvalidRequest, "jsonrpc must be \"2.0\"")
	}
	if in.Version == "" && in.Method == nil && in.Params == nil && len(in.Message) > 0 && in.Message[0] == '{' {
		return Request{Params: plain, Bare: true}, nil
	}
	out := Request{Params: in.Params}
	if len(in.ID) > 0 {
		if first := in.ID[0]; first == '{' || first == '[' || first == 't' || first == 'f' || len(in.ID) > LongestID {
			return none, Refuse(InvalidRequest, "id must be a text or a number, of at most %d bytes", LongestID)
		}
		out.ID = in.ID
	}
	if in.Version != "2.0" {
		return out, Refuse(InvalidRequest, "jsonrpc must be \"2.0\"")
	}
	if json.Unmarshal(in.Method, &out.Method) != nil || out.Method == "" {
		return out, Refuse(InvalidRequest, "method must be the name of a method")
	}
	if len(in.Params) > 0 && in.Params[0] != '{' {
		if string(in.Params) != "null" {
			return out, Refuse(InvalidParams, "params must be an object")
		}
		out.Params = nil
	}
	return out, nil
}

// reader reads the members of an object, and remembers the first that is wrong.
type reader struct {
	v     Version
	field string
	of    map[string]json.RawMessage
	fault **Error
}

func (v Version) reader(field string, raw json.RawMessage, fault **Error) reader {
	r := reader{v: v, field: field, fault: fault}
	if len(raw) == 0 || string(raw) == "null" {
		return r
	}
	if json.Unmarshal(raw, &r.of) != nil {
		r.wrong("", "must be an object")
	}
	return r
}

func (r reader) wrong(name, format string, args ...any) {
	if *r.fault == nil {
		*r.fault = Fault(strings.Trim(r.field+"."+name, "."), format, args...)
	}
}

// has is a member that is there, and not null.
func (r reader) has(name string) (json.RawMessage, bool) {
	raw, ok := r.of[name]
	return raw, ok && string(raw) != "null"
}

func (r reader) text(name string) (out string) {
	if raw, ok := r.has(name); ok && json.Unmarshal(raw, &out) != nil {
		r.wrong(name, "must be a text")
	}
	return out
}

// id is a text that names something.
func (r reader) id(name string, required bool) string {
	out := r.text(name)
	switch {
	case out == "" && required:
		r.wrong(name, "is required")
	case len(out) > LongestID:
		r.wrong(name, "must be at most %d bytes", LongestID)
	case strings.ContainsFunc(out, func(c rune) bool { return c < ' ' || c == 0x7f }):
		r.wrong(name, "must not contain control characters")
	}
	return out
}

func (r reader) yes(name string, otherwise bool) bool {
	out := otherwise
	if raw, ok := r.has(name); ok && json.Unmarshal(raw, &out) != nil {
		r.wrong(name, "must be true or false")
	}
	return out
}

// count is a number of things; nil: nobody says.
func (r reader) count(name string) *int {
	raw, ok := r.has(name)
	if !ok {
		return nil
	}
	var out int
	if json.Unmarshal(raw, &out) != nil || out < 0 {
		r.wrong(name, "must be a whole number, 0 or more")
	}
	return &out
}

func (r reader) list(name string) (out []json.RawMessage) {
	if raw, ok := r.has(name); ok && json.Unmarshal(raw, &out) != nil {
		r.wrong(name, "must be a list")
	}
	return out
}

func (r reader) texts(name string) (out []string) {
	if raw, ok := r.has(name); ok && json.Unmarshal(raw, &out) != nil {
		r.wrong(name, "must be a list of texts")
	}
	return out
}

func (r reader) object(name string) json.RawMessage {
	raw, ok := r.has(name)
	if ok && raw[0] != '{' {
		r.wrong(name, "must be an object")
		return nil
	}
	return raw
}

func (r reader) below(name string) reader {
	raw, _ := r.has(name)
	return r.v.reader(strings.Trim(r.field+"."+name, "."), raw, r.fault)
}

// Sending is what sending a message says.
type Sending struct {
	Message  Message
	Wait     bool // the answer is wanted when the task pauses
	History  *int // how many messages of it; nil: all
	Push     *Push
	Accepted []string // media types; none: any
}

// ReadSending reads the parameters of SendMessage and Stream.
func (v Version) ReadSending(params json.RawMessage) (out Sending, fault *Error) {
	r := v.reader("", params, &fault)
	if _, ok := r.has("message"); !ok {
		r.wrong("message", "is required")
		return out, fault
	}
	out.Message = v.message(r.below("message"))
	if fault == nil && out.Message.ByAgent {
		r.wrong("message.role", "must be %s", v.role(false))
	}
	c := r.below("configuration")
	out.Accepted, out.History = c.texts("acceptedOutputModes"), c.count("historyLength")
	if v == V1 {
		out.Wait = !c.yes("returnImmediately", false)
		if _, ok := c.has("taskPushNotificationConfig"); ok {
			out.Push = push(c.below("taskPushNotificationConfig"))
		}
	} else {
		out.Wait = c.yes("blocking", true)
		if _, ok := c.has("pushNotificationConfig"); ok {
			out.Push = push(c.below("pushNotificationConfig"))
		}
	}
	return out, fault
}

// TakesText is whether a text may be answered.
func (s Sending) TakesText() bool {
	for _, mode := range s.Accepted {
		if mode == "text/plain" || mode == "text/*" || mode == "*/*" || mode == "text" {
			return true
		}
	}
	return len(s.Accepted) == 0
}

func (v Version) message(r reader) Message {
	if kind := r.text("kind"); v != V1 && kind != "" && kind != "message" {
		r.wrong("kind", "must be message")
	}
	m := Message{ID: r.id("messageId", true), ContextID: r.id("contextId", false), TaskID: r.id("taskId", false),
		Metadata: r.object("metadata"), References: r.texts("referenceTaskIds")}
	switch role := r.text("role"); role {
	case v.role(true):
		m.ByAgent = true
	case v.role(false):
	default:
		r.wrong("role", "must be %s or %s", v.role(false), v.role(true))
	}
	m.Parts = v.readParts(r)
	if len(m.Parts) == 0 {
		r.wrong("parts", "must have at least one")
	}
	return m
}

func (v Version) readParts(r reader) (out []Part) {
	all := r.list("parts")
	if len(all) > MostParts {
		r.wrong("parts", "must be at most %d", MostParts)
		return nil
	}
	for i, raw := range all {
		out = append(out, v.readPart(v.reader(strings.Trim(fmt.Sprintf("%s.parts[%d]", r.field, i), "."), raw, r.fault)))
	}
	return out
}

func (v Version) readPart(r reader) (p Part) {
	if v == V1 {
		return r.flat()
	}
	switch kind := r.text("kind"); kind {
	case "text":
		if _, ok := r.has("text"); !ok {
			r.wrong("text", "is required")
		}
		p.Text = r.text("text")
	case "data":
		if p.Data = r.of["data"]; p.Data == nil {
			r.wrong("data", "is required")
		}
	case "file":
		f := r.below("file")
		p.File = &File{Name: f.text("name"), MediaType: f.text("mimeType"), URI: f.text("uri"), Bytes: f.base64("bytes")}
		_, whole := f.has("bytes")
		if whole == (p.File.URI != "") {
			f.wrong("", "must have bytes or uri")
		}
	default:
		r.wrong("kind", "must be text, data or file")
	}
	return p
}

// flat is a part of 1.0: what it is shows in which member it has.
func (r reader) flat() (p Part) {
	n := 0
	if _, ok := r.has("text"); ok {
		p.Text, n = r.text("text"), n+1
	}
	if raw, ok := r.of["data"]; ok {
		p.Data, n = raw, n+1
	}
	_, whole := r.has("raw")
	_, at := r.has("url")
	if whole || at {
		n++
		p.File = &File{Name: r.text("filename"), MediaType: r.text("mediaType"), URI: r.text("url"), Bytes: r.base64("raw")}
	}
	if n != 1 || whole && at {
		r.wrong("", "must have one of text, raw, url and data")
	}
	return p
}

func (r reader) base64(name string) []byte {
	text := r.text(name)
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		if out, err = base64.URLEncoding.DecodeString(text); err != nil {
			r.wrong(name, "must be base64")
		}
	}
	return out
}

// Asking names a task.
type Asking struct {
	TaskID  string
	History *int
	PushID  string // of the operations on one
}

// ReadAsking reads the parameters of those operations that name a task.
func (v Version) ReadAsking(m Method, params json.RawMessage) (out Asking, fault *Error) {
	r := v.reader("", params, &fault)
	task := "id"
	if v == V1 && (m == GetPush || m == ListPushes || m == DeletePush) {
		task = "taskId"
		if m != ListPushes {
			out.PushID = r.id("id", true)
		}
	} else if m == GetPush || m == DeletePush {
		out.PushID = r.id("pushNotificationConfigId", m == DeletePush)
	}
	out.TaskID, out.History = r.id(task, true), r.count("historyLength")
	return out, fault
}

// ReadPush reads the parameters of SetPush.
func (v Version) ReadPush(params json.RawMessage) (out Push, fault *Error) {
	r := v.reader("", params, &fault)
	if v == V1 {
		out = *push(r)
	} else {
		out = *push(r.below("pushNotificationConfig"))
	}
	out.TaskID = r.id("taskId", true)
	return out, fault
}

func push(r reader) *Push {
	out := Push{ID: r.id("id", false), URL: r.text("url"), Token: r.text("token")}
	if out.URL == "" {
		r.wrong("url", "is required")
	}
	if _, ok := r.has("authentication"); ok {
		a := r.below("authentication")
		if out.Credentials = a.text("credentials"); r.v == V1 {
			out.Scheme = a.text("scheme")
		} else if schemes := a.texts("schemes"); len(schemes) > 0 {
			out.Scheme = schemes[0]
		}
	}
	for _, of := range [][2]string{{"token", out.Token}, {"authentication.scheme", out.Scheme},
		{"authentication.credentials", out.Credentials}} {
		if len(of[1]) > mostSecret || strings.ContainsFunc(of[1], func(c rune) bool { return c < ' ' || c >= 0x7f }) {
			r.wrong(of[0], "must be at most %d printable ASCII characters", mostSecret)
		}
	}
	return &out
}
