package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The turns that a session has in the measurement: the one that begins it, and one for each
// value that the agent asks for, whose last one ends it.
const (
	turnFigure    = "scripted turn"
	turnsEach     = 20
	mostTurners   = 64
	surveyAgent   = "bench-survey"
	chatAgentPath = "/api/v1/chat/agent"
)

// turns measures messages to a deployed agent that needs no model and no tool: over HTTP, as
// `HTTP command to visible`, which is their ceiling, with the answer in what comes back.
func (c *Command) turns(b *bench, out *report) error {
	if !c.wants(turnFigure) {
		return nil
	}
	out.heading("agents")
	if err := b.deploySurvey(); err != nil {
		return err
	}
	begun := make(chan surveyed, mostTurners)
	for range cap(begun) {
		begun <- surveyed{}
	}
	turn := func(ctx context.Context) error {
		s := <-begun
		err := b.turn(ctx, &s)
		begun <- s
		return err
	}
	for _, clients := range c.Clients {
		if clients > mostTurners {
			continue
		}
		ceiling, err := timed("HTTP command to visible", c.For, clients, b.http, b.analysed)
		if err != nil {
			return err
		}
		out.add(ceiling)
		f, err := timed(turnFigure, c.For, clients, turn, b.analysed)
		if err != nil {
			return err
		}
		if f = f.of(ceiling); clients == 1 {
			f = f.aim("p50 under 4 ms", f.P50 < 4)
		} else {
			f = f.aim("70 % of HTTP command to visible", f.Ratio >= 0.7)
		}
		out.add(f)
	}
	return nil
}

// deploySurvey deploys an agent that asks for one value after the other.
func (b *bench) deploySurvey() error {
	var slots, names []string
	for i := range turnsEach - 1 {
		name := fmt.Sprintf("value_%d", i)
		names = append(names, name)
		slots = append(slots, fmt.Sprintf("  %s: {TYPE: integer, PROMPT: \"What does meter %d say?\", VALIDATE: value >= 0}", name, i))
	}
	source := fmt.Sprintf("DSL: 1\nAGENT: %s\nGATHER:\n%s\nFLOW: {START: ask, STEPS: {ask: {SAY: Good day., GATHER: [%s], NEXT: thanks}, "+
		"thanks: {SAY: \"{{ gather.%s }}, thank you.\", END: true}}}\n",
		surveyAgent, strings.Join(slots, "\n"), strings.Join(names, ", "), names[0])
	if err := b.makeAgent(surveyAgent, source); err != nil {
		return err
	}
	return b.deployAgent("production", surveyAgent)
}

func (b *bench) makeAgent(name, source string) error {
	if _, err := b.ask(context.Background(), "/api/projects/"+b.work.Project+"/agents", map[string]string{"name": name, "dslContent": source},
		http.StatusCreated); err != nil {
		return fmt.Errorf("making the agent %s: %w", name, err)
	}
	return nil
}

func (b *bench) deployAgent(environment, name string) error {
	if _, err := b.ask(context.Background(), "/api/projects/"+b.work.Project+"/deployments", map[string]string{"environment": environment,
		"entryAgentName": name, "agentVersionManifest": "auto"}, http.StatusCreated); err != nil {
		return fmt.Errorf("deploying the agent %s: %w", name, err)
	}
	return nil
}

// surveyed is a session that takes some more messages; without an id one begins.
type surveyed struct {
	id    string
	turns int
}

// turn is the next message.
func (b *bench) turn(ctx context.Context, s *surveyed) error {
	body := map[string]string{"projectId": b.work.Project, "environment": "production", "message": "4711"}
	if s.id != "" {
		body["sessionId"] = s.id
	}
	answer, err := b.ask(ctx, chatAgentPath, body, http.StatusOK)
	if err != nil {
		return err
	}
	var told struct {
		SessionID, Response string
		State               struct{ Status string }
	}
	if err := json.Unmarshal(answer, &told); err != nil || told.Response == "" {
		return fmt.Errorf("the answer to a message has no response: %s", answer)
	}
	s.id = told.SessionID
	s.turns++
	if ended := s.turns == turnsEach; ended != (told.State.Status == "ended") {
		return fmt.Errorf("turn %d of %d leaves the session %s", s.turns, turnsEach, told.State.Status)
	} else if ended {
		*s = surveyed{}
	}
	return nil
}
