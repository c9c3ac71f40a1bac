package rest_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// BenchmarkRequest is what a request with a token costs beside what its handler does: the
// pipeline, validation, the answer, the metrics and the line of the log.
func BenchmarkRequest(b *testing.B) {
	w := resttest.NewWorld(b, func(c *rest.Config) {
		c.Log, c.Rates = slog.New(slog.NewTextHandler(io.Discard, nil)), map[rest.Class]rest.Rate{rest.Requests: {Limit: 1e9, Per: 1}}
	})
	body := []byte(`{"target":"tel:+15550001","timeoutInMs":30000,"machineDetection":"detect","metadata":{"order":"4711"}}`)
	token := w.Token()
	for name, key := range map[string]string{"plain": "", "with a key": "a-key"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := http.NewRequest(http.MethodPost, "/calls/p-1", bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("token", token)
				if key != "" {
					r.Header.Set("Idempotency-Key", key)
				}
				var out answer
				if w.Api.ServeHTTP(&out, r); out.status != 0 && out.status != http.StatusOK {
					b.Fatal(out.status)
				}
			}
		})
	}
}

// answer is thrown away, but for its status.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
