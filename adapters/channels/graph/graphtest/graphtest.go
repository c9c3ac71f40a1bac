// Package graphtest is what the tests of Meta's channels share: how Meta signs and answers, for
// channelstest.
package graphtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/domain/channels"
)

// Post is a request of Meta to the path that connections of a kind share.
func Post(kind, body string) channels.Request {
	return channels.Request{Method: http.MethodPost, URL: "https://parley.example.com/api/v1/channels/" + kind + "/webhook",
		At: time.Unix(1_700_000_000, 0), Header: map[string][]string{}, Body: []byte(body)}
}

// Ask is the question of Meta whether we are there.
func Ask(kind, query string) channels.Request {
	r := Post(kind, "")
	r.Method, r.URL = http.MethodGet, r.URL+"?"+query
	return r
}

// Sign makes a request one for the app of the connection.
func Sign(c channels.Connection, r channels.Request) channels.Request {
	mac := hmac.New(sha256.New, []byte(c.Credentials.Reveal(graph.AppSecret)))
	mac.Write(r.Body)
	r.Header = maps.Clone(r.Header)
	r.Header["X-Hub-Signature-256"] = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))}
	return r
}

// Extend adds a member that nobody knows yet, and an entry that has nothing but such.
func Extend(r channels.Request) channels.Request {
	r.Body = append([]byte(`{"new":{"a":[1]},`), bytes.Clone(r.Body[1:])...)
	r.Body = bytes.Replace(r.Body, []byte(`"entry":[`), []byte(`"entry":[{"new":true},`), 1)
	return r
}

// Vectors are published ones of the scheme: Meta itself publishes none. The last is of a text that
// is escaped, as Meta sends it: over the text itself the sum is another.
func Vectors(kind string) (out []channelstest.Vector) {
	for _, v := range []struct {
		source, secret, body, sum string
		good                      bool
	}{
		{"GitHub's documentation", "It's a Secret to Everybody", "Hello, World!",
			"757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", true},
		{"documentation of an SDK", "secret", "test", "0329a06b62cd16b33eb6792be8c60b158d89a2ee3a876fce9a881ebb488c0914", true},
		{"an empty envelope", "meta-app-secret", `{"object":"whatsapp_business_account","entry":[]}`,
			"ee9f05f989bc0aa2693d85691a477f8b8403933cde7959a1c5c6be7ea85e8d3d", true},
		{"escaped", "meta-app-secret", `{"text":"\u00e9"}`, "accfd26a046c0852401f21e2cfb5d30178ff71aa28b4c0ef288e5f83c4834eb7", true},
		{"not escaped", "meta-app-secret", `{"text":"é"}`, "accfd26a046c0852401f21e2cfb5d30178ff71aa28b4c0ef288e5f83c4834eb7", false},
	} {
		r := Post(kind, v.body)
		r.Header["X-Hub-Signature-256"] = []string{"sha256=" + v.sum}
		out = append(out, channelstest.Vector{Source: v.source, Secret: channels.Credentials{graph.AppSecret: channels.Secret(v.secret)},
			Request: r, Good: v.good})
	}
	return out
}

// Fails is an error of the API, and what it means.
func Fails(status, code int, more string, as channels.Status, reason string) channelstest.Case {
	want := channels.Outcome{Status: as, Reason: reason}
	if as != channels.Unknown {
		want.Code = fmt.Sprint(code)
	}
	return channelstest.Case{Want: want, Reply: channelstest.Reply{Status: status, Body: fmt.Sprintf(
		`{"error":{"message":"(#%d) of +16505551234","type":"OAuthException","code":%d%s,"fbtrace_id":"A1"}}`, code, code, more)}}
}

const (
	late = "the person last wrote more than 24 hours ago"
	gone = "the person takes nothing from the account"
)

