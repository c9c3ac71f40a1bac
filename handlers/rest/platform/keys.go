package platform

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// Keys is what the four operations on API keys and scopes need.
type Keys struct {
	rest.Commands
	Access keyAccess
	Hash   tokens.KeyHasher // how the secret of a key is stored
	Limit  int              // API keys that one scope may have; 0: access.DefaultKeyLimit
	// Random is what secrets are made of; nil: the system's randomness. Tests that
	// must know a secret replace it.
	Random func() [access.SecretBytes]byte
}

// keyAccess finds scopes and keys of a tenant; ok is false for what is not there.
type keyAccess interface {
	Scope(ctx context.Context, tenant, scopeID string) (s accessmodels.ScopeInfo, ok bool, err error)
	ScopeNamed(ctx context.Context, tenant, project, name string) (s accessmodels.ScopeInfo, ok bool, err error)
	KeyScope(ctx context.Context, tenant, keyID string) (scopeID, projectID string, ok bool, err error)
	// ScopeOfRequest is the id of the scope on which a request took effect before; empty if there is none.
	ScopeOfRequest(ctx context.Context, tenant, requestID string) (scopeID string, err error)
}

// tagKeys groups the operations in the document.
const tagKeys = "API keys and scopes"

// DeclareKeys adds the four operations on API keys and scopes. All of them take an API
// key of the app in the path whose scope has API_SCOPE_KEY_FULL. The first key of an
// app cannot be made with a key, so an administrator's token makes keys as well.
func DeclareKeys(api *rest.API, k Keys) {
	rest.Declare(api, rest.Operation{
		ID: "create-api-key", Method: http.MethodPost, Path: "/aaa/api/public/apps/{appId}/apikeys/create",
		Summary: "Create an API key in a scope", Status: http.StatusCreated,
		Description: "The answer is the only one that ever shows the secret. Repeated with the same Idempotency-Key it names the same key_id, " +
			"without apikey. " +
			"A name is unique among the existing keys of its scope; a scope has at most 50 keys unless configured otherwise, and refuses " +
			"more with LIMIT_REACHED until one is revoked. " +
			"The scope must not permit what the calling key's own does not (403). Where no API key is sent, the token of an operator, whose " +
			"accountId names the tenant, " +
			"or of a client that administers makes the key: so an app gets its first one (extension).",
		Tags: []string{tagKeys}, Requirement: access.KeyOnly(access.CanManageKeys).OrAdministrator(),
		Resolve:  rest.ResolveAll(rest.ProjectFrom("appId"), k.scopeOfBody, withinOwn),
		Refusals: []fault.Code{fault.Conflict, fault.LimitReached, fault.NotExecuted, fault.OutcomeUnknown},
	}, k.create)
	rest.Declare(api, rest.Operation{
		ID: "revoke-api-key", Method: http.MethodDelete, Path: "/aaa/api/public/apps/{appId}/apikeys/{keyId}",
		Summary: "Revoke an API key",
		Description: "Deletes the key for good: from this answer on it opens nothing on any node, and its name is free again. A key can " +
			"revoke itself, and keys of scopes that permit no more than its own (else 403).",
		Tags: []string{tagKeys}, Requirement: access.KeyOnly(access.CanManageKeys), Resolve: rest.ResolveAll(rest.ProjectFrom("appId"),
			k.keyOfPath, withinOwn),
		Refusals: []fault.Code{fault.Conflict, fault.NotExecuted, fault.OutcomeUnknown},
	}, k.revoke)
	k.declareScopes(api)
}

type createKeyIn struct {
	AppID string `path:"appId" doc:"The app: a project's id or alias." example:"acme-bot"`
	Body  struct {
		ScopeName string `json:"scope_name" required:"true" minLength:"1" doc:"Name of an existing scope of the app." example:"main"`
		Name      string `json:"api_key_name" required:"true" minLength:"1" maxLength:"100" doc:"Unique among the existing keys of the scope." example:"billing service"`
	}
}

type createKeyOut struct {
	Body struct {
		Success bool       `json:"success" required:"true" example:"true"`
		APIKey  createdKey `json:"api_key" required:"true"`
		Scope   keyScope   `json:"scope" required:"true"`
	}
}

