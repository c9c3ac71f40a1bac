// Package vault owns the master key and everything derived from it: sealing of
// secrets before they are put in events, and keyed hashes (of API keys, request
// ids, stream names, fingerprints).
//
// All key material is one Tink keyset in one file. Losing that file loses every
// sealed secret and every keyed hash: API keys stop working, and what was sealed
// can never be opened again. So it is backed up apart from the log it protects.
//
// The keyset holds two kinds of keys. AEAD keys seal; more can be added, and what
// was sealed with older ones still opens (keyset.go). Exactly one HKDF key is the
// secret from which the keys of hashes are derived, one per purpose; nothing here
// ever replaces it, because hashes made with another one would never match again.
//
// The package never logs, and its errors never hold a secret, a sealed text or a
// piece of the keyset.
package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// sealedPrefix makes a sealed text recognisable, and the format changeable.
const sealedPrefix = "sealed:v1:"

// ErrNotOpened is returned for a text that this vault cannot open: it was not
// sealed here, with another context, or with a key that is gone. Which of these it
// is cannot be told.
var ErrNotOpened = errors.New("the sealed text cannot be opened with this keyset and context")

// Vault seals, opens and hashes. It is safe for concurrent use.
type Vault struct {
	path     string
	changing sync.Mutex // one change of the keyset at a time
	sealer   atomic.Pointer[tink.AEAD]
	hashes   *hashKeys
}

// hashKeys derives and remembers the key of each purpose.
type hashKeys struct {
	secret  prf.PRF
	derived sync.Map // purpose -> []byte
}

// Context names what a secret is sealed for: tenant, kind and field, for example.
// Parts are delimited by their lengths, so that no two lists give one context.
func Context(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

// Seal encrypts a secret for a context, which must be given again to open it. Two
// sealings of the same secret differ. The result is text that can stand in JSON.
func (v *Vault) Seal(plaintext []byte, context string) (string, error) {
	sealed, err := (*v.sealer.Load()).Encrypt(plaintext, []byte(context))
	if err != nil {
		return "", errors.New("sealing a secret failed")
	}
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Unseal opens what Seal gave, for the same context; any failure is ErrNotOpened.
func (v *Vault) Unseal(sealed, context string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, sealedPrefix)
	if !ok {
		return nil, ErrNotOpened
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrNotOpened
	}
	plaintext, err := (*v.sealer.Load()).Decrypt(raw, []byte(context))
	if err != nil {
		return nil, ErrNotOpened
	}
	return plaintext, nil
}

// MAC is HMAC-SHA256 over the parts, each preceded by its length, under the key of
// the purpose: 32 bytes, the same for ever as long as the keyset file lives.
// Purposes are constants of the program ("api-key", "request-id"): their keys are
// remembered. Compare two of them with hmac.Equal.
func (v *Vault) MAC(purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, v.hashes.key(purpose))
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// Fingerprint is MAC as 64 hexadecimal digits, for events and read models.
func (v *Vault) Fingerprint(purpose string, parts ...string) string {
	return hex.EncodeToString(v.MAC(purpose, parts...))
}

func (k *hashKeys) key(purpose string) []byte {
	if key, ok := k.derived.Load(purpose); ok {
		return key.([]byte)
	}
	// 32 bytes are far below what HKDF-SHA256 can give, its only refusal.
	key, err := k.secret.ComputePRF([]byte("parley mac "+purpose), sha256.Size)
	if err != nil {
		panic("vault: deriving a hash key failed")
	}
	kept, _ := k.derived.LoadOrStore(purpose, key)
	return kept.([]byte)
}

func newVault(path string, h *keyset.Handle) (*Vault, error) {
	sealing, hashing, err := split(h)
	if err != nil {
		return nil, err
	}
	sealer, err := aead.New(sealing)
	if err != nil {
		return nil, errors.New("its AEAD keys cannot be used")
	}
	set, err := prf.NewPRFSet(hashing)
	if err != nil {
		return nil, errors.New("its HKDF key cannot be used")
	}
	v := &Vault{path: path, hashes: &hashKeys{secret: set.PRFs[set.PrimaryID]}}
	v.sealer.Store(&sealer)
	return v, nil
}
