package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// What is measured of models and tools, each with a stub that answers at once.
const (
	directFigure   = "model asked directly"
	completeFigure = "chat/complete"
	firstFigure    = "first delta"
	deltaFigure    = "cost of a delta"
	modelFigure    = "model turn"
	toolFigure     = "model turn with a tool"
	manyWords      = 2000
	modelAgent     = "bench-model"
)

// models measures completions and turns that a model leads. The ceilings are the same questions
// put to the stub itself, and the dial-out of the same run.
func (c *Command) models(b *bench, out *report) error {
	if !c.wants(completeFigure, toolFigure) {
		return nil
	}
	out.heading("models and tools")
	s, err := startStub()
	if err != nil {
		return err
	}
	defer s.close()
	if err := b.knowStub(s); err != nil {
		return err
	}
	if err := c.completions(b, s, out); err != nil {
		return err
	}
	if err := c.modelTurns(b, s, out); err != nil {
		return err
	}
	if err := c.socketDeltas(b, s, out); err != nil {
		return err
	}
	return c.callbacks(b, s, out)
}

// knowStub makes the stub a provider of the workspace's project.
func (b *bench) knowStub(s *stub) error {
	text := fmt.Sprintf(`kind: ModelProvider
metadata: {name: bench, tenant: %s}
spec: {projectId: %s, kind: openai, baseUrl: %s/v1, apiKey: none, models: [{id: %s}]}
`, b.work.Account, b.work.Project, s.url, stubModel)
	manifests, err := manifest.Parse("the stub", []byte(text), apply.Kinds())
	if err != nil {
		return err
	}
	_, err = apply.New(b.node.Store(), b.node.Vault()).Do(context.Background(), apply.Request{Manifests: manifests},
		apply.Caller{Actor: "bench", Operator: true})
	return err
}

// completion asks the stub through Parley.
func (b *bench) completion(path, text string, first bool) func(context.Context) error {
	body, _ := json.Marshal(map[string]any{"projectId": b.work.Project, "modelId": stubModel,
		"messages": []map[string]string{{"role": "user", "content": text}}})
	return func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.node.URL()+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("auth", b.work.Token)
		r.Header.Set("Content-Type", "application/json")
		return b.streamed(r, first, "word ")
	}
}

func (c *Command) completions(b *bench, s *stub, out *report) error {
	command, err := timed("HTTP command to visible", c.For, 1, b.http, b.analysed)
	if err != nil {
		return err
	}
	out.add(command)
	direct, err := timed(directFigure, c.For, 1, b.direct(s, "hello", false), b.analysed)
	if err != nil {
		return err
	}
	out.add(direct)
	complete, err := timed(completeFigure, c.For, 1, b.completion("/api/v1/chat/complete", "hello", false), b.analysed)
	if err != nil {
		return err
	}
	out.add(complete.of(direct).aim("adds at most HTTP command to visible and 1 ms", complete.P50-direct.P50 <= command.P50+1))
	at, err := timed(firstFigure+", directly", c.For, 1, b.direct(s, "hello", true), b.analysed)
	if err != nil {
		return err
	}
	out.add(at)
	first, err := timed(firstFigure, c.For, 1, b.completion("/api/v1/chat/stream", "hello", true), b.analysed)
	if err != nil {
		return err
	}
	out.add(first.of(at).aim("adds under 2 ms", first.P50-at.P50 < 2))
	return c.deltas(b, s, out)
}

// deltas measures what a piece of an answer costs on the cores, without what it costs to ask the
// stub itself.
func (c *Command) deltas(b *bench, s *stub, out *report) error {
	text := fmt.Sprintf("words %d", manyWords)
	direct, err := timed(deltaFigure, c.For, 1, b.direct(s, text, false), b.analysed)
	if err != nil {
		return err
	}
	long, err := timed(deltaFigure, c.For, 1, b.completion("/api/v1/chat/stream", text, false), b.analysed)
	if err != nil {
		return err
	}
	each := (long.CPU - direct.CPU) / manyWords
	out.add(figure{Name: deltaFigure, Value: each, Unit: "µs on the cores"}.aim("under 30 µs", each < 30))
	return nil
}

// modelTurns measures messages to agents that a model leads; each begins a session.
func (c *Command) modelTurns(b *bench, s *stub, out *report) error {
	source := fmt.Sprintf("DSL: 1\nAGENT: %s\nGOAL: Help.\nMODEL: {ID: %s}\nTOOLS: {look_up: {KIND: http, METHOD: GET, URL: \"%s/tool\"}}\n",
		modelAgent, stubModel, s.url)
	if err := b.makeAgent(modelAgent, source); err != nil {
		return err
	}
	if err := b.deployAgent("staging", modelAgent); err != nil {
		return err
	}
	for _, clients := range c.Clients {
		if clients > mostTurners {
			continue
		}
		for _, of := range []struct {
			name, message string
			under         float64
		}{{modelFigure, "hello", 6}, {toolFigure, wantsTool, 9}} {
			f, err := timed(of.name, c.For, clients, func(ctx context.Context) error {
				_, err := b.ask(ctx, chatAgentPath, map[string]string{"projectId": b.work.Project, "environment": "staging",
					"message": of.message}, http.StatusOK)
				return err
			}, b.analysed)
			if err != nil {
				return err
			}
			if clients == 1 {
				f = f.aim(fmt.Sprintf("p50 under %.0f ms", of.under), f.P50 < of.under)
			}
			out.add(f)
		}
	}
	return nil
}
