package deployables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/deployed"
	"github.com/parley-platform/parley/domain/fault"
)

// steps checks what a workflow does.
func (c DefineWorkflow) steps(f *fault.Fields) []Step {
	switch {
	case len(c.Steps) == 0:
		f.Add("spec.steps", "needs at least one step")
	case len(c.Steps) > MaxSteps:
		f.Add("spec.steps", "must be at most %d steps, are %d", MaxSteps, len(c.Steps))
	}
	ids := map[string]bool{}
	for i, step := range c.Steps {
		field := fmt.Sprintf("spec.steps[%d]", i)
		if !access.ValidID(step.ID) {
			f.Add(field+".id", "must be 1 to %d letters, digits, _ or -", access.MaxIDLength)
		} else if ids[step.ID] {
			f.Add(field+".id", "is the id of an earlier step")
		}
		ids[step.ID] = true
		if !access.ValidID(step.Tool) {
			f.Add(field+".tool", "must be the id of a tool: 1 to %d letters, digits, _ or -", access.MaxIDLength)
		}
	}
	out := make([]Step, 0, len(c.Steps))
	for i, step := range c.Steps {
		if step.Next != "" && !ids[step.Next] {
			f.Add(fmt.Sprintf("spec.steps[%d].next", i), "%q is no step of this workflow", step.Next)
		}
		step.Arguments = object(f, fmt.Sprintf("spec.steps[%d].arguments", i), step.Arguments)
		out = append(out, step)
	}
	runnable(f, out)
	return out
}

// runnable checks that the steps come to an end and have arguments that can be computed, where nothing else
// is wrong with them: else the workflow would be deployed, and every call of it would fail.
func runnable(f *fault.Fields, steps []Step) {
	if f.Err() != nil || len(canonical(steps)) > MaxContent { // which is told by itself
		return
	}
	as := make([]deployed.Step, len(steps))
	for i, step := range steps {
		as[i] = deployed.Step(step)
	}
	if _, problems := deployed.Workflow(as); len(problems) > 0 {
		f.Add("spec."+problems[0].Field, "%s", problems[0].Hint)
	}
}

var (
	toolTypes = []ToolType{ToolHTTP, ToolAsyncWebhook, ToolMCP, ToolCode}
	methods   = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
)

// settings checks what a tool does: each type has members of its own.
func (c DefineTool) settings(f *fault.Fields) Settings {
	s := Settings{Parameters: object(f, "spec.parameters", c.Parameters)}
	kind := ToolType(c.Type)
	if !slices.Contains(toolTypes, kind) {
		f.Add("spec.type", "must be http, async_webhook, mcp or code")
		return s
	}
	if kind == ToolCode {
		if s.Code = c.Code; strings.TrimSpace(c.Code) == "" {
			f.Add("spec.code", "is required for a tool of type code")
		}
		unwanted(f, "spec.url", c.URL, kind)
		unwanted(f, "spec.method", c.Method, kind)
		unwanted(f, "spec.tool", c.Remote, kind)
		if len(c.Headers) > 0 {
			f.Add("spec.headers", "does not belong to a tool of type %s", kind)
		}
		s.callable(f, kind)
		return s
	}
	unwanted(f, "spec.code", c.Code, kind)
	s.Headers = c.Headers
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		f.Add("spec.url", "must be an absolute http or https URL")
	} else if u.User != nil {
		f.Add("spec.url", "must not hold a user or password: the tool's settings are shown")
	}
	s.URL = c.URL
	if kind == ToolMCP {
		unwanted(f, "spec.method", c.Method, kind)
		s.Remote = c.Remote
		s.callable(f, kind)
		return s
	}
	unwanted(f, "spec.tool", c.Remote, kind)
	if s.Method = c.Method; s.Method == "" {
		s.Method = "POST"
	}
	if !slices.Contains(methods, s.Method) {
		f.Add("spec.method", "must be GET, POST, PUT, PATCH or DELETE")
	}
	s.callable(f, kind)
	return s
}

// callable checks that agents can call it, where nothing else is wrong with it.
func (s Settings) callable(f *fault.Fields, kind ToolType) {
	if f.Err() != nil || len(s.Parameters)+len(s.Code) > MaxContent { // which is told by itself
		return
	}
	if _, problems := s.As(kind).Compile(); len(problems) > 0 {
		f.Add("spec."+problems[0].Field, "%s", problems[0].Hint)
	}
}

// As is the tool as agents call it. That the answer comes later is not in it.
func (s Settings) As(kind ToolType) deployed.Tool {
	as := map[ToolType]dsl.ToolKind{ToolHTTP: dsl.ToolHTTP, ToolAsyncWebhook: dsl.ToolHTTP, ToolMCP: dsl.ToolMCP, ToolCode: dsl.ToolCode}
	return deployed.Tool{Kind: as[kind], URL: s.URL, Method: s.Method, Headers: s.Headers, Remote: s.Remote, Code: s.Code,
		Parameters: s.Parameters}
}

func unwanted(f *fault.Fields, field, value string, kind ToolType) {
	if value != "" {
		f.Add(field, "does not belong to a tool of type %s", kind)
	}
}

// object checks that a member is a JSON object, and gives it in canonical form:
// nothing for an absent one.
func object(f *fault.Fields, field string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		f.Add(field, "must be an object")
		return nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // a large number stays what it is
	if err := d.Decode(&v); err != nil {
		f.Add(field, "must be an object")
		return nil
	}
	return canonical(v)
}

// canonical is the JSON of a value with sorted members, so that two definitions that
// say the same are the same bytes.
func canonical(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // of values that came out of JSON there are none
	}
	return data
}

func checkSize(f *fault.Fields, field string, content json.RawMessage) {
	if len(content) > MaxContent {
		f.Add(field, "must be at most %d bytes of JSON, is %d", MaxContent, len(content))
	}
}
