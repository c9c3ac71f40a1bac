package runtime

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// ChatElement is a button, a select or an input that goes with what is said.
type ChatElement struct {
	Kind      string            `json:"kind" enum:"button,select,input"`
	ID        string            `json:"id"`
	Label     string            `json:"label,omitempty"`
	Value     jsontext.Anything `json:"value,omitempty"`
	Options   []ChatOption      `json:"options,omitempty"`
	InputType string            `json:"inputType,omitempty"`
	Required  bool              `json:"required,omitempty"`
}

// ChatOption is one choice of a select.
type ChatOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// SaidMessage is one text of an agent.
type SaidMessage struct {
	ID          string        `json:"id"`
	AgentName   string        `json:"agentName"`
	Text        string        `json:"text"`
	RichContent []ChatElement `json:"richContent"`
}

// TraceEvent is one thing that happened in a turn.
type TraceEvent struct {
	Type string         `json:"type" example:"handoff"`
	Data map[string]any `json:"data"`
}

// ChatAction is something that the user may choose.
type ChatAction struct {
	ID    string            `json:"id"`
	Label string            `json:"label"`
	Value jsontext.Anything `json:"value,omitempty"`
}

// ChatState is where the conversation stands.
type ChatState struct {
	Status    string         `json:"status" enum:"active,ended"`
	AgentName string         `json:"agentName" doc:"Who is at it."`
	Step      string         `json:"step"`
	Gathered  map[string]any `json:"gathered" doc:"Values of that agent's slots; sensitive ones are masked."`
	Variables map[string]any `json:"variables"`
}

// ChatOutcome is how a turn leaves the session.
type ChatOutcome struct {
	Type       string `json:"type" enum:"continue,suspended,escalated,cancelled,end" doc:"escalated: people have the session, or are asked to; until they hand it back what the user says is for them, and the agent is silent. cancelled: somebody ended the turn before its time; what was said until then stays."`
	CallbackID string `json:"callbackId,omitempty" doc:"Of suspended: by what the answer comes that the session waits for. Widgets and apps are not told: whoever knows it can answer."`

	Error string `json:"error,omitempty" example:"STEP_LIMIT" doc:"Why the turn failed, as in turn_ended of traceEvents (extension); what was said until then stays. Absent: it did not fail."`

	TransferID     string `json:"transferId,omitempty" doc:"Of escalated: the transfer, as list-transfers has it."`
	ConversationID string `json:"conversationId,omitempty" doc:"Of escalated: in which people answer."`
}

type chatOut struct {
	Body struct {
		SessionID    string        `json:"sessionId"`
		Response     string        `json:"response" doc:"What the agents said, joined by line ends."`
		Action       ChatOutcome   `json:"action"`
		State        ChatState     `json:"state"`
		TraceEvents  []TraceEvent  `json:"traceEvents"`
		VoiceConfig  any           `json:"voiceConfig" doc:"null: the session is not one of voice."`
		RichContent  []ChatElement `json:"richContent"`
		Actions      []ChatAction  `json:"actions" doc:"What of it may be chosen: buttons and options."`
		MessageID    string        `json:"messageId" doc:"Of the last text that was said; empty: nothing was."`
		DeploymentID string        `json:"deploymentId,omitempty"`
		Messages     []SaidMessage `json:"messages"`
	}
	took completions.Usage // the turn's models
}

// masked is what is shown of a sensitive value.
const masked = "***"

// answerOf is the answer of a turn, from its accepted events.
func answerOf(res *eventstore.Result[sessions.State]) *chatOut {
	out, s := &chatOut{}, &res.State
	b := &out.Body
	b.SessionID, b.State, b.DeploymentID = s.ID, stateOf(s), s.Talk.DeploymentID
	b.TraceEvents, b.RichContent, b.Actions, b.Messages = []TraceEvent{}, []ChatElement{}, []ChatAction{}, []SaidMessage{}
	var texts []string
	for _, e := range res.Events {
		if trace, ok := TraceOf(e.Payload); ok {
			b.TraceEvents = append(b.TraceEvents, trace)
		}
		switch e := e.Payload.(type) {
		case sessions.Said:
			m := MessageOf(e)
			texts, b.MessageID = append(texts, m.Text), m.ID
			b.Messages, b.RichContent = append(b.Messages, m), append(b.RichContent, m.RichContent...)
		case sessions.ModelAnswered:
			out.took.TokensIn, out.took.TokensOut = out.took.TokensIn+e.TokensIn, out.took.TokensOut+e.TokensOut
		case sessions.TurnEnded:
			b.Action.Type, b.Action.Error = string(e.Action), e.Failed
		case sessions.PassedOn:
			b.Action.Type = string(sessions.ToPeople)
		}
	}
	if people := s.Talk.People; people != nil && b.Action.Type == string(sessions.ToPeople) {
		b.Action.TransferID, b.Action.ConversationID = people.TransferID, people.ConversationID
	}
	b.Response, b.Actions = strings.Join(texts, "\n"), ActionsOf(b.RichContent)
	return out
}

