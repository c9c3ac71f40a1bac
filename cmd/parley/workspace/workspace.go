// Package workspace fills a log with the example workspace and makes credentials for it:
// what serve --dev and the benchmarks work in.
package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Workspace is what the lines of --dev are filled with: ids of the example workspace,
// and credentials of its developer.
type Workspace struct {
	Account, Org, Project, Scope, OurNumber string
	Token, APIKey, WebhookSecret            string
	Token2                                  string // of the second tenant
	Deployment                              string // of its agents
}

// tokenFor is how long the tokens are valid; a restart makes new ones.
const tokenFor = 30 * 24 * time.Hour

// Prepare applies the example workspace, deploys its agents and makes credentials for it. It may be
// called at each start; the API key is kept in the data folder.
func Prepare(ctx context.Context, n *node.Node, data string) (Workspace, error) {
	w := Workspace{Account: examples.Account, Org: examples.Org, Project: examples.Project, Scope: examples.Scope,
		OurNumber:     examples.OurNumber,
		WebhookSecret: examples.WebhookSecret}
	manifests, err := manifest.Parse("examples/workspace.yaml", examples.Workspace, apply.Kinds())
	if err != nil {
		return w, fmt.Errorf("reading the example workspace: %w", err)
	}
	if err := ownPages(manifests, n.URL()); err != nil {
		return w, err
	}
	if manifests, err = withoutKnownLists(ctx, n, manifests); err != nil {
		return w, err
	}
	if _, err := apply.New(n.Store(), n.Vault()).Do(ctx, apply.Request{Manifests: manifests}, apply.Caller{Actor: "dev",
		Operator: true}); err != nil {
		return w, fmt.Errorf("applying the example workspace: %w", err)
	}
	agents, err := newDeploying(n, manifests)
	if err != nil {
		return w, err
	}
	if w.Deployment, err = agents.do(ctx); err != nil {
		return w, fmt.Errorf("deploying the example workspace: %w", err)
	}
	now := time.Now()
	token := func(tenant, client, secret string) (string, error) {
		return tokens.Issue(tokens.Grant{TenantID: tenant, ClientID: client, Subject: "developer", Scopes: access.ClientScopes(),
			Permissions: access.Permissions(), Issued: now, Expires: now.Add(tokenFor)}, []byte(secret))
	}
	if w.Token, err = token(w.Account, examples.Client, examples.ClientSecret); err != nil {
		return w, err
	}
	if w.Token2, err = token(examples.Account2, examples.Client2, examples.ClientSecret2); err != nil {
		return w, err
	}
	w.APIKey, err = devKey(ctx, n, w, filepath.Join(data, "dev-api-key"))
	return w, err
}

// withoutKnownLists leaves out the contact lists that are there already: who was erased from one would come back with it.
func withoutKnownLists(ctx context.Context, n *node.Node, all []manifest.Manifest) (out []manifest.Manifest, err error) {
	read, err := eventstore.Read(ctx, n.Store(), contactlists.Lists, contactlists.Stream(examples.Account, examples.Project))
	if err != nil {
		return nil, fmt.Errorf("looking for the contact lists of the example workspace: %w", err)
	}
	for _, m := range all {
		var is struct{ ID, Tenant string }
		if err := json.Unmarshal(m.Metadata, &is); err != nil {
			return nil, fmt.Errorf("reading the metadata of the example workspace: %w", err)
		}
		if _, known := read.State.Lists[is.ID]; !known || m.Kind != "ContactList" || is.Tenant != examples.Account {
			out = append(out, m)
		}
	}
	return out, nil
}

// devKey is an API key of the workspace's scope. Its secret is shown once when it
// is made, so it is kept in a file of the data folder for the next start.
func devKey(ctx context.Context, n *node.Node, w Workspace, file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("reading the development key: %w", err)
	}
	if kept := strings.TrimSpace(string(data)); kept != "" {
		known, err := n.KnowsKey(ctx, kept)
		if known || err != nil {
			return kept, err
		}
	}
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("making the development key: %w", err)
	}
	secret := access.NewSecret(access.SecretKey, random)
	now := time.Now()
	create := access.CreateKey{KeyID: access.KeyIDPrefix + uuid.NewString(),
		Name: "development " + now.UTC().Format("2006-01-02 15:04:05.000"),
		Hash: hex.EncodeToString(n.HashKey(secret)), DisplayPrefix: access.DisplayPrefix(secret), At: now}
	cmd := eventstore.Command{Tenant: w.Account, Actor: "dev"}
	if err := eventstore.Do(ctx, n.Store(), access.Scopes, access.ScopeStream(w.Account, w.Scope), cmd, create.Decide); err != nil {
		return "", fmt.Errorf("making the development key: %w", err)
	}
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keeping the development key: %w", err)
	}
	return secret, nil
}
