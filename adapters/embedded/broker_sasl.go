package embedded

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash"
	"strings"
)

// errLogin is what a client is told whose login is refused; not which half was wrong.
var errLogin = errors.New("the user or the password is wrong")

// conversation is one login: what a client sends is answered, until it is done.
type conversation interface {
	step(token []byte) (answer []byte, done bool, err error)
}

// credentials are what the broker knows of its one user. The password is kept for
// PLAIN, compared in constant time.
type credentials struct {
	user, password string
	scram          map[string]scramSecret
}

func newCredentials(user, password string) (*credentials, error) {
	c := &credentials{user: user, password: password, scram: map[string]scramSecret{}}
	for name, hash := range map[string]func() hash.Hash{"SCRAM-SHA-256": sha256.New, "SCRAM-SHA-512": sha512.New} {
		secret, err := newScramSecret(hash, password)
		if err != nil {
			return nil, fmt.Errorf("preparing %s: %w", name, err)
		}
		c.scram[name] = secret
	}
	return c, nil
}

// begin begins a login; nil if there is no such mechanism.
func (c *credentials) begin(mechanism string) conversation {
	if mechanism == "PLAIN" {
		return plainLogin{c}
	}
	if secret, known := c.scram[mechanism]; known {
		return &scramLogin{user: c.user, secret: secret}
	}
	return nil
}

type plainLogin struct{ known *credentials }

func (l plainLogin) step(token []byte) ([]byte, bool, error) {
	parts := strings.Split(string(token), "\x00")
	if len(parts) != 3 || parts[0] != "" && parts[0] != parts[1] {
		return nil, false, errLogin
	}
	if same(parts[1], l.known.user)&same(parts[2], l.known.password) != 1 {
		return nil, false, errLogin
	}
	return nil, true, nil
}

// same compares without saying by its time how far two texts agree.
func same(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