// MessageOf is what an agent said, as it is shown.
func MessageOf(e sessions.Said) SaidMessage {
	return SaidMessage{ID: e.MessageID, AgentName: e.Agent, Text: e.Text, RichContent: rest.Shown(e.Rich,
		func(r sessions.Element) ChatElement {
			out := ChatElement{Kind: r.Kind, ID: r.ID, Label: r.Label, Value: jsontext.Anything(r.Value), Required: r.Required}
			if r.Kind == string(dsl.RichInput) { // the log has one for buttons and selects too
				out.InputType = r.InputType
			}
			for _, o := range r.Options {
				out.Options = append(out.Options, ChatOption(o))
			}
			return out
		})}
}

// ActionsOf are those that may be chosen of what goes with a text.
func ActionsOf(rich []ChatElement) []ChatAction {
	out := []ChatAction{}
	for _, r := range rich {
		if r.Kind == "button" {
			out = append(out, ChatAction{ID: r.ID, Label: r.Label, Value: r.Value})
		}
		for _, o := range r.Options {
			value, _ := json.Marshal(o.ID)
			out = append(out, ChatAction{ID: r.ID, Label: o.Label, Value: value})
		}
	}
	return out
}

// stateOf is where a session stands, with what is sensitive masked.
func stateOf(s *sessions.State) ChatState {
	t := &s.Talk
	out := ChatState{Status: string(s.Status), AgentName: t.Agent, Step: t.Step, Gathered: map[string]any{}, Variables: map[string]any{}}
	if out.AgentName == "" {
		out.AgentName = s.AgentName
	}
	for name, v := range t.Slots[t.Agent] {
		if slices.Contains(t.Sensitive[t.Agent], name) {
			out.Gathered[name] = masked
			continue
		}
		out.Gathered[name] = v
	}
	for name, v := range t.Vars {
		out.Variables[name] = v
	}
	return out
}

// TraceOf is an event of a session as a trace shows it; ok is false for what is said, which
// transcripts show. What happens in a delegate names that.
func TraceOf(p event.Payload) (t TraceEvent, ok bool) {
	t, ok = traceOf(p)
	if in, is := p.(interface{ Of() sessions.InTurn }); ok && is && in.Of().Delegate != "" {
		t.Data["delegate"] = in.Of().Delegate
	}
	return t, ok
}

// stepRan is a step of a workflow as a trace shows it.
func stepRan(s sessions.StepRan) map[string]any {
	data := map[string]any{"step": s.Step, "tool": s.Tool, "outcome": s.Outcome, "duration_ms": s.TookMs}
	if s.Code != "" {
		data["error"] = s.Code
	}
	return data
}

func traceOf(p event.Payload) (t TraceEvent, ok bool) {
	for _, of := range []func(event.Payload) (TraceEvent, bool){traceOfTurn, traceOfAgents, traceOfCalls, traceOfPeople, traceOfMemory} {
		if t, ok = of(p); ok {
			return t, true
		}
	}
	return t, false
}

// trace is an event as it is shown. Members that say nothing are left out where they are only said of what went wrong.
func trace(kind string, at time.Time, data map[string]any) (TraceEvent, bool) {
	data["timestamp"] = iso(at)
	for _, name := range []string{"error", "problem", "before"} {
		if said, is := data[name].(string); is && said == "" {
			delete(data, name)
		}
	}
	return TraceEvent{kind, data}, true
}

func traceOfTurn(p event.Payload) (t TraceEvent, ok bool) {
	switch e := p.(type) {
	case sessions.MessageReceived:
		return trace("turn_started", e.At, map[string]any{"turn": e.Turn, "messageId": e.MessageID})
	case sessions.PickedUp:
		return trace("turn_started", e.At, map[string]any{"turn": e.Turn})
	case sessions.StepEntered:
		return trace("step", e.At, map[string]any{"agentName": e.Agent, "step": e.Step})
	case sessions.SlotsFilled:
		return trace("gather", e.At, map[string]any{"agentName": e.Agent, "slots": append([]string{}, slices.Sorted(maps.Keys(e.Values))...)})
	case sessions.Noticed:
		return trace(e.Kind, e.At, map[string]any{"agentName": e.Agent, "step": e.Step, "what": e.What, "detail": e.Detail, "before": e.Before})
	case sessions.TurnEnded:
		return trace("turn_ended", e.At, map[string]any{"turn": e.Turn, "action": e.Action, "error": e.Failed})
	}
	return t, false
}

