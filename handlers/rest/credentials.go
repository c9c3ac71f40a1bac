package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections"
)

// credential is one proof that a request carries.
type credential struct {
	kind   access.Credential
	value  string
	page   *string // of a public key or an SDK token: the Origin header, empty if there are several; nil: there is none
	header string  // where it stood, as the documents spell it
}

// same reports whether it is said twice, be it in two headers.
func (c credential) same(other credential) bool {
	return c.kind == other.kind && c.value == other.value
}

// credentials reads every place where one may stand: `auth` and `token` carry a JWT
// (raw or with Bearer), `x-api-key` an API key, `Authorization: Bearer` either, X-Public-Key a
// public key and X-SDK-Token the token of a widget or an app, as does the protocol of a socket.
func credentials(h http.Header) []credential {
	var found []credential
	add := func(kind access.Credential, value, header string) {
		c := credential{kind: kind, value: value, header: header}
		if ofPages(kind) {
			c.page = pageOf(h)
		}
		for _, have := range found {
			if have.same(c) {
				return
			}
		}
		if value != "" {
			found = append(found, c)
		}
	}
	for _, name := range []string{"auth", "token"} {
		for _, v := range h.Values(name) {
			value, _ := cutBearer(v)
			add(access.TokenCredential, value, name)
		}
	}
	for _, v := range h.Values("Authorization") {
		if value, ok := cutBearer(v); ok {
			add(kindOfCredential(value, access.TokenCredential), value, "Authorization")
		}
	}
	for _, v := range h.Values("X-Api-Key") {
		v = strings.TrimSpace(v)
		add(kindOfCredential(v, access.KeyCredential), v, "x-api-key")
	}
	for _, v := range h.Values("X-Public-Key") {
		v = strings.TrimSpace(v)
		add(kindOfCredential(v, access.PublicKeyCredential), v, "X-Public-Key")
	}
	for _, v := range h.Values("X-SDK-Token") {
		add(access.SDKCredential, strings.TrimSpace(v), "X-SDK-Token")
	}
	if token := socketToken(h); token != "" {
		add(access.SDKCredential, token, protocolHeader)
	}
	return found
}

// protocolHeader is the one header of a socket in which a page can say something; a word of it
// that begins with socketTokenPrefix is a token.
const (
	protocolHeader    = "Sec-WebSocket-Protocol"
	socketTokenPrefix = "token."
)

// socketToken is the token that a page sends with a socket, as X-SDK-Token would be.
func socketToken(h http.Header) string {
	for _, said := range h.Values(protocolHeader) {
		for word := range strings.SplitSeq(said, ",") {
			if token, is := strings.CutPrefix(strings.TrimSpace(word), socketTokenPrefix); is {
				return token
			}
		}
	}
	return ""
}

func ofPages(kind access.Credential) bool {
	return kind == access.PublicKeyCredential || kind == access.SDKCredential
}

// pageOf is the Origin of a request; one that is said twice is none that a key is for.
func pageOf(h http.Header) *string {
	page, said := "", h.Values("Origin")
	switch len(said) {
	case 0:
		return nil
	case 1:
		page = said[0]
	}
	return &page
}

// chosen is the credential of a request that counts. Where a sandbox token is taken, a JWT that
// stands in its place is one: what it is shows when it is verified, and a client's has another
// key. So is the token of an SDK channel where that of a session would stand, or a public key.
func chosen(need access.Requirement, h http.Header) (credential, error) {
	found := credentials(h)
	if need.Takes(access.SandboxCredential) {
		for n, c := range found {
			if c.kind == access.TokenCredential && c.header == "Authorization" {
				found[n].kind = access.SandboxCredential
			}
		}
	}
	if need.Takes(access.EmbedCredential) {
		for n, c := range found {
			_, key := access.RecogniseSecret(c.value)
			if c.kind == access.SDKCredential || c.kind == access.PublicKeyCredential && !key {
				found[n].kind = access.EmbedCredential
			}
		}
	}
	return choose(need, found)
}

func cutBearer(v string) (string, bool) {
	v = strings.TrimSpace(v)
	const scheme = "bearer "
	if len(v) >= len(scheme) && strings.EqualFold(v[:len(scheme)], scheme) {
		return strings.TrimSpace(v[len(scheme):]), true
	}
	return v, false
}

