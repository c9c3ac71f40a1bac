package rest

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/document"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/reference"
)

// The names of the security schemes in the OpenAPI document.
const (
	schemeAuth    = "auth"
	schemeToken   = "token"
	schemeBearer  = "bearer"
	schemeKey     = "apiKey"
	schemeSandbox = "sandbox"
	schemePublic  = "publicKey"
	schemeSDK     = "sdkToken"
)

// ownMachine is where a document that no node serves says that the API is: on a node of
// the reader's own, as it starts without options.
const ownMachine = "http://127.0.0.1:8080"

const about = "The backend of a conversational platform: calls and messages out to people, conversations with human agents, campaigns, " +
	"and figures of all of it.\n\nA write is answered when it is on the log and what it changed can be read. Refusals have one form, " +
	"`Refusal`; " +
	"`error.code` is for programs. `Idempotency-Key` makes it safe to repeat a write. What the service tells of its own accord is in " +
	"`webhooks`.\n\nIn what is sent, `null` is no value: for a member that may be absent it says that it is, also where its schema does not " +
	"name it, and for a required one it is a fault. An operation that takes something away by `null` says so."

// newHuma is huma without what this package does itself: no routes of its own, no
// schema links in responses, members optional and unknown ones ignored.
func (a *API) newHuma(cfg Config) huma.API {
	var c huma.Config
	c.OpenAPI = &huma.OpenAPI{
		OpenAPI:  "3.1.0",
		Info:     &huma.Info{Title: cmp.Or(cfg.Title, "Parley"), Version: cmp.Or(cfg.Version, "1"), Description: about},
		Servers:  []*huma.Server{{URL: strings.TrimRight(cmp.Or(cfg.PublicURL, ownMachine), "/"), Description: "This service."}},
		Tags:     document.Tags(),
		Webhooks: map[string]*huma.PathItem{},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry("#/components/schemas/", document.Name),
			SecuritySchemes: securitySchemes(),
		},
	}
	c.Formats = map[string]huma.Format{"application/json": {Marshal: MarshalPlainly, Unmarshal: unmarshalPlainly}}
	c.DefaultFormat = "application/json"
	c.AllowAdditionalPropertiesByDefault = true
	c.FieldsOptionalByDefault = true
	return huma.NewAPI(c, humamux.NewAdapter(a.router, humamux.WithRouteCustomizer(a.wrap)))
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		schemeAuth:   {Type: "apiKey", In: "header", Name: "auth", Description: "A JWT, raw or with Bearer."},
		schemeToken:  {Type: "apiKey", In: "header", Name: "token", Description: "The same as auth."},
		schemeBearer: {Type: "http", Scheme: "bearer", Description: "A JWT or an API key."},
		schemeKey:    {Type: "apiKey", In: "header", Name: "x-api-key", Description: "An API key."},
		schemePublic: {Type: "apiKey", In: "header", Name: "X-Public-Key", Description: "A public key, as pages carry it; also as x-api-key."},
		schemeSDK: {Type: "apiKey", In: "header", Name: "X-SDK-Token",
			Description: "The token of a widget's or an app's session, as sdk-init gives it; for sdk-init that of an SDK channel."},
		schemeSandbox: {Type: "http", Scheme: "bearer", BearerFormat: "JWT",
			Description: "A sandbox token: the runtime gives it to the code of a tool, for one call."},
	}
}

// securityOf lists the ways to send a credential that the requirement takes. A
// public operation says so with an empty list.
func securityOf(need access.Requirement) []map[string][]string {
	way := func(name string) map[string][]string { return map[string][]string{name: {}} }
	ways := []map[string][]string{}
	if need.Takes(access.KeyCredential) {
		ways = append(ways, way(schemeKey))
	}
	if need.Takes(access.TokenCredential) {
		ways = append(ways, way(schemeAuth), way(schemeToken))
	}
	if len(ways) > 0 {
		ways = append(ways, way(schemeBearer))
	}
	if need.Takes(access.SandboxCredential) {
		ways = append(ways, way(schemeSandbox))
	}
	if need.Takes(access.PublicKeyCredential) {
		ways = append(ways, way(schemePublic), way(schemeKey))
	}
	if need.Takes(access.SDKCredential) || need.Takes(access.EmbedCredential) {
		ways = append(ways, way(schemeSDK))
	}
	return ways
}

// OpenAPI is the document of all declared operations: OpenAPI 3.1, indented, the
// same bytes each time.
func (a *API) OpenAPI() ([]byte, error) {
	return json.MarshalIndent(document.Of(a.huma.OpenAPI()), "", "  ")
}

// MarshalPlainly writes JSON without escaping < > and &: answers are no HTML.
func MarshalPlainly(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// unmarshalPlainly reads a fitted body. What is made for validation takes numbers that no
// float holds as they are: they are in members whose bytes are kept, or were refused.
func unmarshalPlainly(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	whole, validating := v.(*any)
	if err == nil || !validating {
		return err
	}
	read, err := jsontext.DecodeJSON(data)
	*whole = withFloats(read)
	return err
}

// withFloats has the numbers that huma can judge, in place.
func withFloats(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		for i := range v {
			v[i] = withFloats(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = withFloats(v[name])
		}
	}
	return v
}

// serveReference adds the documents of the API and the page that shows them.
func (a *API) serveReference() {
	files := reference.Files()
	page := reference.Page{Title: a.huma.OpenAPI().Info.Title, Developer: a.cfg.Developer}
	files["/docs"], files["/docs/"], files["/openapi.json"] = page, page, http.HandlerFunc(a.serveOpenAPI)
	maps.Copy(files, a.cfg.Files)
	for path, file := range files {
		a.router.Handle(path, file).Methods(http.MethodGet, http.MethodHead)
	}
}

// serveOpenAPI writes the document on first use; by then all is declared.
func (a *API) serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	var err error
	a.document.Do(func() { a.openapi, err = a.OpenAPI() })
	if err != nil || a.openapi == nil {
		exchangeOf(r.Context()).refuse(r.Context(), fault.New(fault.Internal, "the document cannot be written").Because(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", reference.DocumentCache)
	_, _ = w.Write(a.openapi)
}
