package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// EraseCmd erases a person.
type EraseCmd struct {
	who    `embed:""`
	NoWait bool `help:"Do not wait until it is done." env:"-"`
	asking `embed:""`
}

// Help is shown with --help.
func (*EraseCmd) Help() string {
	return `Whatever stands for one of the identities is erased: name all that you know.
A token with the permission privacy:erase is needed.

Examples:
  parley privacy erase --telephone '+1 555 000 0001' --email ann@example.com
  parley privacy erase --external C-4711 --no-wait
  parley privacy list`
}

// Run erases.
func (c *EraseCmd) Run() error {
	if len(c.identities()) == 0 {
		return exit.Wrongf("who is to be erased? Name the person with --telephone, --email, --sip or --external")
	}
	return c.with(func(ctx context.Context, d desk) error { return c.named(d.erase(ctx, c.identities(), c.NoWait)) })
}

const askAgain = 200 * time.Millisecond

func (d desk) erase(ctx context.Context, who []identity, noWait bool) error {
	var got struct {
		Erasure json.RawMessage `json:"erasure"`
	}
	call := api.Post(erasures, struct {
		Identities []identity `json:"identities"`
	}{who})
	if _, err := d.client.Do(ctx, call, &got); err != nil {
		return err
	}
	var e erasure
	if err := json.Unmarshal(got.Erasure, &e); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	raw := got.Erasure
	for !noWait && e.Status != "done" {
		select {
		case <-ctx.Done():
			return fmt.Errorf("it goes on without you; how far it is: parley privacy show %s", e.ID)
		case <-time.After(askAgain):
		}
		var err error
		if e, raw, err = d.get(ctx, e.ID); err != nil {
			return err
		}
	}
	return d.shown(raw)
}

func (d desk) shown(raw json.RawMessage) error {
	if d.out.JSON() {
		return d.out.Raw(raw)
	}
	var e erasure
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("reading the erasure: %w", err)
	}
	pairs := []show.Pair{{Name: "erasure", Text: e.ID}, {Name: "status", Text: e.Status, Colour: e.colour()}}
	for _, category := range slices.Sorted(maps.Keys(e.Forgotten)) {
		pairs = append(pairs, show.Pair{Name: category, Text: strconv.Itoa(e.Forgotten[category])})
	}
	return d.out.Pairs(append(pairs, show.Pair{Name: "asked for", Text: show.Time(e.RequestedAt)},
		show.Pair{Name: "ended", Text: show.Time(e.EndedAt)})...)
}
