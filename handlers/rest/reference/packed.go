package reference

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Packed is a file that the binary carries gzipped: it is sent so to whoever takes that,
// and unpacked once for the others. It changes with the binary only.
type Packed struct {
	packed      []byte
	contentType string
	cache       string // what Cache-Control says
	tag         string // of the packed bytes
	plain       func() ([]byte, error)
}

func newPacked(packed []byte, contentType, cache string) *Packed {
	sum := sha256.Sum256(packed)
	return &Packed{packed: packed, contentType: contentType, cache: cache, tag: hex.EncodeToString(sum[:8]),
		plain: sync.OnceValues(func() ([]byte, error) {
			r, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				return nil, err
			}
			return io.ReadAll(r)
		})}
}

// ServeHTTP sends the file, or 304 to those who have it.
func (p *Packed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, body, tag := w.Header(), p.packed, p.tag+"-gzip"
	if takesGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(body))) // ServeContent leaves it out of what is encoded
	} else {
		var err error
		if body, err = p.plain(); err != nil { // the tests unpack it, so the memory is broken
			slog.ErrorContext(r.Context(), "a file of the binary cannot be unpacked", "path", r.URL.Path, "error", err)
			http.Error(w, "the file cannot be unpacked", http.StatusInternalServerError)
			return
		}
		tag = p.tag
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", p.contentType)
	h.Set("Cache-Control", p.cache)
	h.Set("ETag", `"`+tag+`"`)
	r.Header.Del("Range") // of which form would it be
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
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
