package slices

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/access"
	models "github.com/parley-platform/parley/projections/channels"
)

// sealHeaders seals the headers that a caller gives.
func (n Needs) sealHeaders(tenant string, headers map[string]string) (string, error) {
	plain, err := json.Marshal(headers)
	if err != nil {
		return "", fmt.Errorf("encoding the caller's headers: %w", err)
	}
	sealed, err := n.Vault.Seal(plain, vault.NotifyHeadersContext(tenant))
	if err != nil {
		return "", fmt.Errorf("sealing the caller's headers: %w", err)
	}
	return sealed, nil
}

// sealURL is for every URL that a caller gives.
func (n Needs) sealURL(tenant, raw string) (bare, sealed string, err error) {
	bare, secret := callerurl.Bare(raw)
	if !secret {
		return bare, "", nil
	}
	if sealed, err = n.Vault.Seal([]byte(raw), vault.CallerURLContext(tenant)); err != nil {
		return "", "", fmt.Errorf("sealing the caller's URL: %w", err)
	}
	return bare, sealed, nil
}

// sealToolSecret seals what a tool needs to be let in.
func (n Needs) sealToolSecret(tenant, project, secretID, value string) (string, error) {
	return n.Vault.Seal([]byte(value), vault.ToolSecretContext(tenant, project, secretID))
}

func (n Needs) openToolSecret(tenant, project, secretID, sealed string) (string, error) {
	value, err := n.Vault.Unseal(sealed, vault.ToolSecretContext(tenant, project, secretID))
	return string(value), err
}

// sealCredential seals what a channel's connection has of its provider.
func (n Needs) sealCredential(tenant, connectionID, name, value string) (sealed, fingerprint string, err error) {
	return n.Vault.SealCredential(tenant, connectionID, name, []byte(value))
}

func (n Needs) openCredential(tenant, connectionID, name, sealed string) (string, error) {
	value, err := n.Vault.Unseal(sealed, vault.CredentialContext(tenant, connectionID, name))
	return string(value), err
}

// SDKTokens are the tokens of widgets and apps, judged by the channels as they are.
func SDKTokens(v *vault.Vault, db *pgxpool.Pool, now func() time.Time) tokens.SDK {
	if v == nil {
		return tokens.SDK{}
	}
	channels := models.NewSDKChannels(db)
	return tokens.SDK{Secret: v.SDKSecret(), Now: now, Channel: func(ctx context.Context, tenant, id string) (tokens.SDKChannel, bool, error) {
		c, ok, err := channels.WithKey(ctx, tenant, id)
		offers := sdkchannels.ConfigOf(c.Config)
		return tokens.SDKChannel{ProjectID: c.ProjectID, KeyID: c.KeyID, ScopeID: c.ScopeID,
			Page: c.Type == sdkchannels.Web, AllowedOrigins: c.AllowedOrigins, Chats: offers.ChatEnabled, Speaks: offers.VoiceEnabled}, ok, err
	}}
}

// opener opens what the events hold sealed, for the sender of webhooks.
type opener struct {
	access *access.Access
	vault  *vault.Vault
}

// WebhookSecrets implements platform.WebhookSecrets.
func (o opener) WebhookSecrets(ctx context.Context, tenant, project string) ([][]byte, error) {
	p, ok, err := o.access.Project(ctx, tenant, project)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "project %s is gone", project)
	}
	secret, err := o.vault.Unseal(p.WebhookSecret, vault.WebhookSecretContext(tenant, project))
	if err != nil {
		return nil, fmt.Errorf("opening the webhook secret of project %s: %w", project, err)
	}
	return [][]byte{secret}, nil
}

// OpenURL implements platform.WebhookSecrets.
func (o opener) OpenURL(_ context.Context, tenant, sealed string) (string, error) {
	plain, err := o.vault.Unseal(sealed, vault.CallerURLContext(tenant))
	if err != nil {
		return "", fmt.Errorf("opening the caller's URL: %w", err)
	}
	return string(plain), nil
}

// OpenHeaders implements platform.WebhookSecrets.
func (o opener) OpenHeaders(_ context.Context, tenant, sealed string) (map[string]string, error) {
	if sealed == "" {
		return nil, nil
	}
	plain, err := o.vault.Unseal(sealed, vault.NotifyHeadersContext(tenant))
	if err != nil {
		return nil, fmt.Errorf("opening the caller's headers: %w", err)
	}
	var headers map[string]string
	if err := json.Unmarshal(plain, &headers); err != nil {
		return nil, fmt.Errorf("opening the caller's headers: %w", err)
	}
	return headers, nil
}