// traceOfAgents is who has the conversation, and who works beside them.
func traceOfAgents(p event.Payload) (t TraceEvent, ok bool) {
	switch e := p.(type) {
	case sessions.HandedOff:
		return trace("handoff", e.At, map[string]any{"fromAgent": e.From, "toAgent": e.To, "reason": e.Why})
	case sessions.HandedBack:
		reason := "returned"
		if e.Failed != "" {
			reason = "failed"
		}
		return trace("handoff", e.At, map[string]any{"fromAgent": e.From, "toAgent": e.To, "reason": reason, "error": e.Failed})
	case sessions.DelegateEnded:
		return trace("delegate", e.At, map[string]any{"fromAgent": e.From, "toAgent": e.To, "task": e.Task, "duration_ms": e.TookMs,
			"delegateId": e.DelegateID, "outcome": e.Outcome, "error": e.Code})
	}
	return t, false
}

// traceOfCalls is calls of tools and models.
func traceOfCalls(p event.Payload) (t TraceEvent, ok bool) {
	switch e := p.(type) {
	case sessions.CallSent:
		return trace("suspended", e.At, map[string]any{"callId": e.CallID, "expiresAt": iso(e.ExpiresAt)})
	case sessions.CallEnded:
		kind := "tool_call"
		if e.Later {
			kind = "resumed"
		}
		data := map[string]any{"agentName": e.Agent, "step": e.Step, "tool": e.Tool, "callId": e.CallID,
			"outcome": e.Outcome, "code": e.Code, "mocked": e.Mock > 0, "problem": e.Problem}
		if len(e.Steps) > 0 {
			data["steps"] = rest.Shown(e.Steps, stepRan)
		}
		return trace(kind, e.At, data)
	case sessions.ModelAnswered:
		data := map[string]any{"agentName": e.Agent, "step": e.Step, "callId": e.CallID, "model": e.ModelID, "provider": e.Provider,
			"usage": map[string]any{"inputTokens": e.TokensIn, "outputTokens": e.TokensOut}, "finishReason": e.Finish,
			"latencyMs": e.TookMs, "error": e.Failed}
		if e.CostPico != nil {
			data["estimatedCost"] = completions.Dollars(*e.CostPico)
		}
		if e.Purpose != sessions.Leads {
			data["purpose"] = e.Purpose
		}
		return trace("llm_call", e.At, data)
	}
	return t, false
}

func traceOfPeople(p event.Payload) (t TraceEvent, ok bool) {
	switch e := p.(type) {
	case sessions.Escalated:
		return trace("escalated", e.At, map[string]any{"agentName": e.Agent, "step": e.Step, "queue": e.Queue, "priority": e.Priority,
			"reason": e.Why, "by": string(e.By), "transferId": e.TransferID})
	case sessions.TakenByPeople:
		return trace("taken_by_people", e.At, map[string]any{"transferId": e.TransferID, "conversationId": e.ConversationID,
			"queueId": e.QueueID, "agentId": e.HumanAgentID, "elsewhere": e.Elsewhere})
	case sessions.GivenBack:
		data := map[string]any{"transferId": e.TransferID, "reason": e.Reason}
		if e.Failed {
			data["error"] = e.Reason
		}
		return trace("given_back", e.At, data)
	case sessions.PassedOn:
		return trace("passed_on", e.At, map[string]any{"messageId": e.MessageID, "transferId": e.TransferID})
	case sessions.PersonSaid:
		return trace("person_said", e.At, map[string]any{"messageId": e.MessageID, "conversationId": e.ConversationID})
	}
	return t, false
}

func traceOfMemory(p event.Payload) (t TraceEvent, ok bool) {
	switch e := p.(type) {
	case sessions.MemorySet:
		paths := rest.Shown(e.Values, func(v sessions.MemoryValue) string { return v.Path })
		return trace("memory", e.At, map[string]any{"agentName": e.Agent, "step": e.Step, "action": "set", "store": e.Store,
			"scope": e.Scope, "members": paths})
	case sessions.MemoryTold:
		return trace("memory", e.At, map[string]any{"action": "told", "callId": e.CallID, "stores": rest.Shown(e.Stores, storeTold)})
	}
	return t, false
}

// storeTold is what traces show of a store: nothing of what is in it.
func storeTold(s sessions.StoreTold) map[string]any {
	out := map[string]any{"store": s.Store, "scope": s.Scope, "version": s.Version}
	if s.Failed != "" {
		out["error"] = s.Failed
	}
	if len(s.Refused) > 0 {
		out["refused"] = s.Refused
	}
	return out
}

func iso(at time.Time) string { return rest.ISOTime(&at) }
