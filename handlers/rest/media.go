package rest

import "strings"

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
