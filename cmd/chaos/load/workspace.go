package load

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// List is a contact list that campaigns of a kind reach.
type List struct {
	Name, Kind string
	Numbers    []string // E.164
}

// Contacts is how many people a list has, CampaignLines how many of them are called at
// once: few, so that a run is still under way when it is paused, and when nodes die.
const (
	Contacts      = 12
	CampaignLines = 4
)

// listsOfAKind is how many lists there are for each kind of campaign.
const listsOfAKind = 3

// callers are the human agents of the example workspace who take calls, one at a time.
var callers = []string{"a-acme-maria", "a-acme-tom", "a-acme-priya", "a-acme-jonas"}

// The queues that sessions are handed to: one of the example workspace, and one with two
// agents whose line is given up after a second.
const (
	patientQueue   = "q-acme-support"
	impatientQueue = "q-chaos"
)

// Furnish adds to the example workspace what the callers need: contact lists, a queue
// with a short patience, and agents who are there.
func (w *World) Furnish(ctx context.Context) error {
	w.Lists = lists()
	w.Agents, w.Queues = slices.Clone(callers), []string{patientQueue, impatientQueue}
	c := w.client(9990, 0)
	if err := c.furnish(ctx, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": w.manifests()}); err != nil {
		return fmt.Errorf("applying contact lists and a queue: %w", err)
	}
	if err := w.connect(ctx, c); err != nil {
		return fmt.Errorf("connecting channels: %w", err)
	}
	for i, agent := range w.Agents {
		if op := c.setPresence(ctx, "present-"+agent, agent, "AVAILABLE", i); op.Outcome != OK {
			return fmt.Errorf("making agent %s available: %s: %w", agent, op.Outcome, ctx.Err())
		}
	}
	return nil
}

// furnish makes a request of the preparations, in which nothing goes wrong yet.
func (c *client) furnish(ctx context.Context, method, path string, body any) error {
	a := answer{}
	if err := c.exchange(ctx, &a, method, c.w.Nodes[0].URL+path, body, []string{"auth", c.w.Token}); err != nil {
		return err
	}
	if a.Status/100 != 2 {
		return fmt.Errorf("%s %s: %d %s", method, path, a.Status, a.body)
	}
	return nil
}

// lists have numbers of their own, so that what came to a number came from one list; the
// first of the voice lists are those of the simulated carrier that are busy, decline, or
// are machines.
func lists() (out []List) {
	for i := range listsOfAKind {
		voice, text := List{Name: fmt.Sprintf("Called %d", i), Kind: "voice"}, List{Name: fmt.Sprintf("Written to %d", i), Kind: "sms"}
		for n := range Contacts {
			voice.Numbers = append(voice.Numbers, fmt.Sprintf("+1555200%02d%02d", i, n))
			text.Numbers = append(text.Numbers, fmt.Sprintf("+1555300%02d%02d", i, n))
		}
		copy(voice.Numbers, []string{"+15550000002", "+15550000005", "+15550000006", "+15550000009"})
		out = append(out, voice, text)
	}
	return out
}

func (w *World) manifests() (all []any) {
	manifest := func(kind, id, name string, spec map[string]any) {
		all = append(all, map[string]any{"kind": kind, "metadata": map[string]any{"id": id, "name": name, "tenant": w.Account}, "spec": spec})
	}
	for i, l := range w.Lists {
		var people []any
		for _, number := range l.Numbers {
			people = append(people, map[string]any{"phoneNumber": number})
		}
		manifest("ContactList", fmt.Sprintf("cl-chaos-%d", i), l.Name, map[string]any{"projectId": w.Bot, "contacts": people})
	}
	manifest("Queue", impatientQueue, "Impatient", map[string]any{"waitTimeoutSeconds": 1, "onTimeout": "fail",
		"agents": []any{map[string]any{"userId": "u-acme-tom"}, map[string]any{"userId": "u-acme-priya"}}})
	return all
}
