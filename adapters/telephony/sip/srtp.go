package sip

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/pion/srtp/v3"
)

// A key of SDES (RFC 4568): 16 bytes that encrypt, 14 that salt.
const (
	keyBytes = 16
	keySalt  = 14
)

func newKey() []byte {
	key := make([]byte, keyBytes+keySalt)
	_, _ = rand.Read(key) // it never fails
	return key
}

func keyText(key []byte) string { return base64.StdEncoding.EncodeToString(key) }

// crypto takes the first key that we can use: one for the whole session, of the suite that all have.
func (s *section) crypto(value string) {
	f := strings.Fields(value)
	if s.key != nil || len(f) < 3 || f[1] != cryptoName {
		return
	}
	inline, ok := strings.CutPrefix(f[2], "inline:")
	if !ok {
		return
	}
	inline, _, _ = strings.Cut(inline, "|") // its life and its index, of which the one is longer than any call, and the other one
	key, err := base64.StdEncoding.DecodeString(inline)
	if err != nil || len(key) != keyBytes+keySalt {
		return
	}
	s.key, s.keyTag = key, f[0]
}

// seal makes of a key what seals, or opens, and that once.
func seal(key []byte) (*srtp.Context, error) {
	c, err := srtp.CreateContext(key[:keyBytes], key[keyBytes:], srtp.ProtectionProfileAes128CmHmacSha1_80, srtp.SRTPReplayProtection(128))
	if err != nil {
		return nil, fmt.Errorf("taking a key of the sound: %w", err)
	}
	return c, nil
}
