package rest

import (
	"context"
	"slices"
	"strings"
)

// AnyBytes is what callers accept who do not care what is in a file.
const AnyBytes = "application/octet-stream"

// MediaFor is the type that a file is sent as: its own, unless the caller accepts bytes and
// not that.
func MediaFor(accept []string, own string) string {
	bytes := false
	for _, wanted := range strings.Split(strings.Join(accept, ","), ",") {
		media, _, _ := strings.Cut(wanted, ";")
		family, _, _ := strings.Cut(own, "/")
		switch media = strings.ToLower(strings.TrimSpace(media)); media {
		case own, "*/*", family + "/*":
			return own
		case AnyBytes:
			bytes = true
		}
	}
	if bytes {
		return AnyBytes
	}
	return own
}

// Prefers is whether the caller of an operation that answers in JSON names another media type
// first.
func Prefers(ctx context.Context, media string) bool { return prefers(exchangeOf(ctx).accept, media) }

func prefers(accept []string, media string) bool {
	for _, wanted := range strings.Split(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(wanted, ";")
		if slices.Contains(refusing, strings.ReplaceAll(parameters, " ", "")) {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case media:
			return true
		case "application/json":
			return false
		}
	}
	return false
}

// refusing are the parameters of what is not taken.
var refusing = []string{"q=0", "q=0.0", "q=0.00", "q=0.000"}
