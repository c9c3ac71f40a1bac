package rest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// respondAsync is the preference of RFC 7240 for callers who need not wait until what
// they asked for is visible.
const respondAsync = "respond-async"

// prefersAsync reads Prefer, which may come several times and hold several preferences.
func prefersAsync(h http.Header) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(h.Values("Prefer"), ","), ","), func(preference string) bool {
		name, _, _ := strings.Cut(preference, ";")
		return strings.EqualFold(strings.TrimSpace(name), respondAsync)
	})
}

// wantsAsync reports whether the request is answered when its commit is on the log.
func wantsAsync(ctx context.Context) bool {
	x := exchangeOf(ctx)
	return x.op != nil && x.op.Async && x.async
}

// AcceptedAt makes the answer 202, and says where what was asked for is to be read in a
// moment: a path, whose parts are escaped here.
func AcceptedAt(ctx context.Context, parts ...string) {
	x := exchangeOf(ctx)
	if x.answer == nil {
		return
	}
	var at strings.Builder
	for _, p := range parts {
		at.WriteString("/" + url.PathEscape(p))
	}
	h := x.answer.Header()
	h.Set("Location", at.String())
	h.Set("Preference-Applied", respondAsync)
	x.answer.early = true
}

// describeAsync documents the preference and its answer, which has the body of the other.
func describeAsync(o *huma.Operation) {
	usual := o.Responses[strconv.Itoa(o.DefaultStatus)]
	text := &huma.Schema{Type: huma.TypeString}
	o.Parameters = append(o.Parameters, &huma.Param{Name: "Prefer", In: "header", Schema: text, Example: respondAsync,
		Description: "respond-async: answers 202 as soon as the request is on the log, without waiting until every query shows it."})
	o.Responses["202"] = &huma.Response{
		Description: "It is on the log and will take effect. Location shows it in a moment, and is 404 until then. " +
			"To repeat the request is safe with an Idempotency-Key.",
		Content: usual.Content,
		Headers: map[string]*huma.Param{
			"Location":           {Schema: text, Description: "Where it can be read."},
			"Preference-Applied": {Schema: text, Description: respondAsync},
		},
	}
}
