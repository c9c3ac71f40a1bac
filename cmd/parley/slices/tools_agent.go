package slices

import (
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/adapters/a2atool"
	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// agent tells an agent of others something, and waits for what comes of it. The id of the message is the
// call's key, by which the other side knows a repeat.
func (c toolCaller) agent(ctx context.Context, of driving.Asking) sessions.CallEnded {
	request, secrets, failed := c.build(ctx, of, of.Tool)
	if failed.Code != "" {
		return failed
	}
	args, _ := of.Scope["args"].(map[string]any)
	text := func(name string) string {
		value, _ := args[name].(string)
		return value
	}
	message := a2a.Message{ID: of.Key, ContextID: text("contextId"), TaskID: text("taskId"), Parts: []a2a.Part{{Text: text("message")}}}
	if of.Tells.Data != nil {
		data, err := plainjson.Of(of.Tells.Data)
		if err != nil {
			return notMade(sessions.CodeDefect)
		}
		message.Parts = append(message.Parts, a2a.Part{Data: data})
	}
	message.Metadata = beside(of.Tells)
	var seen []string
	all, elsewhere := args["seen"].([]any) // by an agent that is elsewhere: nobody could say that its task is no more
	if elsewhere {
		for _, id := range all {
			if name, is := id.(string); is {
				seen = append(seen, name)
			}
		}
	}
	call := a2atool.Call{URL: request.URL, Headers: request.Headers, Version: a2a.Version(of.Tool.Protocol), Message: message, Seen: seen,
		Anew: elsewhere, Timeout: of.Tool.Timeout, Repeatable: of.Repeat, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff}
	return secrets.outOf(ended(c.agents.Do(ctx, call)))
}

// beside are the metadata of a message: by how many agents it comes, and what was said before.
func beside(told turns.Forwarding) json.RawMessage {
	all := map[string]any{turns.HopsMember: told.Hops}
	if len(told.History) > 0 {
		all["history"] = history(told.History)
	}
	out, err := plainjson.Of(all)
	if err != nil {
		return nil
	}
	return out
}

// line is one text of what was said before.
type line struct {
	Role    string `json:"role"`
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
}

func history(lines []sessions.Forwarded) []line {
	all := make([]line, len(lines))
	for i, l := range lines {
		all[i] = line{"user", "", l.Text}
		if l.Agent != "" {
			all[i].Role, all[i].Name = "agent", l.Agent
		}
	}
	return all
}
