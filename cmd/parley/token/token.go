// Package token issues tokens: for an operator, or for a client whose secret one has.
package token

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Command issues a JWT and prints nothing else.
type Command struct {
	Operator    bool          `help:"For the operator, who may apply manifests of every tenant; needs --keyset." xor:"issuer"`
	Keyset      string        `help:"With --operator and --sandbox: the master key file of the node (keyset.json in its data folder)." placeholder:"FILE"`
	Client      string        `help:"For a client whose algorithm is HS256: its id; needs --account and its secret." placeholder:"ID" xor:"issuer"`
	SecretFile  string        `help:"With --client: a file that holds the client's secret; or set PARLEY_CLIENT_SECRET." placeholder:"FILE"`
	Account     string        `help:"The accountId: the tenant that the token is for. With --operator the tenant of manifests that name none." env:"PARLEY_ACCOUNT,ACCOUNT_ID" placeholder:"ID"`
	Subject     string        `help:"The user in whose name: events show it." default:"cli" placeholder:"NAME"`
	Scopes      []string      `help:"API scopes, such as 'Assist Dialout,Routing'; all, or none. The client's own scopes bound them." default:"all" placeholder:"LIST"`
	Permissions []string      `help:"Permissions, such as 'session:read,channel:*'; all, or none. The client's own permissions bound them." default:"all" placeholder:"LIST"`
	Sandbox     bool          `help:"For the code of a tool, as the runtime gives it: to try the memory of agents. Needs --keyset, --account, --project, --session and --stores." xor:"issuer"`
	Project     string        `help:"With --sandbox: the project's id." placeholder:"ID"`
	Session     string        `help:"With --sandbox: the session that the tool is called in." placeholder:"ID"`
	Stores      []string      `help:"With --sandbox: what the agent's source declares, NAME:SCOPE:ACCESS, such as 'profile:contact:read,notes:session:readwrite'." placeholder:"LIST"`
	Audience    string        `help:"With --client: the audience (aud) that the client's manifest names, if it names one." placeholder:"TEXT"`
	Expires     time.Duration `help:"How long the token is good for, at most a year; with --sandbox at most 65s, which is its default." default:"1h" placeholder:"DURATION"`
	show.Flags
}

// clientSecretVariable holds the secret of a client, which flags would show to others.
const clientSecretVariable = "PARLEY_CLIENT_SECRET"

// Help is shown with --help.
func (*Command) Help() string {
	return `Examples:
  export PARLEY_TOKEN=$(parley token --operator --keyset .data/keyset.json)
  export PARLEY_TOKEN=$(PARLEY_CLIENT_SECRET=... parley token --client acme-console --account acme --expires 8h)`
}

// Run prints the token.
func (c *Command) Run() error { return c.run(os.Stdout, time.Now()) }

func (c *Command) run(out io.Writer, now time.Time) error {
	if c.Sandbox {
		return c.sandbox(out, now)
	}
	grant, err := c.grant(now)
	if err != nil {
		return err
	}
	secret, err := c.secret()
	if err != nil {
		return err
	}
	text, err := tokens.Issue(grant, secret)
	if err != nil {
		return err
	}
	if c.Output == show.JSON {
		return show.To(out, c.Flags).Object(issued{text, grant.Expires.UTC().Truncate(time.Second), grant.TenantID, grant.ClientID,
			grant.Subject})
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// issued is a token and what it says of itself, for programs.
type issued struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
	Account   string    `json:"accountId"`
	Client    string    `json:"client"`
	Subject   string    `json:"subject"`
}

// OfOperator is a token of the operator for one request of a command, good for minutes.
func OfOperator(keyset, account string) (string, error) {
	c := Command{Operator: true, Keyset: keyset, Account: account, Subject: "cli", Expires: 5 * time.Minute}
	grant, err := c.grant(time.Now())
	if err != nil {
		return "", err
	}
	secret, err := c.secret()
	if err != nil {
		return "", err
	}
	return tokens.Issue(grant, secret)
}

func (c *Command) grant(now time.Time) (tokens.Grant, error) {
	g := tokens.Grant{TenantID: c.Account, ClientID: c.Client, Subject: c.Subject, Audience: c.Audience,
		Issued: now, Expires: now.Add(c.Expires)}
	var err error
	switch {
	case c.Expires <= 0:
		return g, exit.Wrongf("--expires: %s is not in the future", c.Expires)
	case c.Expires > tokens.Longest:
		return g, exit.Wrongf("--expires: %s is more than a year (%s), and no node takes such a token", c.Expires, tokens.Longest)
	case c.Operator && c.Client != "":
		return g, exit.Wrongf("--operator and --client are two different issuers: give one of them")
	case c.Operator && c.Audience != "":
		return g, exit.Wrongf("--audience goes with --client: no node looks at the aud of an operator's token")
	case c.Operator:
		g.ClientID = apply.OperatorClient
		g.Permissions = []access.Permission{access.PermAdminApply}
		if g.TenantID == "" {
			g.TenantID = apply.OperatorAccount
		}
		return g, nil
	case c.Client == "":
		return g, exit.Wrongf("who issues the token? --operator --keyset FILE, or --client ID --account ID")
	case c.Account == "":
		return g, exit.Wrongf("--account: the client's tenant is needed")
	}
	if g.Scopes, err = chosen("--scopes", c.Scopes, access.ClientScopes(), access.ValidClientScope); err != nil {
		return g, err
	}
	g.Permissions, err = chosen("--permissions", c.Permissions, access.Permissions(), access.ValidPermission)
	return g, err
}

// chosen reads a list of names, where all and none stand for themselves.
func chosen[T ~string](flag string, names []string, all []T, valid func(string) bool) ([]T, error) {
	if slices.Equal(names, []string{"all"}) || len(names) == 0 {
		return all, nil
	}
	if slices.Equal(names, []string{"none"}) {
		return nil, nil
	}
	var out []T
	for _, name := range names {
		name = strings.TrimSpace(name)
		if !valid(name) {
			return nil, exit.Wrongf("%s: %q is not known; known are: %s", flag, name, joinNames(all))
		}
		out = append(out, T(name))
	}
	return out, nil
}

func joinNames[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// secret never makes a keyset: a token that is signed with a fresh one opens nothing.
func (c *Command) secret() ([]byte, error) {
	if c.Operator {
		if c.Keyset == "" {
			return nil, exit.Wrongf("--keyset: the node's master key file is needed, such as .data/keyset.json")
		}
		v, err := vault.Open(c.Keyset)
		if err != nil {
			return nil, fmt.Errorf("--keyset: %w", err)
		}
		return v.OperatorSecret(apply.OperatorClient), nil
	}
	secret := os.Getenv(clientSecretVariable)
	if c.SecretFile != "" {
		var err error
		if secret, err = connect.SecretFile(c.SecretFile); err != nil {
			return nil, fmt.Errorf("--secret-file: %w", err)
		}
	}
	switch {
	case secret == "":
		return nil, exit.Wrongf("the client's secret is needed: --secret-file FILE or %s", clientSecretVariable)
	case len(secret) < apply.MinClientSecret:
		return nil, exit.Wrongf("the secret has %d bytes, a client's has at least %d: is it the right one?", len(secret), apply.MinClientSecret)
	}
	return []byte(secret), nil
}
