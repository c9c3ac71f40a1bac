package access

import (
	"math/big"
	"strings"
)

// KeyKind tells a secret API key from a public one, by the prefix of its secret.
type KeyKind string

// The kinds of API keys: a secret one is for servers, a public one may stand in a page.
const (
	SecretKey KeyKind = "secret" // sk_: service to service
	PublicKey KeyKind = "public" // pk_: in client code, held to its allowed origins
)

const (
	secretPrefix = "sk_"
	publicPrefix = "pk_"

	// SecretBytes is how much randomness a secret holds, in bytes.
	SecretBytes = 32

	secretDigits  = 43 // base62 digits that hold 32 bytes, leading zeros kept
	displayDigits = 6  // digits of the secret that lists may show
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// Prefix is what every secret of the kind begins with.
func (k KeyKind) Prefix() string {
	if k == PublicKey {
		return publicPrefix
	}
	return secretPrefix
}

// NewSecret gives random bytes the form of an API key: the kind's prefix and 43
// characters of base62. Every secret has the same length.
func NewSecret(kind KeyKind, random [SecretBytes]byte) string {
	digits := make([]byte, secretDigits)
	rest, radix, digit := new(big.Int).SetBytes(random[:]), big.NewInt(int64(len(base62))), new(big.Int)
	for i := len(digits) - 1; i >= 0; i-- {
		rest.DivMod(rest, radix, digit)
		digits[i] = base62[digit.Int64()]
	}
	return kind.Prefix() + string(digits)
}

// RecogniseSecret tells by its prefix whether a credential means to be an API key,
// and of which kind. It says nothing about the rest: a malformed key is a wrong
// key, not another kind of credential.
func RecogniseSecret(credential string) (KeyKind, bool) {
	switch {
	case strings.HasPrefix(credential, secretPrefix):
		return SecretKey, true
	case strings.HasPrefix(credential, publicPrefix):
		return PublicKey, true
	}
	return "", false
}

// ParseSecret reports whether a credential has the full form of an API key. One
// that has not cannot exist and needs no lookup.
func ParseSecret(credential string) (KeyKind, bool) {
	kind, ok := RecogniseSecret(credential)
	if !ok {
		return "", false
	}
	digits := credential[len(kind.Prefix()):]
	if len(digits) != secretDigits {
		return "", false
	}
	for i := range len(digits) {
		if strings.IndexByte(base62, digits[i]) < 0 {
			return "", false
		}
	}
	return kind, true
}

// DisplayPrefix is the part of a secret that lists and events may show so that
// people tell keys apart: the prefix and 6 characters. It is empty for what is not
// an API key.
func DisplayPrefix(secret string) string {
	kind, ok := ParseSecret(secret)
	if !ok {
		return ""
	}
	return secret[:len(kind.Prefix())+displayDigits]
}
