// Package aws is how Parley shows to Amazon, and to storages that speak its protocol,
// who it is: where credentials come from, and how a request is signed with them
// (Signature Version 4, as S3 wants it).
//
// It owns no bucket and no file. No secret is in its errors.
package aws

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Credentials sign requests.
type Credentials struct {
	KeyID   string
	Secret  string
	Token   string    // of a role's session; empty: a user's keys
	Expires time.Time // zero: never
}

// Scope is what a signature is good for.
type Scope struct {
	Region  string
	Service string
}

const (
	algorithm = "AWS4-HMAC-SHA256"
	timestamp = "20060102T150405Z"
)

// unsigned are headers that libraries and proxies may set on the way.
var unsigned = []string{"authorization", "user-agent", "accept-encoding", "content-length", "expect",
	"transfer-encoding", "x-amzn-trace-id"}

// Sign adds the signature of a request for one instant. The path stands in the URL as it
// is sent; payload is the hexadecimal SHA-256 of the body.
func Sign(r *http.Request, payload string, c Credentials, s Scope, at time.Time) {
	stamp := at.UTC().Format(timestamp)
	r.Header.Set("X-Amz-Date", stamp)
	r.Header.Set("X-Amz-Content-Sha256", payload)
	if c.Token != "" {
		r.Header.Set("X-Amz-Security-Token", c.Token)
	}
	names, headers := canonicalHeaders(r)
	request := strings.Join([]string{r.Method, path(r.URL), query(r.URL), headers, names, payload}, "\n")
	scope := strings.Join([]string{stamp[:8], s.Region, s.Service, "aws4_request"}, "/")
	sum := sha256.Sum256([]byte(request))
	key := []byte("AWS4" + c.Secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	signature := hex.EncodeToString(mac(key, strings.Join([]string{algorithm, stamp, scope, hex.EncodeToString(sum[:])}, "\n")))
	r.Header.Set("Authorization", algorithm+" Credential="+c.KeyID+"/"+scope+", SignedHeaders="+names+", Signature="+signature)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// canonicalHeaders are the names of what is signed, and a line for each.
func canonicalHeaders(r *http.Request) (names, lines string) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	signed := map[string]string{"host": withoutPort(r.URL.Scheme, host)}
	for name, values := range r.Header {
		if name = strings.ToLower(name); !slices.Contains(unsigned, name) {
			signed[name] = strings.Join(strings.Fields(strings.Join(values, ",")), " ")
		}
	}
	var all []string
	for name := range signed {
		all = append(all, name)
	}
	slices.Sort(all)
	for _, name := range all {
		lines += name + ":" + signed[name] + "\n"
	}
	return strings.Join(all, ";"), lines
}

// withoutPort is the host as it is signed: the scheme's own port is left out.
func withoutPort(scheme, host string) string {
	switch scheme {
	case "https":
		return strings.TrimSuffix(host, ":443")
	case "http":
		return strings.TrimSuffix(host, ":80")
	}
	return host
}

func path(u *url.URL) string {
	if p := u.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// query is sorted by names and then by values, with the spaces as Amazon wants them.
func query(u *url.URL) string {
	all := u.Query()
	for _, values := range all {
		slices.Sort(values)
	}
	return strings.ReplaceAll(all.Encode(), "+", "%20")
}

// EscapePath writes a path as S3 signs it: all but letters, digits and -._~/ as %XX.
func EscapePath(p string) string {
	const hexadecimal = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(p) {
		c := p[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + string(hexadecimal[c>>4]) + string(hexadecimal[c&15]))
	}
	return b.String()
}
