// Package agui is the door of front ends that speak the Agent-User Interaction Protocol: a run of
// the protocol is a turn of the session of the caller's token, told in its events, by Server-Sent
// Events or on a socket. The package translates, and decides nothing.
package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/sockets"
)

// API is what the two operations need.
type API struct {
	Chat    runtime.ChatAPI
	Sockets *sockets.Sockets
}

const (
	path = "/api/v1/channels/ag_ui/runs"

	says = "`threadId` is the id of the token's session, `runId` the Idempotency-Key: the same run is told again, and begins nothing. Of " +
		"`messages` the last one is said, which must be the user's, in text; what came before it is in the session. What the agent has " +
		"shown is chosen by `forwardedProps.action` {id, value}; then there need be no message. `state`, `context` and the other " +
		"`forwardedProps` are the message's metadata, of which agents see session.messageMetadata: at most 16 KiB and 5 levels. What " +
		"STATE_SNAPSHOT has put into `state` is left out of that. `tools` of the front end are not offered to the agent, " +
		"`resume` is not taken.\n\nThe events are RUN_STARTED, STEP_STARTED and STEP_FINISHED of the agent's steps, " +
		"TEXT_MESSAGE_START, _CONTENT and _END, TOOL_CALL_START, _END and _RESULT of the agent's own tools (the name " +
		"and the outcome: neither arguments nor results are for pages), CUSTOM `actions` {messageId, richContent, actions} and `message` " +
		"{messageId, id}, which gives the id of a message in the session that was told while a model spoke; MESSAGES_SNAPSHOT where what " +
		"was told is not what was said; STATE_SNAPSHOT, and RUN_FINISHED {result: {action}} with the action of chat-send, or RUN_ERROR " +
		"{message, code} with its codes. Texts come while a model speaks if this node asks it. What people say who have the session is in " +
		"no run: it is told by web-chat."
)

// Declare adds the protocol's two ways.
func Declare(api *rest.API, x API) {
	rest.Declare(api, rest.Operation{
		ID: "run-ag-ui", Method: http.MethodPost, Path: path, Extension: true, Tags: []string{"Chat"},
		Summary:     "Run an agent as AG-UI does, by Server-Sent Events",
		Description: says + "\n\nWho leaves cancels nothing.",
		Requirement: access.SDKOnly(), Refusals: []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.NotFound, fault.Conflict,
			fault.TurnSuspended, fault.QueueFull, fault.BudgetExceeded, fault.Gone, fault.Unavailable},
	}, func(ctx context.Context, in *struct{ Body RunAgentInput }) (*huma.StreamResponse, error) {
		return x.post(ctx, in.Body)
	})
	api.Description().Paths[path].Post.Responses["200"].Content = map[string]*huma.MediaType{
		eventstream.Format: {Schema: &huma.Schema{Type: huma.TypeString}}}
	sockets.Declare(api, x.Sockets, sockets.Operation{Protocols: []string{"sdk.v1"}, Most: 10,
		Says: "Each message of the client is a RunAgentInput, as run-ag-ui takes it, or {\"type\": \"cancel\"}, which ends the turn that runs; " +
			"runs come one after the other, and at most 10 wait: one more closes the socket with 1008. A message that begins no run is " +
			"answered with RUN_ERROR, in its place. Each message of the server is one event of the protocol.",
		Of: func(ctx context.Context) string { return rest.PrincipalOf(ctx).SessionID },
		Operation: rest.Operation{ID: "ag-ui", Path: "/api/v1/channels/ag_ui/ws", Extension: true, Tags: []string{"Chat"},
			Summary: "Run agents as AG-UI does, on a socket",
			Description: "For the session of the SDK token, which comes in X-SDK-Token or as the word `token.<token>` in " +
				"Sec-WebSocket-Protocol, beside `sdk.v1`.",
			Requirement: access.SDKOnly()}},
		func(context.Context, *struct{}) (sockets.Serve, error) { return x.serve, nil })
}

// RunAgentInput is what the protocol begins a run with.
type RunAgentInput struct {
	Type           string              `json:"type,omitempty" maxLength:"32" doc:"On a socket: run, or cancel."`
	ThreadID       string              `json:"threadId,omitempty" maxLength:"128"`
	RunID          string              `json:"runId,omitempty" maxLength:"255"`
	Messages       []jsontext.Anything `json:"messages,omitempty" maxItems:"10000" nullable:"false" doc:"Each {id, role, content}: content is a text, or a list of parts {type: text, text}."`
	State          jsontext.Anything   `json:"state,omitempty"`
	Context        jsontext.Anything   `json:"context,omitempty"`
	ForwardedProps jsontext.Anything   `json:"forwardedProps,omitempty"`
}

