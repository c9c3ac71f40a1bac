package reference

import (
	_ "embed"
	"encoding/json"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// markup has three places to fill in. A template would do it too, but looks methods up by
// names, for which the linker keeps all methods of everything: 4 MB of the binary
// (docs/decisions/2026-11-23-size-of-the-binary.md).
//
//go:embed page/page.html
var markup string

// Developer has what the page is filled in with: the credentials of the workspace of --dev.
type Developer struct {
	Token  string `json:"token"`
	APIKey string `json:"apiKey"`
}

// Page is the page of the API. The developer's credentials are asked for at each request,
// and are nil on a node without --dev.
//
// Whoever sees them may use the development workspace. So they are on the page only, which
// no cache keeps, no other page can read or frame and no script of another page can load;
// and only for a browser that was led here by a loopback name: not through a proxy or a
// tunnel, and not by a foreign name that was made to point here (DNS rebinding).
type Page struct {
	Title     string
	Developer func() *Developer
}

// settings is what the page's script is told.
type settings struct {
	Root      string     `json:"root"` // where the API is, from the page
	Developer *Developer `json:"developer,omitempty"`
}

// policy is for a page that needs nobody: its files and its calls are this service's.
// Scalar writes styles into the page, which can fetch nothing either; answers that are
// pictures or sounds are shown out of memory.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"connect-src 'self'; img-src 'self' data: blob:; media-src blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP writes the page. Its links are relative to it, so it works below any prefix.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	told := settings{Root: "./"}
	if strings.HasSuffix(r.URL.Path, "/") {
		told.Root = "../"
	}
	if p.Developer != nil && ownBrowser(r) {
		told.Developer = p.Developer()
	}
	asJSON, err := json.Marshal(told) // with <, > and & escaped, so that nothing in it ends the script's element
	if err != nil {
		http.Error(w, "the settings of the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	filled := strings.NewReplacer("{{title}}", html.EscapeString(p.Title), "{{root}}", told.Root, "{{settings}}", string(asJSON))
	_, _ = filled.WriteString(w, markup) // whoever asked has gone
}

// ownBrowser says that the request came from this machine by a name of this machine, and
// that it is for a page to be shown, not for a script of another one.
func ownBrowser(r *http.Request) bool {
	for _, name := range []string{"Origin", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	if into := r.Header.Get("Sec-Fetch-Dest"); into != "" && into != "document" {
		return false
	}
	host := (&url.URL{Host: r.Host}).Hostname()
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
