package webhook

import (
	"fmt"
	"net/http"
	"net/textproto"

	"golang.org/x/net/http/httpguts"
)

// Headers that every attempt carries beside the signature.
const (
	DeliveryHeader = "X-Delivery-Id"      // the same on every attempt: receivers drop repeats by it
	AttemptHeader  = "X-Delivery-Attempt" // 1, 2, 3 ...
)

const maxHeaders, maxHeaderValue = 64, 8 << 10

// reserved are the headers that a caller's cannot replace: ours, and those that
// frame the request or speak to the connection.
var reserved = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{SignatureHeader, DeliveryHeader, AttemptHeader, "Content-Type", "Content-Encoding",
		"Content-Length", "Host", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
		"Proxy-Authorization", "Te", "Trailer", "Upgrade", "Expect"} {
		set[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	return set
}()

// CheckHeaders refuses headers that cannot be sent: names and values that would
// break out of their line, and more than a receiver would take. Reserved names
// are no error; Send passes them over.
func CheckHeaders(headers map[string]string) error {
	if len(headers) > maxHeaders {
		return fmt.Errorf("must be at most %d headers", maxHeaders)
	}
	for name, value := range headers {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("has a name that is not a header name: %q", name)
		}
		if !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("has a value with characters that a header cannot have, for %s", name)
		}
		if len(value) > maxHeaderValue {
			return fmt.Errorf("has a value of more than %d bytes, for %s", maxHeaderValue, name)
		}
	}
	return nil
}

// addHeaders copies those of the caller's headers that are theirs to set.
func addHeaders(to http.Header, headers map[string]string) {
	for name, value := range headers {
		if !reserved[textproto.CanonicalMIMEHeaderKey(name)] {
			to.Set(name, value)
		}
	}
}