// message is what a run says in the session.
func (in RunAgentInput) message(session string) (m runtime.Message, before []json.RawMessage, err error) {
	var f fault.Fields
	if in.ThreadID == "" {
		f.Add("threadId", "is required: the session's id")
	}
	if in.RunID == "" {
		f.Add("runId", "is required")
	}
	if err := f.Err(); err != nil {
		return m, nil, err
	}
	if in.ThreadID != session {
		return m, nil, fault.New(fault.NotFound, "threadId: there is no such session")
	}
	m.SessionID = session
	for _, raw := range in.Messages {
		before = append(before, json.RawMessage(raw))
	}
	if m.Metadata, m.Action, err = in.beside(); err != nil {
		return m, nil, err
	}
	if len(before) == 0 {
		if m.Action == nil {
			err = fault.Field("messages", "must end with a message of the user")
		}
		return m, nil, err
	}
	var last struct {
		Role    string
		Content jsontext.Anything
	}
	if json.Unmarshal(before[len(before)-1], &last) != nil || last.Role != "user" {
		if m.Action != nil {
			return m, before, nil
		}
		return m, nil, fault.Field("messages", "must end with a message of the user")
	}
	m.Text, err = textOf(last.Content)
	return m, before, err
}

// textOf is what a message says, in one text or in parts of it.
func textOf(content jsontext.Anything) (string, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return "", fault.Field("messages", "has a content that is no text and no list of parts")
	}
	for i, p := range parts {
		if p.Type != "text" {
			return "", fault.Field("messages", "has a part that is no text: files go by add-attachment and chat-send")
		}
		if i > 0 {
			text += "\n"
		}
		text += p.Text
	}
	return text, nil
}

// beside is what comes with the message of a run: its metadata, and what was chosen.
func (in RunAgentInput) beside() (metadata jsontext.Object, chosen *runtime.ChosenAction, err error) {
	props := map[string]json.RawMessage{}
	if given(in.ForwardedProps) && json.Unmarshal(in.ForwardedProps, &props) != nil {
		return nil, nil, fault.Field("forwardedProps", "must be an object")
	}
	if action := props["action"]; given(jsontext.Anything(action)) {
		chosen = &runtime.ChosenAction{}
		if json.Unmarshal(action, chosen) != nil || chosen.ID == "" || len(chosen.ID) > 128 {
			return nil, nil, fault.Field("forwardedProps.action", "must be {id, value}")
		}
	}
	delete(props, "action")
	all := map[string]any{}
	for name, value := range map[string]jsontext.Anything{"state": notOurs(in.State), "context": in.Context} {
		if given(value) {
			all[name] = value
		}
	}
	if len(props) > 0 {
		all["forwardedProps"] = props
	}
	if len(all) == 0 {
		return nil, chosen, nil
	}
	text, err := json.Marshal(all)
	if problem := attached.TurnProblem(text); err == nil && problem != "" {
		err = fault.Field("state", "with context and forwardedProps %s", problem)
	}
	return jsontext.Object(text), chosen, err
}

// snapshot names the members that STATE_SNAPSHOT has: none of them is ever left out.
var snapshot = func() []string {
	var all map[string]json.RawMessage
	text, _ := json.Marshal(runtime.ChatState{})
	_ = json.Unmarshal(text, &all)
	return slices.Collect(maps.Keys(all))
}()

// notOurs is the state of a front end without what STATE_SNAPSHOT has put there: its library sends all of that back with
// the next run, and values and variables of a session may be more than fits beside a message.
func notOurs(state jsontext.Anything) jsontext.Anything {
	var all map[string]json.RawMessage
	if json.Unmarshal(state, &all) != nil {
		return state
	}
	for _, name := range snapshot {
		if _, is := all[name]; !is {
			return state
		}
	}
	for _, name := range snapshot {
		delete(all, name)
	}
	text, _ := json.Marshal(all) // of what was read
	return text
}

// given is whether a member says anything.
func given(raw jsontext.Anything) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]", `""`:
		return false
	}
	return true
}

// shownError is an error as RUN_ERROR tells it.
func shownError(ctx context.Context, err error) (code, message string) {
	refusal := rest.RefusalOf(ctx, err)
	var f *fault.Error
	if errors.As(err, &f) && len(f.Details) > 0 {
		return refusal.Fault.Code, f.Message
	}
	return refusal.Fault.Code, refusal.Fault.Message
}
