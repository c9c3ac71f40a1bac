package keys

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/events"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/access"
)

// ListCmd lists the keys of an account.
type ListCmd struct {
	Project string `help:"Only keys of this project, by its id." env:"-" placeholder:"ID"`
	Scope   string `help:"Only keys of the scope with this name." env:"-" placeholder:"NAME"`
	api.Flags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*ListCmd) Help() string {
	return `The API has no operation that lists keys: they are read from the events of the account, so a token with the permission
audit:read is needed. No secret is shown, since none is kept.

Examples:
  parley keys
  parley keys list --project acme-bot -o json | jq -r .keyId`
}

// key is an existing key, for programs.
type key struct {
	ID        string         `json:"keyId"`
	Name      string         `json:"name"`
	Project   string         `json:"projectId"`
	Scope     string         `json:"scopeId"`
	ScopeName string         `json:"scopeName"`
	Kind      access.KeyKind `json:"kind"`
	Prefix    string         `json:"displayPrefix"`
	CreatedAt time.Time      `json:"createdAt"`
	CreatedBy string         `json:"createdBy"`
}

// Run lists.
func (c *ListCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	client, err := c.Client(events.Auditing())
	if err != nil {
		return err
	}
	all, err := existing(ctx, client)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(k key) bool {
		return c.Project != "" && k.Project != c.Project || c.Scope != "" && k.ScopeName != c.Scope
	})
	return print(show.To(os.Stdout, c.Show), all)
}

func print(out *show.Out, all []key) error {
	if out.JSON() {
		for _, k := range all {
			if err := out.Object(k); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		return out.Say("no keys; make one with: parley keys create")
	}
	var rows [][]show.Cell
	for _, k := range all {
		rows = append(rows, show.Of(k.ID, k.Name, k.ScopeName, k.Project, k.Prefix+"…", show.Clock(k.CreatedAt, time.Now()), k.CreatedBy))
	}
	return out.Table([]string{"KEY", "NAME", "SCOPE", "PROJECT", "SECRET", "CREATED", "BY"}, rows)
}

// change is what is read of an event of a scope.
type change struct {
	Type, Stream, Actor string
	Data                json.RawMessage
}

// existing folds the events of all scopes.
func existing(ctx context.Context, client *api.Client) ([]key, error) {
	byScope := map[string]map[string]key{}
	err := events.Pages(ctx, client, url.Values{"category": {"scopes"}}, func(page []json.RawMessage) error {
		for _, raw := range page {
			var e change
			if err := json.Unmarshal(raw, &e); err != nil {
				return fmt.Errorf("reading an event: %w", err)
			}
			if err := e.fold(byScope); err != nil {
				return fmt.Errorf("reading %s of %s: %w", e.Type, e.Stream, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []key
	for _, of := range byScope {
		all = slices.AppendSeq(all, maps.Values(of))
	}
	slices.SortFunc(all, func(a, b key) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, nil
}

func (e change) fold(byScope map[string]map[string]key) error {
	if byScope[e.Stream] == nil {
		byScope[e.Stream] = map[string]key{}
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(e.Type, "parley.scopes."), ".")
	switch kind {
	case "key-created":
		var k key
		if err := json.Unmarshal(e.Data, &k); err != nil {
			return err
		}
		k.CreatedBy = e.Actor
		byScope[e.Stream][k.ID] = k
	case "key-revoked":
		var k key
		if err := json.Unmarshal(e.Data, &k); err != nil {
			return err
		}
		delete(byScope[e.Stream], k.ID)
	case "removed": // with all of its keys
		delete(byScope, e.Stream)
	}
	return nil
}
