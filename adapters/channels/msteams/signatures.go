package msteams

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"github.com/golang-jwt/jwt/v5"
)

const mostSigned = 10_000 // signatures that are remembered

// signatures remembers which tokens a key has signed: Microsoft sends what happens for an hour with the same
// one, and to check its signature costs more than all the rest. What a token says, and until when, is judged each time.
type signatures struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*rsa.PublicKey
}

// by is whether a key has signed a token of three parts. A key that is there no more has signed nothing: it is
// looked up before.
func (s *signatures) by(key *rsa.PublicKey, token string, parts []string) bool {
	of := sha256.Sum256([]byte(token))
	s.mu.Lock()
	known := s.known[of]
	s.mu.Unlock()
	if known == key {
		return true
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	signed := token[:len(token)-len(parts[2])-1]
	if err != nil || jwt.SigningMethodRS256.Verify(signed, signature, key) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSigned {
		s.known = map[[sha256.Size]byte]*rsa.PublicKey{}
	}
	s.known[of] = key
	return true
}