// kindOfCredential goes by the prefix that all API keys have.
func kindOfCredential(value string, otherwise access.Credential) access.Credential {
	switch kind, ok := access.RecogniseSecret(value); {
	case !ok:
		return otherwise
	case kind == access.PublicKey:
		return access.PublicKeyCredential
	default:
		return access.KeyCredential
	}
}

// choose picks the one credential that fits the requirement. Of two that would fit
// neither is taken, so that nobody acts as somebody else by accident.
func choose(need access.Requirement, found []credential) (credential, error) {
	if len(found) == 0 {
		return credential{}, fault.New(fault.Unauthorized, "a credential is missing: %s", need)
	}
	var fit []credential
	for _, c := range found {
		if need.Takes(c.kind) {
			fit = append(fit, c)
		}
	}
	if slices.ContainsFunc(fit, func(c credential) bool { return !need.Instead(c.kind) }) {
		fit = slices.DeleteFunc(fit, func(c credential) bool { return need.Instead(c.kind) })
	}
	switch len(fit) {
	case 0:
		return credential{}, need.Check(access.Principal{Kind: found[0].kind})
	case 1:
		return fit[0], nil
	default:
		return credential{}, fault.New(fault.Unauthorized, "there is more than one credential in the request (%s): send one of them",
			headersOf(fit))
	}
}

// headersOf names where credentials stood, each header once.
func headersOf(all []credential) string {
	var names []string
	for _, c := range all {
		if !slices.Contains(names, c.header) {
			names = append(names, c.header)
		}
	}
	return strings.Join(names, " and ")
}

// identify finds out who is calling by the headers alone. That nobody good is, is only
// noted; but those whose address comes too often without a good credential go no further.
func (a *API) identify(x *exchange, r *http.Request) (*http.Request, error) {
	x.principal, x.denied = a.principalOf(x, r)
	if fault.Is(x.denied, fault.Unauthorized) {
		return r, a.meterStranger(r)
	}
	return r, nil
}

// authenticate is 401. Whoever took long to send a body, or sent a large one, is looked
// at once more: a key that was revoked meanwhile is gone.
func (a *API) authenticate(x *exchange, r *http.Request) (*http.Request, error) {
	if x.denied == nil && (len(x.body) > smallBody || time.Since(x.started) > time.Second) {
		x.principal, x.denied = a.principalOf(x, r.WithContext(projections.OtherWork(r.Context())))
	}
	return r, x.denied
}

func (a *API) principalOf(x *exchange, r *http.Request) (access.Principal, error) {
	need := x.op.Requirement
	if need.IsPublic() {
		return access.Principal{}, nil
	}
	c, err := chosen(need, r.Header)
	if err != nil {
		return access.Principal{}, err
	}
	x.shown = &c
	return a.verify(r.Context(), c)
}

// authorize is 403.
func authorize(x *exchange, r *http.Request) (*http.Request, error) {
	return r, x.op.Requirement.Check(x.principal)
}

func (a *API) verify(ctx context.Context, c credential) (access.Principal, error) {
	switch c.kind {
	case access.TokenCredential:
		return a.tokens.Verify(ctx, c.value)
	case access.SandboxCredential:
		return a.cfg.Sandbox.Verify(c.value)
	case access.SDKCredential, access.EmbedCredential:
		return a.cfg.SDK.Verify(ctx, c.value, c.page, c.kind == access.SDKCredential)
	default:
		return a.verifyKey(ctx, c)
	}
}

func (a *API) verifyKey(ctx context.Context, c credential) (access.Principal, error) {
	invalid := fault.New(fault.Unauthorized, "the API key is not valid")
	if _, ok := access.ParseSecret(c.value); !ok {
		return access.Principal{}, invalid
	}
	k, err := a.cfg.Directory.APIKey(ctx, a.cfg.HashKey(c.value))
	if fault.Is(err, fault.NotFound) {
		return access.Principal{}, invalid
	}
	if err != nil {
		return access.Principal{}, err
	}
	if k.Public != (c.kind == access.PublicKeyCredential) {
		return access.Principal{}, invalid
	}
	p := access.Principal{
		TenantID: k.TenantID, Kind: c.kind, Subject: k.ID,
		KeyID: k.ID, ScopeID: k.ScopeID, ProjectID: k.ProjectID, KeyPermissions: k.Permissions,
	}
	if c.page != nil {
		p.Page = *c.page
	}
	if k.Public && c.page != nil && !slices.Contains(k.AllowedOrigins, p.Page) {
		return access.Principal{}, tokens.OtherPage()
	}
	return p, nil
}
