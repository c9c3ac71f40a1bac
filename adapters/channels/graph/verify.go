package graph

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// The credentials that connections of all kinds of Meta have: the secret of the app, by which
// Meta signs, and the word that it shows when it asks whether we are there.
const (
	AppSecret   = "appSecret"
	VerifyToken = "verifyToken"
)

// Verify refuses what Meta did not send for the app of a connection.
func Verify(c channels.Connection, r channels.Request) error {
	if r.Method == http.MethodGet {
		_, err := challenge(c, r)
		return err
	}
	secret := c.Credentials.Reveal(AppSecret)
	if secret == "" {
		return fault.New(fault.Unauthorized, "the connection has no app secret, with which Meta signs")
	}
	given, is := strings.CutPrefix(r.Get("X-Hub-Signature-256"), "sha256=")
	sum, err := hex.DecodeString(given)
	if !is || err != nil || len(sum) != sha256.Size {
		return fault.New(fault.Unauthorized, "the header X-Hub-Signature-256 is missing, or no signature")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(r.Body)
	if !hmac.Equal(mac.Sum(nil), sum) {
		return fault.New(fault.Unauthorized, "the signature is not of this request and this connection")
	}
	return nil
}

// Challenge is the answer to the question whether we are there.
func Challenge(c channels.Connection, r channels.Request) (channels.Answer, error) {
	word, err := challenge(c, r)
	return channels.Answer{ContentType: "text/plain", Body: []byte(word)}, err
}

// longest is how long a challenge may be.
const longest = 256

// challenge is the word that Meta wants back.
func challenge(c channels.Connection, r channels.Request) (string, error) {
	address, err := url.Parse(r.URL)
	if err != nil {
		return "", fault.New(fault.Forbidden, "the query cannot be read")
	}
	query := address.Query()
	want, word := c.Credentials.Reveal(VerifyToken), query.Get("hub.challenge")
	switch {
	case !wire.Same(want, query.Get("hub.verify_token")):
		return "", fault.New(fault.Forbidden, "hub.verify_token is missing, or not that of this connection")
	case query.Get("hub.mode") != "subscribe":
		return "", fault.New(fault.Forbidden, "hub.mode is not subscribe")
	case word == "" || len(word) > longest:
		return "", fault.New(fault.Forbidden, "hub.challenge is missing or too long")
	}
	return word, nil
}
