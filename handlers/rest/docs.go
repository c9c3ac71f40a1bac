package rest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/parley-platform/parley/domain/fault"
)

// docs is a page that shows /openapi.json. It is our own and complete in itself, so
// that it works on a machine without any other.
//
//go:embed docs
var docs embed.FS

// asyncAPI is docs/asyncapi.json, packed by cmd/generate.
//
//go:embed asyncapi.json.gz
var asyncAPI []byte

// plainAsyncAPI is the document for those who do not take it packed, unpacked once.
var plainAsyncAPI = sync.OnceValues(func() ([]byte, error) {
	packed, err := gzip.NewReader(bytes.NewReader(asyncAPI))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(packed)
})

// docsCache: they are the same for everybody, and change with the binary only.
const docsCache = "public, max-age=300"

func (a *API) serveDocs() {
	a.router.HandleFunc("/openapi.json", a.serveOpenAPI).Methods(http.MethodGet, http.MethodHead)
	a.router.HandleFunc("/asyncapi.json", a.serveAsyncAPI).Methods(http.MethodGet, http.MethodHead)
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

// serveAsyncAPI writes what the topics hold (docs/asyncapi.json): packed, as it is kept,
// to whoever takes that.
func (a *API) serveAsyncAPI(w http.ResponseWriter, r *http.Request) {
	body := asyncAPI
	if takesGzip(r.Header.Values("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
	} else {
		var err error
		if body, err = plainAsyncAPI(); err != nil {
			exchangeOf(r.Context()).refuse(r.Context(), fault.New(fault.Internal, "the document cannot be read").Because(err))
			return
		}
	}
	w.Header().Set("Vary", "Accept-Encoding")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", docsCache)
	_, _ = w.Write(body)
}

// takesGzip reads Accept-Encoding: gzip is named, and not with a weight of nothing.
func takesGzip(accept []string) bool {
	for _, coding := range strings.Split(strings.Join(accept, ","), ",") {
		name, weight, weighed := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return !weighed || err == nil && q > 0
	}
	return false
}
