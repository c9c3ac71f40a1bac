package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// ID names a data key: 16 bytes that nobody guesses, spelled as 22 letters of URL-safe base64.
type ID [16]byte

// String is the spelling in ce_keyid and in sealed members.
func (id ID) String() string { return coding.EncodeToString(id[:]) }

// ParseID reads the spelling.
func ParseID(s string) (id ID, err error) {
	if len(s) != idLength {
		return id, fmt.Errorf("key id %.40q is not %d letters of base64", s, idLength)
	}
	if _, err := coding.Decode(id[:], []byte(s)); err != nil {
		return id, fmt.Errorf("key id %q: %w", s, err)
	}
	return id, nil
}

// idLength is that of a spelled ID.
const idLength = 22

// coding has one spelling for a value: what is left over of the last letter must be zero.
var coding = base64.RawURLEncoding.Strict()

// Key is a data key. It may be used by many at once. A node remembers many of them and uses
// each a few times, so it holds the secret and no cipher that is ready: that would be twenty
// times as large, and takes less than a microsecond to make.
type Key struct {
	ID     ID
	secret [SecretSize]byte
}

// SecretSize is how many bytes a data key has: AES-256.
const SecretSize = 32

// NewKey makes the key of an id and its secret.
func NewKey(id ID, secret [SecretSize]byte) Key { return Key{id, secret} }

// String is the id: a secret is never printed.
func (k Key) String() string { return k.ID.String() }

// GoString is the id too.
func (k Key) GoString() string { return k.ID.String() }

// Wrapped is the secret as it is wrapped by the master key; nobody else is shown it.
func (k Key) Wrapped(wrap func(secret []byte) (string, error)) (string, error) {
	return wrap(k.secret[:])
}

// cipher seals and opens with the key.
func (k Key) cipher() cipher.AEAD {
	block, err := aes.NewCipher(k.secret[:])
	if err != nil {
		panic(err) // only of another size
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only of another block size
	}
	return aead
}

// The two spellings of a sealed member, each followed by "<key id>.<base64>": a string is
// told from any other JSON, so that what stands in its place, when the key is gone, is of the
// form that readers await.
const (
	ofText = "~1."
	ofJSON = "~1j."
)

// What stands in the place of a string that cannot be opened; of other JSON it is null.
const (
	Erased = "[erased]" // the key is gone
	Closed = "[sealed]" // the reader is not to see it
)

// ciphers are those of one event. It keeps the one that was used last: members that follow
// one another mostly have the same key, and making it takes longer than what it does to one.
type ciphers struct {
	id   ID
	last cipher.AEAD
}

func (c *ciphers) of(k Key) cipher.AEAD {
	if c.last == nil || c.id != k.ID {
		c.id, c.last = k.ID, k.cipher()
	}
	return c.last
}

// text seals the JSON of a member, for the event that it is a member of.
func (c *ciphers) text(k Key, value []byte, event string) []byte {
	prefix := ofJSON
	if value[0] == '"' {
		prefix = ofText
	}
	aead := c.of(k)
	room := make([]byte, aead.NonceSize(), aead.NonceSize()+len(value)+aead.Overhead())
	_, _ = rand.Read(room) // never fails
	closed := aead.Seal(room, room, value, []byte(event))
	out := make([]byte, 0, len(prefix)+idLength+3+coding.EncodedLen(len(closed)))
	out = append(append(out, '"'), prefix...)
	out = append(coding.AppendEncode(out, k.ID[:]), '.')
	return append(coding.AppendEncode(out, closed), '"')
}

// sealing is a member that is spelled like a sealed one.
type sealing struct {
	key   ID
	bytes []byte // base64 of the nonce and what was sealed
	text  bool   // it was a string
}

// parse reads the text between the quotes; false for what is not spelled so.
func parse(s []byte) (sealing, bool) {
	rest, text := bytes.CutPrefix(s, []byte(ofText))
	if !text {
		var ok bool
		if rest, ok = bytes.CutPrefix(s, []byte(ofJSON)); !ok {
			return sealing{}, false
		}
	}
	if len(rest) <= idLength || rest[idLength] != '.' {
		return sealing{}, false
	}
	var id ID
	_, err := coding.Decode(id[:], rest[:idLength])
	return sealing{id, rest[idLength+1:], text}, err == nil
}

var errForeign = errors.New("not sealed here, or not with this key")

// open is the JSON that was sealed.
func (c *ciphers) open(k Key, s sealing, event string) ([]byte, error) {
	aead := c.of(k)
	closed, err := coding.AppendDecode(nil, s.bytes)
	if err != nil || len(closed) < aead.NonceSize() {
		return nil, errForeign
	}
	nonce, rest := closed[:aead.NonceSize()], closed[aead.NonceSize():]
	value, err := aead.Open(rest[:0], nonce, rest, []byte(event))
	if err != nil || !json.Valid(value) {
		return nil, errForeign
	}
	return value, nil
}

// instead is what stands in the place of a member that is not opened.
func (s sealing) instead(word string) []byte {
	if s.text {
		return []byte(`"` + word + `"`)
	}
	return []byte("null")
}
