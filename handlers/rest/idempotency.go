package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// maxKeyLength is the longest Idempotency-Key, in characters.
const maxKeyLength = 255

// Key is what makes two requests the same request (docs/architecture.md "Idempotency").
// The tenant is that of PrincipalOf.
type Key struct {
	Value     string // of the header
	Name      string // of the member that it was given in, where that was not the header
	Operation string // its id
	Path      string // as it was called, with the ids in it, and with that of the project where it was called by another name
	Hash      []byte // of the query and the body in canonical form; 32 bytes
}

// Idempotency is the Idempotency-Key of the request, and false without one. The
// same key with another Hash is another request under a key that is taken: 409.
func Idempotency(ctx context.Context) (Key, bool) {
	if k := exchangeOf(ctx).key; k != nil {
		return *k, true
	}
	return Key{}, false
}

// MarkReplayed says in the response that it is the first result of the key, once
// more. It must be called before the handler returns.
func MarkReplayed(ctx context.Context) {
	if x := exchangeOf(ctx); x.answer != nil {
		x.answer.Header().Set("Idempotency-Replayed", "true")
	}
}

// readIdempotencyKey notes a malformed key as a fault of a field.
func readIdempotencyKey(x *exchange, r *http.Request) (*http.Request, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 || !x.op.keyed() {
		return r, nil
	}
	if len(values) > 1 || !validKey(values[0]) {
		x.problems.Add("Idempotency-Key", "must be given once, as 1 to %d printable ASCII characters", maxKeyLength)
		return r, nil
	}
	x.key = &Key{Value: values[0], Operation: x.op.ID, Path: pathOf(x, r), Hash: requestHash(x, r)}
	return r, nil
}

// pathOf is the path with the project by its id, whatever name of it the caller took: by another the request is the same.
func pathOf(x *exchange, r *http.Request) string {
	said, wanted := strings.Split(r.URL.EscapedPath(), "/"), strings.Split(x.op.Path, "/")
	i := slices.Index(wanted, "{"+x.named+"}")
	if i < 0 || len(said) != len(wanted) {
		return r.URL.Path
	}
	said[i] = ProjectOf(r.Context()).ID
	path, err := url.PathUnescape(strings.Join(said, "/"))
	if err != nil {
		return r.URL.Path
	}
	return path
}

func validKey(key string) bool {
	return key != "" && len(key) <= maxKeyLength &&
		!strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' })
}

// requestHash covers what the caller asked for, not how it was written: members in
// another order, other white space or another boundary of a form are the same request.
func requestHash(x *exchange, r *http.Request) []byte {
	body := x.body
	switch {
	case !x.op.body.json:
		body = partsOf(r.Header.Get("Content-Type"), body)
	case !x.unfit:
		body = canonical(body)
	}
	return hashOf(r.URL.Query().Encode(), body)
}

// partsOf stands for a form without its boundary, which clients make up anew for each try: the hashes of its parts. What is none
// stays as it is.
func partsOf(contentType string, body []byte) []byte {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/form-data" {
		return body
	}
	var out []byte
	for form := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			return body
		}
		head, content := sha256.New(), sha256.New()
		_ = http.Header(part.Header).Write(head) // sorted
		if _, err := io.Copy(content, part); err != nil {
			return body
		}
		out = content.Sum(head.Sum(out))
	}
}

// canonical is JSON as everybody would write it; what is none stays as it is.
func canonical(body []byte) []byte {
	if v, err := jsontext.DecodeJSON(body); err == nil {
		if written, err := plainjson.Of(v); err == nil {
			return written
		}
	}
	return body
}

func hashOf(query string, body []byte) []byte {
	h := sha256.New()
	_, _ = h.Write([]byte(query))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(body)
	return h.Sum(nil)
}