type createdKey struct {
	APIKey    string `json:"apikey,omitempty" doc:"The secret, shown in this answer only; absent when a request is repeated with its Idempotency-Key." example:"sk_4Hq0Vb9xTzLw3mYcRk7NfUeJ2aPdS8gX1oQiB6vKtZy"`
	KeyID     string `json:"key_id" required:"true" doc:"Identifies the key in the revoke path; tells nothing about the secret." example:"ak-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	KeyName   string `json:"key_name" required:"true" example:"billing service"`
	ScopeName string `json:"scope_name" required:"true" example:"main"`
}

func (k Keys) create(ctx context.Context, in *createKeyIn) (*createKeyOut, error) {
	scope := scopeOf(ctx)
	if scope.ID == "" {
		return nil, fault.Field("scope_name", "is not a name")
	}
	if err := k.refuseOtherRequest(ctx, scope.ID); err != nil {
		return nil, err
	}
	secret := access.NewSecret(access.SecretKey, k.random())
	cmd := access.CreateKey{
		// The scope is part of what the id is derived from, so that it cannot come up in two streams.
		KeyID: access.KeyIDPrefix + k.NewID(ctx, "api key of "+scope.ID).String(), Name: in.Body.Name, Kind: access.SecretKey,
		Hash: hex.EncodeToString(k.Hash(secret)), DisplayPrefix: access.DisplayPrefix(secret), At: k.Now(), Limit: k.Limit,
	}
	res, err := k.onScope(ctx, scope.ID, cmd.Decide)
	if err != nil {
		return nil, err
	}
	e, err := rest.Payload[access.KeyCreated](res)
	if err != nil {
		return nil, err
	}
	return created(e, foldedScope(res.State), cmd.Hash, secret), nil
}

// created shows the secret only if it is the accepted key's: of two tries with one
// Idempotency-Key it is that of the try that came first.
func created(e access.KeyCreated, scope keyScope, hash, secret string) *createKeyOut {
	out := &createKeyOut{}
	out.Body.Success, out.Body.Scope = true, scope
	out.Body.APIKey = createdKey{KeyID: e.KeyID, KeyName: e.Name, ScopeName: e.ScopeName}
	if e.Hash == hash {
		out.Body.APIKey.APIKey = secret
	}
	return out
}

func (k Keys) random() (r [access.SecretBytes]byte) {
	if k.Random != nil {
		return k.Random()
	}
	_, _ = rand.Read(r[:]) // never fails: the process ends if the system has no randomness
	return r
}

type revokeKeyIn struct {
	AppID string `path:"appId" doc:"The app: a project's id or alias." example:"acme-bot"`
	KeyID string `path:"keyId" doc:"key_id of the create answer." example:"ak-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
}

type revokeKeyOut struct {
	Body struct {
		Success bool       `json:"success" required:"true" example:"true"`
		Revoked revokedKey `json:"revoked" required:"true"`
	}
}

type revokedKey struct {
	KeyID  string `json:"key_id" required:"true" example:"ak-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	Status string `json:"status" required:"true" enum:"revoked" example:"revoked"`
}

func (k Keys) revoke(ctx context.Context, in *revokeKeyIn) (*revokeKeyOut, error) {
	scopeID := scopeOf(ctx).ID
	if scopeID == "" { // the key is gone: perhaps this request has revoked it before
		var err error
		if scopeID, err = k.scopeOfRequest(ctx); err != nil {
			return nil, err
		}
		if scopeID == "" {
			return nil, errNoKey()
		}
	}
	cmd := access.RevokeKey{KeyID: in.KeyID, At: k.Now()}
	res, err := k.onScope(ctx, scopeID, cmd.Decide)
	if err != nil {
		return nil, err
	}
	e, err := rest.Payload[access.KeyRevoked](res)
	if err != nil {
		return nil, err
	}
	out := &revokeKeyOut{}
	out.Body.Success, out.Body.Revoked = true, revokedKey{KeyID: e.KeyID, Status: "revoked"}
	return out, nil
}

func errNoKey() error { return fault.New(fault.NotFound, "API key not found") }
