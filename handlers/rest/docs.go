package rest

import (
	"embed"
	"net/http"

	"github.com/parley-platform/parley/domain/fault"
)

// docs is a page that shows /openapi.json. It is our own and complete in itself, so
// that it works on a machine without any other.
//
//go:embed docs
var docs embed.FS

// docsCache: they are the same for everybody, and change with the binary only.
const docsCache = "public, max-age=300"

func (a *API) serveDocs() {
	a.router.HandleFunc("/openapi.json", a.serveOpenAPI).Methods(http.MethodGet, http.MethodHead)
	for path, file := range map[string]string{
		"/docs":          "docs/index.html",
		"/docs/page.js":  "docs/page.js",
		"/docs/page.css": "docs/page.css",
	} {
		a.router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
				"frame-ancestors 'none'; base-uri 'none'")
			w.Header().Set("Cache-Control", docsCache)
			http.ServeFileFS(w, r, docs, file)
		}).Methods(http.MethodGet, http.MethodHead)
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
	w.Header().Set("Cache-Control", docsCache)
	_, _ = w.Write(a.openapi)
}
