package a2a

import (
	"encoding/json"
	"strings"
	"time"
)

// Ask is a request, by JSON-RPC.
func (v Version) Ask(id string, m Method, params any) any {
	return members{"jsonrpc": "2.0", "id": id, "method": v.Name(m), "params": params}
}

// Send are the parameters that send a message and wait for what comes of it.
func (v Version) Send(m Message) any {
	configuration := members{"acceptedOutputModes": []string{"text/plain", "application/json"}}
	if v == V1 {
		configuration["returnImmediately"] = false
	} else {
		configuration["blocking"] = true
	}
	return members{"message": v.Message(m), "configuration": configuration}
}

// Named are the parameters that name a task.
func Named(task string) any { return members{"id": task} }

// Answered is what another agent answered: a task, or a message that makes none.
type Answered struct {
	Task    *Task
	Message *Message
	Refused *Error
}

// ReadAnswer reads the response to the request of ours with an id; a fault says why it is none. Only a refusal may be
// of a request that the other side could not read, and name none.
func (v Version) ReadAnswer(id string, body []byte) (out Answered, fault *Error) {
	var in struct {
		ID     *string         `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(body, &in); {
	case err != nil:
		return out, Refuse(InvalidAnswer, "the answer is no response of JSON-RPC")
	case in.ID != nil && *in.ID != id, in.ID == nil && in.Error == nil:
		return out, Refuse(InvalidAnswer, "the answer is to another request")
	case in.Error != nil:
		out.Refused = &Error{Code: Code(in.Error.Code), Message: in.Error.Message}
		return out, nil
	}
	result := in.Result
	r := v.reader("result", result, &fault)
	for name, is := range map[string]bool{"task": true, "message": false} { // 1.0 says which it is, where it may be either
		if raw, ok := r.has(name); ok && raw[0] == '{' && v == V1 {
			return v.either(raw, is, &fault), fault
		}
	}
	return v.either(result, v == V1 || r.text("kind") != "message", &fault), fault
}

func (v Version) either(raw json.RawMessage, task bool, fault **Error) (out Answered) {
	r := v.reader("result", raw, fault)
	if !task {
		m := v.message(r)
		out.Message = &m
		return out
	}
	t := Task{ID: r.id("id", true), ContextID: r.id("contextId", false)}
	s := r.below("status")
	t.Status = Status{State: v.StateOf(s.text("state"))}
	t.Status.At, _ = time.Parse(time.RFC3339, s.text("timestamp"))
	if _, ok := s.has("message"); ok {
		m := v.message(s.below("message"))
		t.Status.Message = &m
	}
	for _, raw := range r.list("artifacts") {
		a := v.reader("result.artifacts", raw, fault)
		t.Artifacts = append(t.Artifacts, Artifact{ID: a.id("artifactId", true), Name: a.text("name"), Parts: v.readParts(a)})
	}
	out.Task = &t
	return out
}

// Said are the texts of parts, and their data.
func Said(parts []Part) (text string, data []json.RawMessage) {
	var texts []string
	for _, p := range parts {
		switch {
		case p.Data != nil:
			data = append(data, p.Data)
		case p.File == nil && strings.TrimSpace(p.Text) != "":
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n"), data
}
