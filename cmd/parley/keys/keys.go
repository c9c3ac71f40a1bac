// Package keys is what can be done about API keys from the command line.
package keys

import (
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command is parley keys; parley key is the same.
type Command struct {
	List   ListCmd   `cmd:"" default:"withargs" help:"Which keys there are in the account, and who made them."`
	Create CreateCmd `cmd:"" help:"Make an API key in a scope of a project and print its secret: it is told this once."`
	Revoke RevokeCmd `cmd:"" help:"Delete a key: from then on it opens nothing."`
	Rotate RotateCmd `cmd:"" help:"Take the master key file over to another key, in two steps."`
	Rewrap RewrapCmd `cmd:"" help:"Wrap the data keys of personal members anew, after the master key was changed."`
	Mend   MendCmd   `cmd:"" help:"Write back to parley.keys what it lacks, after it was cut or an older copy was put in place."`
	Scope  ScopeCmd  `cmd:"" help:"What the API key at hand may do: the scope that it is of."`
}

// RevokeCmd deletes a key.
type RevokeCmd struct {
	ID string `arg:"" help:"key_id of the key: ak-..., as keys create and keys list tell it. Its secret is not asked for."`
	api.OfProject
	api.KeyFlags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*RevokeCmd) Help() string {
	return `A key is revoked with an API key: with itself, or with one of a scope that permits at least as much. A token does not do.

Examples:
  parley keys revoke ak-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70
  PARLEY_API_KEY=sk_... parley keys revoke ak-... --project acme-bot`
}

var managing = api.Need{Key: true, Issue: "parley keys create --project ID --scope NAME --name NAME", Next: map[int]string{
	http.StatusForbidden: "The key needs the permission API_SCOPE_KEY_FULL in its scope (kind: Scope, spec.permissions), and at least those " +
		"of the key that is revoked",
	http.StatusNotFound: "The key must exist in this project; see: parley keys list",
}}

// Run revokes.
func (c *RevokeCmd) Run() error {
	if strings.HasPrefix(c.ID, "sk_") || strings.HasPrefix(c.ID, "pk_") {
		return exit.Wrongf("that is the secret of a key: revoke it by its id, ak-..., which parley keys list shows")
	}
	var answer struct {
		Revoked struct {
			ID     string `json:"key_id"`
			Status string `json:"status"`
		} `json:"revoked"`
	}
	revoke := api.Call{Method: http.MethodDelete, Path: api.Path("/aaa/api/public/apps/%s/apikeys/%s", c.Project, c.ID)}
	return ask(c.KeyFlags, managing, revoke, &answer, func() error {
		out := show.To(os.Stdout, c.Show)
		if out.JSON() {
			return out.Object(answer.Revoked)
		}
		return out.Say("%s is revoked; its name is free again", answer.Revoked.ID)
	})
}

// ScopeCmd shows a scope.
type ScopeCmd struct {
	ScopeID string `name:"scope-id" help:"scope_id of the scope that the key is of." required:"" env:"SCOPE_ID" dev:"SCOPE_ID" placeholder:"ID"`
	api.OfProject
	api.KeyFlags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*ScopeCmd) Help() string {
	return `A scope is read with a key of its own.

Examples:
  parley keys scope --scope-id as-acme-main
  parley keys scope --scope-id as-acme-main -o json | jq -r '.permissions | to_entries[] | select(.value == "YES").key'`
}

// Run shows it.
func (c *ScopeCmd) Run() error {
	var answer struct {
		Scope struct {
			ID          string            `json:"scope_id"`
			Name        string            `json:"scope_name"`
			Description string            `json:"description"`
			CreatedAt   string            `json:"created_at"`
			Permissions map[string]string `json:"permissions"`
		} `json:"scope"`
	}
	need := managing
	need.Next = map[int]string{http.StatusForbidden: "A scope is read with a key of its own: set PARLEY_API_KEY to one of them"}
	return ask(c.KeyFlags, need, api.Get(api.Path("/aaa/api/public/apps/%s/scopes/%s", c.Project, c.ScopeID), nil), &answer,
		func() error {
			out := show.To(os.Stdout, c.Show)
			if out.JSON() {
				return out.Object(answer.Scope)
			}
			s := answer.Scope
			var may []string
			for name, yes := range s.Permissions {
				if yes == "YES" {
					may = append(may, name)
				}
			}
			slices.Sort(may)
			pairs := []show.Pair{{Name: "scope", Text: s.ID}, {Name: "name", Text: s.Name}, {Name: "description", Text: s.Description},
				{Name: "created", Text: s.CreatedAt}}
			for _, name := range may {
				pairs = append(pairs, show.Pair{Name: "may", Text: name, Colour: show.Green})
			}
			return out.Pairs(pairs...)
		})
}

// ask does one request, and then shows what was answered.
func ask(flags api.KeyFlags, need api.Need, call api.Call, answer any, print func() error) error {
	ctx, stop := exit.OnSignal()
	defer stop()
	client, err := flags.Client(need)
	if err != nil {
		return err
	}
	if _, err := client.Do(ctx, call, answer); err != nil {
		return err
	}
	return print()
}
