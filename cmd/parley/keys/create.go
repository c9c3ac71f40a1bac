package keys

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/cmd/parley/token"
)

// CreateCmd asks a node for an API key and prints its secret, and nothing else, on
// standard output.
type CreateCmd struct {
	api.OfProject
	Scope   string `help:"Name of the scope (manifest kind Scope) that says what the key may do." required:"" placeholder:"NAME"`
	Name    string `help:"What the key is called; unique among the existing keys of the scope." required:"" placeholder:"NAME"`
	Keyset  string `help:"Instead of a token: the master key file of the node, with --account." placeholder:"FILE"`
	Account string `help:"With --keyset: the accountId of the tenant that the project is of." env:"PARLEY_ACCOUNT,ACCOUNT_ID" dev:"ACCOUNT_ID" placeholder:"ID"`
	api.KeyFlags
	Show show.Flags `embed:""`
}

// Help is shown with --help.
func (*CreateCmd) Help() string {
	return `An API key is made with an API key; the first one of a project is made by an
operator, or by a client that administers the tenant. A client gives no more than it
holds itself: the scope must not permit what the client's token may not do.

The secret is printed once and is kept nowhere, only its keyed hash is. Which key it is
is told on standard error; its key_id is what revokes it: parley keys revoke ak-...

Examples:
  export PARLEY_API_KEY=$(parley keys create --keyset .data/keyset.json --account acme --project acme-bot --scope main --name "first key")

  export PARLEY_TOKEN=$(parley token --operator --keyset .data/keyset.json --account acme)
  parley keys create --project acme-bot --scope main --name "billing service" > billing.key`
}

// creating is what makes a key, and what helps where it is refused.
var creating = api.Need{Token: true, Key: true, Issue: "parley token --operator --keyset FILE --account ID", Next: map[int]string{
	http.StatusUnauthorized: "The token must be an operator's, signed with the keyset of that node, or of a client of origin admin or " +
		"with admin:apply",
	http.StatusForbidden: "A client's token gives only what it may do itself: take a smaller scope, a client with more " +
		"permissions, or an operator's token",
	http.StatusNotFound: "The project and the scope must exist in the tenant of the token; an operator's token names the tenant by " +
		"its account: parley token --operator --keyset FILE --account ID",
	http.StatusTooManyRequests: "Revoke a key of the scope that nobody needs",
}}

// createdKey is what the API answers.
type createdKey struct {
	Secret string `json:"apikey,omitempty"`
	ID     string `json:"key_id"`
	Name   string `json:"key_name"`
	Scope  string `json:"scope_name"`
}

// Run asks and prints.
func (c *CreateCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, os.Stdout, os.Stderr)
}

func (c *CreateCmd) run(ctx context.Context, out, notes io.Writer) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	var answer struct {
		Key createdKey `json:"api_key"`
	}
	_, err = client.Do(ctx, api.Post(api.Path("/aaa/api/public/apps/%s/apikeys/create", c.Project),
		map[string]string{"scope_name": c.Scope, "api_key_name": c.Name}), &answer)
	if err != nil {
		return err
	}
	if answer.Key.Secret == "" {
		return fmt.Errorf("the key %s was made, but the answer that showed its secret was lost: revoke it, and make another one", answer.Key.ID)
	}
	if c.Show.Output == show.JSON {
		return show.To(out, c.Show).Object(answer.Key)
	}
	fmt.Fprintf(notes, "key %s (%s) of scope %s; its secret is not told again\n", answer.Key.ID, answer.Key.Name, answer.Key.Scope)
	_, err = fmt.Fprintln(out, answer.Key.Secret)
	return err
}

// client asks with what is given, or as the operator for this very request.
func (c *CreateCmd) client() (*api.Client, error) {
	switch {
	case c.Keyset == "" && c.Token.Token == "" && c.APIKey == "":
		return nil, exit.Wrongf("who makes the key? Give --keyset FILE with --account ID, or set PARLEY_TOKEN (parley token --operator " +
			"--keyset FILE --account ID issues one)")
	case c.Keyset == "":
		return c.Client(creating)
	case c.Account == "":
		return nil, exit.Wrongf("--account: with --keyset the tenant that the project is of must be named")
	}
	operator, err := token.OfOperator(c.Keyset, c.Account)
	if err != nil {
		return nil, err
	}
	return api.New(c.URL, operator, "", creating)
}
