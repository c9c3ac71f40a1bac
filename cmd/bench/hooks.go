package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// The hooks that a conversation gets in the measurement, and with how many clients it is
// measured at most.
const (
	hookFigure      = "hooks over HTTP"
	hooksEach       = 20
	mostHookClients = 64
)

// hooks measures POST of hooks: each is a message in one of many conversations, or the
// entry of the agent with whom one begins.
func (c *Command) hooks(b *bench, out *report) error {
	if !c.wants(hookFigure) {
		return nil
	}
	out.heading("contact center")
	open := make(chan hooked, mostHookClients)
	for range cap(open) {
		open <- hooked{left: 0}
	}
	for _, clients := range c.Clients {
		if clients > mostHookClients {
			continue
		}
		f, err := timed(hookFigure, c.For, clients, func(ctx context.Context) error {
			h := <-open
			err := b.hook(ctx, &h)
			open <- h
			return err
		}, b.analysed)
		if err != nil {
			return err
		}
		out.add(f)
	}
	return nil
}

// hooked is a conversation that takes some more messages.
type hooked struct {
	id   string
	left int
}

const (
	entryHook = `{"conversationId":%q,"botId":%q,"events":[{"name":"INTERNAL_TRANSFER_EVENT","transfertype":"NA","transition":"entry",
		"isExtAD":"false","experience":"chat",` +
		`"participant":{"identity":"a-1","name":"Ada","type":"agent"}}]}`
	messageHook = `{"conversationId":%q,"botId":%q,"query":"Where is my order?","agentId":"a-1","experience":"chat","author":{"type":"USER"},
		"source":"bench","sendUserMessage":false,"sendAgentMessage":true,"language":"en"}`
)

// hook sends the next one.
func (b *bench) hook(ctx context.Context, h *hooked) error {
	form := messageHook
	if h.left--; h.left < 0 {
		*h, form = hooked{id: "c-" + uuid.NewString(), left: hooksEach - 1}, entryHook
	}
	return b.post(ctx, "/agentassist/api/v1/hooks/"+b.work.Project, fmt.Sprintf(form, h.id, b.work.Project))
}
