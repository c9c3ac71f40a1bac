// Package origins owns what browsers are told of pages that come from elsewhere: which of
// them may call the API (CORS). It never lets anybody in.
package origins

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// age is how many seconds a browser may remember what it was allowed; browsers
// keep to a limit of their own.
const age = 600

// Check refuses what no browser sends as Origin: wanted is scheme://host[:port], with
// *. before the host for all hosts below it, or * alone for every page there is.
func Check(origins []string) error {
	for _, o := range origins {
		u, err := url.Parse(strings.Replace(o, "://*.", "://any.", 1))
		switch {
		case o == "*":
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Hostname() == "" || strings.Contains(u.Host, "*"):
			return fmt.Errorf("%q is not an origin: wanted is https://host or https://host:port, https://*.host for all below it, or *", o)
		case u.Scheme+"://"+u.Host != strings.Replace(o, "://*.", "://any.", 1):
			return fmt.Errorf("%q is more than an origin: leave out what is not scheme, host and port", o)
		}
	}
	return nil
}

// Allow lets pages of these origins call the API from a browser. It lets nobody in:
// tokens and keys come in headers that a page has to know, and cookies are not used.
func Allow(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"auth", "token", "Authorization", "X-Api-Key", "accountId", "iid", "Content-Type", "Idempotency-Key",
			"Prefer", "If-None-Match", "Last-Event-ID", "Range", "OpenAI-Project", "X-Session-Id", "X-Request-Id",
			"x-callback-signature", "traceparent",
			"tracestate"},
		ExposedHeaders: []string{"X-Request-Id", "Location", "Preference-Applied", "Idempotency-Replayed", "Retry-After", "X-Session-Id",
			"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Content-Disposition", "Content-Range", "ETag"},
		MaxAge: age,
	}).Handler(next)
}
