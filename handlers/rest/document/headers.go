package document

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

func header(typ, doc string) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: typ}}
}

// headers of answers, by their names. They are written once and referred to.
var headers = map[string]*huma.Param{
	"X-Request-Id":          header(huma.TypeString, "Names the request. It is the correlation id of every event that the request led to."),
	"X-RateLimit-Limit":     header(huma.TypeInteger, "Requests that the credential may make in the time that the rate is for."),
	"X-RateLimit-Remaining": header(huma.TypeInteger, "Requests that it may make now."),
	"X-RateLimit-Reset":     header(huma.TypeInteger, "When it may make all of them again, in seconds since 1970."),
	"Retry-After":           header(huma.TypeInteger, "Seconds after which it is worth trying again. Absent where waiting does not help."),
	"WWW-Authenticate":      header(huma.TypeString, "Bearer."),
	"Idempotency-Replayed": header(huma.TypeString, "true: this is the first result of the Idempotency-Key once more, and nothing was done. "+
		"Absent otherwise."),
}

// Unkeyed marks in the metadata of an operation that it reads no Idempotency-Key.
const Unkeyed = "unkeyed"

// headersOf names those that an answer has.
func headersOf(method, status string, o *huma.Operation) []string {
	out := []string{"X-Request-Id"}
	success := strings.HasPrefix(status, "2")
	if len(o.Security) > 0 && (success || status == "429") {
		out = append(out, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
	}
	switch {
	case status == "401":
		out = append(out, "WWW-Authenticate")
	case status == "429" || status == "503":
		out = append(out, "Retry-After")
	case success && method != http.MethodGet && o.Metadata[Unkeyed] == nil:
		out = append(out, "Idempotency-Replayed")
	}
	return out
}
