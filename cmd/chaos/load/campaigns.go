package load

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// campaigns is a caller who makes a campaign, starts it, looks at how far it is, pauses
// it, looks whether it keeps still, lets it go on and waits for its end; and so on with
// the next list of contacts.
func (c *client) campaigns(ctx context.Context, r *random) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("campaign-%d-%d", c.id, i)
		list := c.w.Lists[r.IntN(len(c.w.Lists))]
		made := c.createCampaign(ctx, key, list, r.IntN(2))
		if made.Outcome != OK {
			continue
		}
		played := c.trigger(ctx, key+"-play", "play", made.Campaign, r.IntN(2))
		if played.Outcome != OK {
			continue
		}
		run := played.Campaign
		for turn := range 1 + r.IntN(2) {
			pause(ctx, time.Duration(r.Int64N(int64(800*time.Millisecond))))
			if !c.interrupt(ctx, r, fmt.Sprintf("%s-%d", key, turn), run) {
				break
			}
		}
		c.follow(ctx, run, func(now Run) bool { return now.Status == RunFinished })
	}
}

// interrupt pauses a run and lets it go on, and says whether it did. In between the run
// keeps still, as soon as it says that it is held.
func (c *client) interrupt(ctx context.Context, r *random, key string, run Campaign) bool {
	if ctx.Err() != nil || c.trigger(ctx, key+"-pause", "pause", run, r.IntN(2)).Outcome != OK {
		return false
	}
	c.follow(ctx, run, func(now Run) bool { return now.Status == RunHeld || now.Status == RunFinished })
	for range 2 + r.IntN(4) {
		for _, node := range c.w.Nodes {
			c.readRun(ctx, node, run)
		}
		pause(ctx, time.Duration(r.Int64N(int64(200*time.Millisecond))))
	}
	// The next pause is another one: held must not be seen of this.
	return c.trigger(ctx, key+"-resume", "resume", run, r.IntN(2)).Outcome == OK &&
		c.follow(ctx, run, func(now Run) bool { return now.Status != RunHeld })
}

// The statuses of runs that callers wait for.
const (
	RunHeld     = "held"
	RunFinished = "finished"
)

// follow reads a run, at one node after the other, until it is where it is waited for.
func (c *client) follow(ctx context.Context, run Campaign, there func(Run) bool) bool {
	for n := 0; ctx.Err() == nil; n++ {
		if op := c.readRun(ctx, c.w.Nodes[n%len(c.w.Nodes)], run); op.Outcome == OK && there(op.Campaign.Run) {
			return true
		}
		pause(ctx, 150*time.Millisecond)
	}
	return false
}

func (c *client) createCampaign(ctx context.Context, key string, list List, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: CreateCampaign, Key: key, Path: "/agentassist/api/v1/public/" + c.w.Bot + "/campaigns",
		Campaign: Campaign{Kind: list.Kind, List: list.Name}})
	c.repeatCampaign(ctx, op, first)
	return op
}

func (c *client) repeatCampaign(ctx context.Context, op *Op, first int) {
	always := map[string]any{"frequency": "DAILY", "timezone": "UTC", "days": []any{map[string]any{"start": "12:00 AM", "end": "11:59 PM"}}}
	body := map[string]any{"name": op.Key, "description": "Is interrupted", "contactLists": []string{op.Campaign.List}, "priority": "3",
		"format":       "advanced",
		"campaignType": op.Campaign.Kind, "experienceFlowName": "Acme support line",
		"dialingStrategy": map[string]any{"callerId": map[string]any{"phoneNumber": "+" + c.w.OurNumber}, "callingHours": always}}
	var out struct {
		Data struct {
			ID string `json:"_id"`
		}
	}
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPost, op.Path, body, c.campaignHeaders(op.Key)...)
	}, func(a answer) Outcome {
		if a.Status != http.StatusCreated || json.Unmarshal(a.body, &out) != nil || out.Data.ID == "" {
			return Failed
		}
		replayed = a.replayed
		return OK
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() { op.Campaign.ID, op.Replayed = out.Data.ID, replayed })
	}
}

