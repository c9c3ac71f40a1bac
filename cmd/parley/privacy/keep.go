package privacy

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// KeepCmd says for how long a project keeps things, or shows it.
type KeepCmd struct {
	Project       string `arg:"" optional:"" help:"Its id or an alias. Without one all that ever said something are listed, those that keep everything again, too."`
	Calls         *int   `help:"Days to keep calls, from their end." env:"-" placeholder:"DAYS"`
	Conversations *int   `help:"Days to keep what was said and noted, from the end." env:"-" placeholder:"DAYS"`
	Recordings    *int   `help:"Days to keep voicemails, from when they were recorded." env:"-" placeholder:"DAYS"`
	Messages      *int   `help:"Days to keep texts, from when they were sent." env:"-" placeholder:"DAYS"`
	Forever       bool   `help:"Keep everything for ever." env:"-"`
	asking        `embed:""`
}

// Help is shown with --help.
func (*KeepCmd) Help() string {
	return `What is said replaces what was said before: a kind that is left out is kept for ever.
An hour later, and each day from then on, what is personal in everything that has been over
for longer is forgotten. A token with the permission privacy:retain is needed.

Examples:
  parley privacy keep                                      what projects say
  parley privacy keep acme-bot --calls 90 --recordings 30
  parley privacy keep acme-bot --forever`
}

// days is as the API has them: what nobody said is kept for ever, and 0, which would be the same to
// whoever left it out here, is refused there.
type days struct {
	Calls         *int `json:"calls,omitempty"`
	Conversations *int `json:"conversations,omitempty"`
	Recordings    *int `json:"recordings,omitempty"`
	Messages      *int `json:"messages,omitempty"`
}

// kept is what is shown of one project.
type kept struct {
	ProjectID string    `json:"projectId"`
	Days      days      `json:"days"`
	NextAt    time.Time `json:"nextAt"`
	ErasureID string    `json:"erasureId"`
}

// Run says, or shows.
func (c *KeepCmd) Run() error {
	said := days{c.Calls, c.Conversations, c.Recordings, c.Messages}
	switch {
	case c.Forever && said != days{}:
		return exit.Wrongf("--forever keeps everything; leave it out, or leave the days out")
	case c.Project == "" && (c.Forever || said != days{}):
		return exit.Wrongf("which project? Name it: parley privacy keep PROJECT --calls 90")
	case c.Project == "":
		return c.with(func(ctx context.Context, d desk) error { return d.kept(ctx) })
	}
	return c.with(func(ctx context.Context, d desk) error {
		return d.keep(ctx, c.Project, said, c.Forever || said != days{})
	})
}

const retention = "/api/v1/privacy/retention"

// keep shows what a project says, after saying it if that is wanted.
func (d desk) keep(ctx context.Context, project string, said days, say bool) error {
	call := api.Get(api.Path(retention+"/%s", project), nil)
	if say {
		call = api.Put(api.Path(retention+"/%s", project), struct {
			Days days `json:"days"`
		}{said})
	}
	var got struct {
		Retention json.RawMessage `json:"retention"`
	}
	if _, err := d.client.Do(ctx, call, &got); err != nil {
		return err
	}
	return d.keeping([]json.RawMessage{got.Retention})
}

// kept lists what projects say.
func (d desk) kept(ctx context.Context) error {
	all, err := d.all(ctx, retention, "retention", math.MaxInt)
	if err != nil {
		return err
	}
	if len(all) == 0 && !d.out.JSON() {
		return d.out.Say("every project keeps everything for ever; parley privacy keep PROJECT --calls 90 says otherwise")
	}
	return d.keeping(all)
}

func (d desk) keeping(all []json.RawMessage) error {
	heads := []string{"PROJECT", "CALLS", "CONVERSATIONS", "RECORDINGS", "MESSAGES", "NEXT LOOK", "LAST ERASURE"}
	return show.Rows(d.out, "for how long a project keeps things", heads, all, func(k kept) []show.Cell {
		return show.Of(k.ProjectID, forSo(k.Days.Calls), forSo(k.Days.Conversations), forSo(k.Days.Recordings), forSo(k.Days.Messages),
			show.Time(k.NextAt), k.ErasureID)
	})
}

func forSo(days *int) string {
	switch {
	case days == nil:
		return "for ever"
	case *days == 1:
		return "1 day"
	}
	return strconv.Itoa(*days) + " days"
}
