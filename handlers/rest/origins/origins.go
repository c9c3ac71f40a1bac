// Package origins owns what browsers are told of pages that come from elsewhere: which of
// them may call the API (CORS). It never lets anybody in.
package origins

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	return sorted(cors.New(options(cors.Options{AllowedOrigins: origins})).Handler(next))
}

const asksFor = "Access-Control-Request-Headers"

// sorted brings the names of headers that somebody asks for into the form in which browsers ask: in
// small letters, in order, without spaces. The library understands no other.
func sorted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if said := r.Header.Values(asksFor); r.Method == http.MethodOptions && len(said) > 0 {
			names := strings.FieldsFunc(strings.ToLower(strings.Join(said, ",")), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
			slices.Sort(names)
			r.Header.Set(asksFor, strings.Join(slices.Compact(names), ","))
		}
		next.ServeHTTP(w, r)
	})
}

// ofWidgets begin the paths of what widgets call.
var ofWidgets = []string{"/api/v1/sdk/", "/api/v1/chat/", "/api/v1/sessions/", "/api/v1/feedback", "/api/v1/channels/ag_ui/",
	"/api/projects/", "/api/v1/rtc/", "/api/v1/voice/"}

// AllowPages lets pages whose origin is listed call what widgets call; all others go the way of
// elsewhere. It lets nobody in either: what a page may do is said by its key.
func AllowPages(listed func(r *http.Request, origin string) bool, next, elsewhere http.Handler) http.Handler {
	pages := sorted(cors.New(options(cors.Options{AllowOriginFunc: func(string) bool { return true }})).Handler(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		widget := origin != "" && slices.ContainsFunc(ofWidgets, func(path string) bool { return strings.HasPrefix(r.URL.Path, path) })
		if widget && listed(r, origin) {
			pages.ServeHTTP(w, r)
			return
		}
		elsewhere.ServeHTTP(w, r)
	})
}

// options are what is told to pages, whichever they are.
func options(o cors.Options) cors.Options {
	return cors.Options{
		AllowedOrigins: o.AllowedOrigins, AllowOriginFunc: o.AllowOriginFunc,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"auth", "token", "Authorization", "X-Api-Key", "X-Public-Key", "X-SDK-Token", "accountId", "iid",
			"Content-Type", "Idempotency-Key", "A2A-Version",
			"Prefer", "If-None-Match", "Last-Event-ID", "Range", "OpenAI-Project", "X-Session-Id", "X-Request-Id",
			"x-callback-signature", "bot-language", "traceparent",
			"tracestate"},
		ExposedHeaders: []string{"X-Request-Id", "Location", "Preference-Applied", "Idempotency-Replayed", "Retry-After", "X-Session-Id",
			"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Content-Disposition", "Content-Range", "ETag"},
		MaxAge: age,
	}
}
