package acts

import (
	"cmp"
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/eventstore"
)

// ToolSecrets opens the secrets of tools when they are called, each time anew: a value that
// was changed, taken away or has expired does not let the next call in.
type ToolSecrets struct {
	Log
	Unseal func(tenant, project, secretID, sealed string) (string, error)
}

// CodeSecretMissing is the code of a call whose secret is not there.
const CodeSecretMissing = "SECRET_MISSING"

// SecretMissing says which secret is not there. It never holds a value.
type SecretMissing struct {
	Tool, Key, Environment string
	Expired                bool // there is one, whose time is over
}

// Error says it with its code.
func (e *SecretMissing) Error() string { return CodeSecretMissing + ": " + e.Problem() }

// Problem names the secret by what people know it by.
func (e *SecretMissing) Problem() string {
	why := "is not there"
	if e.Expired {
		why = "has expired"
	}
	return fmt.Sprintf("the secret %s of the tool %s %s for %s", e.Key, e.Tool, why, e.Environment)
}

// unnamedEnvironment is that of sessions that no deployment serves, and of secrets for which
// none was named.
const unnamedEnvironment = "dev"

// Open gives the secrets of a tool by their keys, those of an environment: all of them, so
// that nothing is sent with one of two. The first that is not there is a *SecretMissing.
func (x ToolSecrets) Open(ctx context.Context, tenant, project, environment, tool string, keys []string) (map[string]string, error) {
	out := make(map[string]string, len(keys))
	for _, key := range keys {
		value, err := x.open(ctx, secrets.Name{TenantID: tenant, ProjectID: project, ToolName: tool, SecretKey: key,
			Environment: cmp.Or(environment, unnamedEnvironment)})
		if err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}

func (x ToolSecrets) open(ctx context.Context, asked secrets.Name) (string, error) {
	missing := &SecretMissing{Tool: asked.ToolName, Key: asked.SecretKey, Environment: asked.Environment}
	name, problems := asked.Clean()
	if problems.Err() != nil {
		return "", missing // nothing can stand under such a name
	}
	found, err := eventstore.Read(ctx, x.Store, secrets.Secrets, name.Stream(x.MAC))
	if err != nil {
		return "", fmt.Errorf("reading the secret %s of the tool %s: %w", asked.SecretKey, asked.ToolName, err)
	}
	if s := found.State; !s.Good(x.Now()) {
		missing.Expired = s.ID != ""
		return "", missing
	}
	value, err := x.Unseal(name.TenantID, name.ProjectID, found.State.ID, found.State.Value)
	if err != nil {
		return "", fmt.Errorf("opening the secret %s of the tool %s: %w", asked.SecretKey, asked.ToolName, err)
	}
	return value, nil
}