// Provider is the API, asked by a path with a token for a message that has a form. It answers that it
// took the message by an id.
func Provider(path, token, form, took, id string) *channelstest.Provider {
	return &channelstest.Provider{
		Problem: func(r *http.Request, body []byte) string {
			switch {
			case r.Method != http.MethodPost || r.URL.String() != path:
				return r.Method + " " + r.URL.String()
			case r.Header.Get("Authorization") != "Bearer "+token:
				return "the credentials"
			case r.Header.Get("Content-Type") != "application/json":
				return "the content type"
			case string(body) != form:
				return string(body)
			}
			return ""
		},
		Taken: channelstest.Case{Reply: channelstest.Reply{Status: 200, Body: took},
			Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: id}},
		Final:   Fails(400, 100, "", channels.Refused, "Meta refused the message"),
		Limited: channelstest.Reply{Status: 429, Body: `{"error":{"code":4}}`},
		Denied:  Fails(401, 190, "", channels.NotTaken, "Meta does not accept the credentials").Denies(),
		Others: map[string]channelstest.Case{
			"the day is over":             Fails(400, 131047, "", channels.Refused, late),
			"the day of a page is over":   Fails(403, 10, `,"error_subcode":2018278`, channels.Refused, late),
			"the day of an account's":     Fails(403, 10, `,"error_subcode":2534022`, channels.Refused, late),
			"no permission":               Fails(403, 10, "", channels.NotTaken, "Meta does not accept the credentials").Denies(),
			"nobody is let in":            Fails(401, 0, "", channels.NotTaken, "Meta does not accept the credentials").Denies(),
			"no access to the account":    Fails(403, 131005, "", channels.NotTaken, "Meta does not accept the credentials").Denies(),
			"a person who takes nothing":  Fails(403, 200, `,"error_subcode":1545041`, channels.Refused, gone).Stops(),
			"a person who is not there":   Fails(400, 551, "", channels.Refused, gone).Stops(),
			"too many of an app":          Fails(400, 4, "", channels.NotTaken, "too many requests to Meta"),
			"too many of an account":      Fails(400, 80007, "", channels.NotTaken, "too many requests to Meta"),
			"too many of a number":        Fails(400, 130429, "", channels.NotTaken, "too many requests to Meta"),
			"too many to one person":      Fails(400, 131056, "", channels.NotTaken, "too many requests to Meta"),
			"too many calls":              Fails(403, 613, "", channels.NotTaken, "too many requests to Meta"),
			"a fault of Meta's":           Fails(500, 131000, "", channels.Unknown, "Meta does not say what it did"),
			"one that does not last":      Fails(400, 100, `,"is_transient":true`, channels.Unknown, "Meta does not say what it did"),
			"out of service":              Fails(400, 2, "", channels.Unknown, "Meta does not say what it did"),
			"200 with an error inside it": Fails(200, 100, "", channels.Unknown, "Meta does not say what it did"),
		},
	}
}

// Files is how Meta gives a file: by an id, at a path, with a token; without these at its address.
func Files(path, token string) *channelstest.Files {
	out := &channelstest.Files{File: func(address string) channels.File { return channels.File{ID: "M1", URL: address} },
		Problem: func(r *http.Request) string {
			want := ""
			if token != "" {
				want = "Bearer " + token
			}
			if r.Method != http.MethodGet || r.URL.Path != "/content" || r.Header.Get("Authorization") != want {
				return r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
			}
			return ""
		}}
	if path != "" {
		out.Before = func(r *http.Request, address string) (channelstest.Reply, bool) {
			if r.URL.Path != path {
				return channelstest.Reply{}, false
			}
			if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+token {
				return channelstest.Reply{Status: http.StatusUnauthorized}, true
			}
			return channelstest.Reply{Status: http.StatusOK, Body: fmt.Sprintf(
				`{"messaging_product":"whatsapp","url":%q,"mime_type":"image/jpeg","sha256":"x","file_size":303833,"id":"M1"}`, address)}, true
		}
	}
	return out
}
