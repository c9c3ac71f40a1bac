// Package api is how commands ask a node: one client for all of them, which says what is
// wrong and what to do next. It knows no operation.
package api

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-platform/parley/cmd/parley/exit"
)

// DefaultURL is where a node of this machine answers.
const DefaultURL = "http://127.0.0.1:8080"

// Server says where a node is.
type Server struct {
	URL string `help:"Where a node's API is." default:"http://127.0.0.1:8080" env:"PARLEY_URL" dev:"PARLEY_URL" placeholder:"URL"`
}

// Token says who asks.
type Token struct {
	Token string `help:"A token (JWT); parley token issues one. Better given as PARLEY_TOKEN: others on this machine can see flags." env:"PARLEY_TOKEN" dev:"PARLEY_TOKEN" placeholder:"JWT"`
}

// Key says who asks, where an API key may.
type Key struct {
	APIKey string `name:"api-key" help:"An API key; better given as PARLEY_API_KEY. Where both would do, the token is taken." env:"PARLEY_API_KEY" dev:"PARLEY_API_KEY" placeholder:"KEY"`
}

// Dev says whose dev.env is read.
type Dev struct {
	Data string `help:"Data folder of a parley serve --dev: its dev.env says what flags and environment do not." default:".data" placeholder:"DIR"`
}

// OfProject names the project that a command is about. Operations call it app, bot or instance.
type OfProject struct {
	Project string `help:"The project (app, bot, instance): its id or an alias." required:"" env:"PARLEY_PROJECT,BOT_ID" dev:"BOT_ID" placeholder:"ID"`
}

// Flags are those of a command that asks a node with a token.
type Flags struct {
	Server
	Token
	Dev
}

// KeyFlags are those of a command that may ask with an API key.
type KeyFlags struct {
	Flags
	Key
}

// Need is which credential a command asks with, and what helps where it is refused.
type Need struct {
	Token, Key bool           // which kinds the operations take; of both, a token goes first
	Issue      string         // what makes such a credential
	Next       map[int]string // what to do next, by the status of a refusal; beside what always helps
}

// Issuing is what makes a token where serve --dev made none.
const Issuing = "parley token --client ID --account ID"

// Client is a client with the credential that fits.
func (f *Flags) Client(need Need) (*Client, error) { return New(f.URL, f.Token.Token, "", need) }

// Client is a client with the credential that fits.
func (f *KeyFlags) Client(need Need) (*Client, error) {
	return New(f.URL, f.Token.Token, f.APIKey, need)
}

// New is a client of the node at the address.
func New(address, token, key string, need Need) (*Client, error) {
	address = strings.TrimRight(cmp.Or(strings.TrimSpace(address), DefaultURL), "/")
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, exit.Wrongf("--url: %q is not the address of a node, such as %s", address, DefaultURL)
	}
	c := &Client{base: address, need: need, http: &http.Client{}}
	token, key = bare(token), bare(key)
	switch {
	case need.Token && token != "":
		c.header, c.credential = "auth", token
	case need.Key && key != "":
		c.header, c.credential = "x-api-key", key
	case need.Token:
		text := "a token is needed: set PARLEY_TOKEN or --token"
		if need.Key {
			text = "a credential is needed: set PARLEY_TOKEN (or --token) or PARLEY_API_KEY (or --api-key)"
		}
		return nil, exit.Wrongf("%s. Issue one with: %s, or, beside parley serve --dev, name its folder with --data, or source its dev.env", text,
			cmp.Or(need.Issue, Issuing))
	default:
		return nil, exit.Wrongf("an API key is needed: set PARLEY_API_KEY or --api-key; a token does not do here. Make one with: %s",
			cmp.Or(need.Issue, "parley keys create"))
	}
	if strings.ContainsAny(c.credential, " \t\r\n") {
		return nil, exit.Wrongf("the credential has a space or a line end in it: is it whole, and is it one?")
	}
	return c, nil
}

// bare is a credential as it was pasted.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 7 && strings.EqualFold(text[:7], "bearer ") {
		text = strings.TrimSpace(text[7:])
	}
	return text
}

// Account is the account of the token, which some operations want to be told beside it;
// empty when it cannot be read. The node verifies it.
func (c *Client) Account() string {
	parts := strings.Split(c.credential, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Account string `json:"accountId"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Account
}

// Path is a path with its values escaped, so that no id leads elsewhere.
func Path(form string, values ...string) string {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = url.PathEscape(v)
	}
	return fmt.Sprintf(form, escaped...)
}
