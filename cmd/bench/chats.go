package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

const (
	chatAgent  = "bench-chat"
	longChat   = 50             // turns of the session that is read
	chatsSince = 20 * time.Hour // none of them is idle for too long yet
)

// chats measures what is read of many sessions that a model led: they are appended while no node
// runs, as they would stand on the log.
func (c *Command) chats(b *bench, out *report) error {
	ctx := context.Background()
	out.heading(fmt.Sprintf("reads at %d sessions", c.Sessions))
	log, err := b.logAlone(ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	load := newLoading(ctx, log)
	load.ordered = c.IDs == orderedIDs
	var long string
	for i := range c.Sessions {
		turns, id := 1, load.id()
		if i == c.Sessions/2 {
			turns, long = longChat, id
		}
		at := time.Now().Add(-time.Duration(float64(chatsSince) * (1 - float64(i)/float64(c.Sessions))))
		if err := load.chat(b.work, id, at, turns, i%10 > 0); err != nil {
			return err
		}
	}
	if err := load.flush(); err != nil {
		return err
	}
	if err := b.settleReactors(ctx, log); err != nil {
		return err
	}
	if err := b.startNode(ctx); err != nil {
		return err
	}
	if err := b.analysed(ctx); err != nil { // or what is measured would be the other half of the cores
		return err
	}
	b.close()
	s, err := c.serve(b)
	if err != nil {
		return err
	}
	defer s.stop()
	of := "/api/projects/" + url.PathEscape(b.work.Project) + "/sessions"
	for _, q := range [][2]string{
		{"sessions, a page", of},
		{"active sessions, a page", of + "?status=active"},
		{"a transcript of 50 turns", "/api/v1/sessions/" + long + "/transcripts"},
		{"its traces", of + "/" + long + "/traces"},
		{"its figures", of + "/" + long + "/metrics"},
		{"generations, a page", of + "/generations"},
		{"generations of a session", of + "/generations?sessionId=" + long},
	} {
		f, err := timed(q[0], c.For, 1, func(ctx context.Context) error { _, err := s.ask(ctx, b, "GET", q[1], ""); return err }, nothing)
		if err != nil {
			return err
		}
		out.add(dayAim(f))
	}
	return nil
}

// chat is a session of so many turns, in each of which a model was asked.
func (l *loading) chat(w workspace.Workspace, id string, at time.Time, turns int, ends bool) error {
	life := newLife(l, sessions.Sessions.Category, sessions.Sessions.Stream(id), w.Account)
	var s sessions.State
	commit := func(payloads ...event.Payload) error {
		for _, p := range payloads {
			sessions.Sessions.Fold(&s, p)
		}
		return life.add(payloads, at)
	}
	opened, err := sessions.Open{ID: id, TenantID: w.Account, ProjectID: w.Project, Channel: "api", AgentName: chatAgent, At: at,
		Begun: &sessions.Begun{DeploymentID: "d-bench", Environment: "production", Manifest: map[string]sessions.Pinned{
			chatAgent: {Version: 1, Hash: "none"}}}}.Decide(s)
	if err != nil {
		return err
	}
	if err := commit(opened...); err != nil {
		return err
	}
	for turn := 1; turn <= turns; turn++ {
		in, call := sessions.InTurn{Turn: turn, At: at}, sessions.CallID(id, turn)
		cost := int64(120_000_000)
		if err := commit(
			sessions.MessageReceived{InTurn: in, MessageID: uuid.NewString(), Text: "When do you open tomorrow?"},
			sessions.ModelAsked{InTurn: in, CallID: call, Agent: chatAgent, Prompt: "none",
				Claimed: sessions.Claimed{Process: "bench", Try: "bench"}}); err != nil {
			return err
		}
		figures := sessions.Figures{Turns: turn, Messages: 2 * turn, Traces: 3 * turn}
		if err := commit(
			sessions.ModelAnswered{InTurn: in, CallID: call, ProjectID: w.Project, Agent: chatAgent, Text: "At nine.", Finish: "end_turn",
				ModelID: stubModel, Provider: "bench", Model: stubModel, TokensIn: 400, TokensOut: 20, PriceVersion: "1", CostPico: &cost,
				TookMs: 700},
			sessions.Said{InTurn: in, MessageID: uuid.NewString(), Agent: chatAgent, Text: "At nine."},
			sessions.TurnEnded{InTurn: in, Action: sessions.Continue, Figures: figures}); err != nil {
			return err
		}
	}
	if !ends {
		return nil
	}
	ended, err := sessions.End{At: at}.Decide(s)
	if err != nil {
		return err
	}
	return commit(ended...)
}
