// Package reference owns what a node shows of its own API: the page /docs, which is Scalar
// on openapi.json, and the document of the events. It is complete in itself: the page asks
// this service and nobody else.
//
// It never shows a credential but those of --dev, and these to nobody but a browser on
// this machine (see Page).
package reference

import (
	_ "embed"
	"net/http"
)

// asyncAPI is docs/asyncapi.json, packed by cmd/generate.
//
//go:embed asyncapi.json.gz
var asyncAPI []byte

// bundle is the file of Scalar that scalar/pinned.json names, packed by scripts/scalar.sh.
//
//go:embed scalar/scalar.js.gz
var bundle []byte

// licence is that of Scalar; what its bundle brings along keeps its notices in the bundle.
//
//go:embed scalar/LICENSE
var licence []byte

var (
	//go:embed page/page.js
	script []byte
	//go:embed page/page.css
	style []byte
)

// DocumentCache is for documents: they are the same for everybody, and change with the
// binary only.
const DocumentCache = "public, max-age=300"

// Files are the files of the page and the document of the events, by path.
func Files() map[string]http.Handler {
	return map[string]http.Handler{
		"/asyncapi.json":  newPacked(asyncAPI, "application/json", DocumentCache),
		"/docs/scalar.js": newPacked(bundle, "text/javascript; charset=utf-8", DocumentCache),
		"/docs/page.js":   File(script, "text/javascript; charset=utf-8"),
		"/docs/page.css":  File(style, "text/css; charset=utf-8"),
		"/docs/LICENSE":   File(licence, "text/plain; charset=utf-8"),
	}
}

// File is a text of the binary as a file.
func File(text []byte, contentType string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", DocumentCache)
		_, _ = w.Write(text)
	})
}
