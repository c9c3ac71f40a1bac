package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader carries the signature (docs/api-rules.md "Notifications"):
//
//	SAVG-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256(secret, "<t>.<body>")>
//
// While a secret is being replaced there is one v1 for each secret in force.
const SignatureHeader = "SAVG-Signature"

const maxSignatureHeader = 2048 // bytes of a header that Verify is willing to read

// Why Verify refuses.
var (
	ErrNoSecret  = errors.New("no secret to verify with")
	ErrMalformed = errors.New("signature header is malformed")
	ErrStale     = errors.New("signature is outside the tolerated time")
	ErrMismatch  = errors.New("signature does not match")
)

// SignAll is the header's value with one v1 for each secret, in their order.
func SignAll(secrets [][]byte, t time.Time, body []byte) string {
	var b strings.Builder
	unix := strconv.FormatInt(t.Unix(), 10)
	b.WriteString("t=" + unix)
	for _, secret := range secrets {
		b.WriteString(",v1=" + hex.EncodeToString(digest(secret, unix, body)))
	}
	return b.String()
}

func digest(secret []byte, unix string, body []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(unix + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify is what a receiver does: nil when one v1 of the header is that of one of
// the secrets over body, and t is at most tolerance away from now. Digests are
// compared in constant time, and all of them, whichever matches.
func Verify(header string, body []byte, now time.Time, tolerance time.Duration, secrets ...[]byte) error {
	unix, given, err := parse(header)
	if err != nil {
		return err
	}
	matches, usable := 0, 0
	for _, secret := range secrets {
		if len(secret) == 0 { // anyone can compute what an empty key signs
			continue
		}
		usable++
		want := digest(secret, unix, body)
		for _, got := range given {
			if hmac.Equal(want, got) {
				matches++
			}
		}
	}
	if usable == 0 {
		return ErrNoSecret
	}
	if matches == 0 {
		return ErrMismatch
	}
	// Only now: a stranger learns nothing about our clock.
	seconds, err := strconv.ParseInt(unix, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: t is not a number of seconds", ErrMalformed)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return ErrStale
	}
	return nil
}

// parse takes the header apart. Schemes that it does not know are passed over,
// so that one can be added one day.
func parse(header string) (unix string, digests [][]byte, err error) {
	if len(header) > maxSignatureHeader {
		return "", nil, fmt.Errorf("%w: too long", ErrMalformed)
	}
	for part := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return "", nil, fmt.Errorf("%w: %q is not name=value", ErrMalformed, part)
		}
		switch name {
		case "t":
			if unix != "" {
				return "", nil, fmt.Errorf("%w: t is given twice", ErrMalformed)
			}
			unix = value
		case "v1":
			raw, err := hex.DecodeString(value)
			if err != nil || len(raw) != sha256.Size {
				return "", nil, fmt.Errorf("%w: v1 is not a SHA-256 in hex", ErrMalformed)
			}
			digests = append(digests, raw)
		}
	}
	if unix == "" || len(digests) == 0 {
		return "", nil, fmt.Errorf("%w: t and v1 are required", ErrMalformed)
	}
	return unix, digests, nil
}