func (c *client) campaignHeaders(key string) []string {
	headers := []string{"auth", c.w.Token, "accountId", c.w.Account, "iid", c.w.Bot}
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	return headers
}

func (c *client) trigger(ctx context.Context, key, what string, campaign Campaign, first int) *Op {
	campaign.Trigger, campaign.Run = what, Run{}
	op := c.w.History.add(&Op{Caller: c.id, Kind: Trigger, Key: key, Path: "/api/v2/public/" + c.w.Bot + "/campaign/trigger/" + campaign.ID,
		Campaign: campaign})
	c.repeatTrigger(ctx, op, first)
	return op
}

// repeatTrigger takes a conflict as an answer for good, except for a start: nobody else
// starts the campaigns of a caller.
func (c *client) repeatTrigger(ctx context.Context, op *Op, first int) {
	var out struct {
		RunID string `json:"campaignInstanceId"`
	}
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPost, op.Path+"?campaignType="+op.Campaign.Kind+"&trigger="+op.Campaign.Trigger,
			map[string]any{}, c.campaignHeaders(op.Key)...)
	}, func(a answer) Outcome {
		switch {
		case a.Status == http.StatusConflict && op.Campaign.Trigger != "play":
			return Refused // the run has reached its end
		case a.Status != http.StatusOK || json.Unmarshal(a.body, &out) != nil || out.RunID == "":
			return Failed
		}
		replayed = a.replayed
		return OK
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() {
			if op.Replayed = replayed; outcome == OK {
				op.Campaign.RunID = out.RunID
			}
		})
	}
}

// readRun reads how far a run is, which was started before.
func (c *client) readRun(ctx context.Context, node Node, run Campaign) *Op {
	run.Trigger, run.Run = "", Run{}
	op := c.w.History.add(&Op{Caller: c.id, Kind: ReadRun, Campaign: run})
	a := c.send(ctx, op, node, http.MethodGet, "/agentassist/api/v1/public/"+c.w.Bot+"/campaign/"+run.ID+"/runs/"+run.RunID, nil,
		c.campaignHeaders("")...)
	var out struct{ Data Run }
	if a.Status != http.StatusOK || json.Unmarshal(a.body, &out) != nil {
		if !c.again(op, a) {
			c.wrong(op, a)
		}
		c.w.History.finish(op, Failed, nil)
		return op
	}
	c.w.History.finish(op, OK, func() { op.Campaign.Run = out.Data })
	return op
}

// resumePaused lets every run go on that its caller left paused, so that all reach their
// end. A run whose pause was acknowledged says first that it is held.
func (w *World) resumePaused(ctx context.Context, c *client) error {
	last := map[string]Op{}
	for _, op := range w.History.Ops() {
		if op.Kind == Trigger && op.Outcome == OK {
			last[op.Campaign.ID] = op
		}
	}
	for i, op := range slices.SortedFunc(maps.Values(last), func(a, b Op) int { return a.ID - b.ID }) {
		if op.Campaign.Trigger != "pause" {
			continue
		}
		if !c.follow(ctx, op.Campaign, func(now Run) bool { return now.Status == RunHeld || now.Status == RunFinished }) {
			return fmt.Errorf("the run %s was paused and is not held: %w", op.Campaign.RunID, ctx.Err())
		}
		if resumed := c.trigger(ctx, op.Key+"-resume", "resume", op.Campaign, i); resumed.Outcome == Unknown {
			return unsettled(ctx, resumed)
		}
	}
	return nil
}

// readRuns reads every run that was started.
func (w *World) readRuns(ctx context.Context, c *client, node Node) {
	for _, op := range w.History.Ops() {
		if op.Kind == Trigger && op.Campaign.Trigger == "play" && op.Outcome == OK {
			c.readRun(ctx, node, op.Campaign)
		}
	}
}
