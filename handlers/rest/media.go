package rest

import (
	"context"
	"strconv"
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

// Prefers is whether the caller of an operation that answers in JSON likes another media type
// more, or as much and names it first.
func Prefers(ctx context.Context, media string) bool { return prefers(exchangeOf(ctx).accept, media) }

func prefers(accept []string, media string) bool {
	liked, most := "", 0.0
	for _, wanted := range strings.Split(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(wanted, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != media && name != "application/json" {
			continue
		}
		if weight := weightOf(parameters); weight > most {
			liked, most = name, weight
		}
	}
	return liked == media
}

// weightOf is how much a type is wanted by its parameters; 0: not at all.
func weightOf(parameters string) float64 {
	for _, parameter := range strings.Split(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if weight, err := strconv.ParseFloat(value, 64); err == nil && strings.EqualFold(name, "q") {
			return weight
		}
	}
	return 1
}
