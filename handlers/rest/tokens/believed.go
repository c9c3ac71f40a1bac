package tokens

import (
	"context"
	"crypto"
	"crypto/sha256"

	"github.com/golang-jwt/jwt/v5"
)

const (
	maxBelieved      = 4096    // tokens that are remembered
	maxBelievedToken = 2 << 10 // characters; a longer one is read each time
)

// believed remembers what tokens say whose signature held, and with which key: a client sends one with each
// of its requests, and to read it costs more than to judge it. Whose it is, whether that client still has
// that key, and until when the token is good, is judged each time. A token that was refused is never here.
type believed struct {
	tokens bounded[[sha256.Size]byte, believedToken] // by their hashes
}

func newBelieved() *believed {
	return &believed{tokens: bounded[[sha256.Size]byte, believedToken]{most: maxBelieved}}
}

type believedToken struct {
	parsed *jwt.Token // its header; never changed
	claims claims     // never changed
	key    any        // with which the signature held, as named says it
}

func (b *believed) get(token string) (believedToken, bool) {
	if len(token) > maxBelievedToken {
		return believedToken{}, false
	}
	return b.tokens.get(sha256.Sum256([]byte(token)))
}

func (b *believed) put(token string, t believedToken) {
	if len(token) <= maxBelievedToken {
		b.tokens.put(sha256.Sum256([]byte(token)), t)
	}
}

// again finds a token that was believed, where its client has that key today and its times are right. Any
// other is read once more from its first character, which finds out what is wrong with it.
func (v *Verifier) again(ctx context.Context, token string) (client ClientRecord, t believedToken, ok bool) {
	if t, ok = v.believed.get(token); !ok {
		return client, t, false
	}
	client, err := v.clientOf(ctx, t.claims)
	if err != nil {
		return client, t, false
	}
	key, err := v.keyOf(ctx, client, t.parsed)
	return client, t, err == nil && sameKey(named(key), t.key) && v.times.Validate(t.claims) == nil
}

// named is a key to compare others with: a secret's hash, so that no secret stays behind its client; a public
// key is itself.
func named(key any) any {
	if secret, ok := key.([]byte); ok {
		return sha256.Sum256(secret)
	}
	return key
}

// sameKey compares what named says. What it does not know, as a whole set, is never the same.
func sameKey(a, b any) bool {
	switch a := a.(type) {
	case [sha256.Size]byte:
		return a == b
	case interface{ Equal(crypto.PublicKey) bool }:
		return a.Equal(b)
	default:
		return false
	}
}
