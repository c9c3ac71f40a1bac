// Package privacy asks a node to erase persons, shows how far it is, fetches what is known of
// one, and says for how long projects keep things, by the API.
package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command is parley privacy.
type Command struct {
	Erase  EraseCmd  `cmd:"" help:"Erase a person from the account, and wait until it is done. It cannot be taken back."`
	Export ExportCmd `cmd:"" help:"Write what is known of a person into a ZIP."`
	Keep   KeepCmd   `cmd:"" help:"Say for how long a project keeps what is personal, or show it."`
	List   ListCmd   `cmd:"" help:"The erasures of the account, the newest first."`
	Show   ShowCmd   `cmd:"" help:"How far an erasure is, and where the person was forgotten."`
}

// asking is how every command of erasures asks.
type asking struct {
	api.Flags
	Form show.Flags `embed:""`
}

var needs = api.Need{Token: true, Issue: api.Issuing + " --permissions privacy:erase,privacy:export,privacy:retain", Next: map[int]string{
	http.StatusForbidden: "The token and its client need the permission privacy:erase, for an export privacy:export, for keep " +
		"privacy:retain (kind: Client, spec.permissions)",
	http.StatusNotFound: "Look at the id; parley privacy list shows the erasures of the account, parley privacy keep the projects " +
		"that say for how long they keep things",
}}

// desk is an open asking.
type desk struct {
	client *api.Client
	out    *show.Out
}

// open prints to what is given.
func (a asking) open(out io.Writer) (desk, error) {
	client, err := a.Client(needs)
	return desk{client, show.To(out, a.Form)}, err
}

// with opens, and ends what is done with it at Ctrl-C.
func (a asking) with(do func(ctx context.Context, d desk) error) error {
	ctx, stop := exit.OnSignal()
	defer stop()
	d, err := a.open(os.Stdout)
	if err != nil {
		return err
	}
	return do(ctx, d)
}

const erasures = "/api/v1/privacy/erasures"

// erasure is what is shown of one.
type erasure struct {
	ID          string         `json:"erasureId"`
	Status      string         `json:"status"`
	Forgotten   map[string]int `json:"forgotten"`
	RequestedAt time.Time      `json:"requestedAt"`
	EndedAt     time.Time      `json:"endedAt"`
}

func (e erasure) streams() string {
	n := 0
	for _, of := range e.Forgotten {
		n += of
	}
	return strconv.Itoa(n)
}

func (e erasure) colour() show.Colour {
	if e.Status == "done" {
		return show.Green
	}
	return show.Yellow
}

// ListCmd lists erasures.
type ListCmd struct {
	asking `embed:""`
	Limit  int `help:"How many at most." default:"50" env:"-"`
}

// Run lists.
func (c *ListCmd) Run() error {
	return c.with(func(ctx context.Context, d desk) error { return d.list(ctx, c.Limit) })
}

const page = 200

// all are the members of a list, from as many pages as it takes.
func (d desk) all(ctx context.Context, path, member string, limit int) (all []json.RawMessage, err error) {
	for len(all) < limit {
		var got map[string]json.RawMessage
		asked := min(page, limit-len(all))
		q := url.Values{"limit": {strconv.Itoa(asked)}, "offset": {strconv.Itoa(len(all))}}
		if _, err := d.client.Do(ctx, api.Get(path, q), &got); err != nil {
			return nil, err
		}
		var of []json.RawMessage
		if err := json.Unmarshal(got[member], &of); err != nil {
			return nil, fmt.Errorf("reading %s of the answer: %w", member, err)
		}
		all = append(all, of...)
		if len(of) < asked {
			break
		}
	}
	return all, nil
}

func (d desk) list(ctx context.Context, limit int) error {
	all, err := d.all(ctx, erasures, "erasures", limit)
	if err != nil {
		return err
	}
	if len(all) == 0 && !d.out.JSON() {
		return d.out.Say("no erasures; ask for one with parley privacy erase")
	}
	return show.Rows(d.out, "an erasure", []string{"ERASURE", "STATUS", "STREAMS", "ASKED FOR"}, all, func(e erasure) []show.Cell {
		row := show.Of(e.ID, e.Status, e.streams(), show.Clock(e.RequestedAt, time.Now()))
		row[1].Colour = e.colour()
		return row
	})
}

// ShowCmd shows one.
type ShowCmd struct {
	ID     string `arg:"" help:"Its id: er-..."`
	asking `embed:""`
}

// Run shows it.
func (c *ShowCmd) Run() error {
	return c.with(func(ctx context.Context, d desk) error {
		_, raw, err := d.get(ctx, c.ID)
		if err != nil {
			return err
		}
		return d.shown(raw)
	})
}

func (d desk) get(ctx context.Context, id string) (e erasure, raw json.RawMessage, err error) {
	var got struct {
		Erasure json.RawMessage `json:"erasure"`
	}
	if _, err := d.client.Do(ctx, api.Get(api.Path(erasures+"/%s", id), nil), &got); err != nil {
		return e, nil, err
	}
	if err := json.Unmarshal(got.Erasure, &e); err != nil {
		return e, nil, fmt.Errorf("reading the erasure: %w", err)
	}
	return e, got.Erasure, nil
}
