package embedded

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"hash"
	"strings"
)

// scramRounds is the least that RFC 7677 and Kafka want; a generated password needs no
// more.
const scramRounds = 4096

// scramSecret is what a server keeps for SCRAM (RFC 5802) instead of the password.
type scramSecret struct {
	hash                 func() hash.Hash
	salt                 []byte
	storedKey, serverKey []byte
}

func newScramSecret(h func() hash.Hash, password string) (scramSecret, error) {
	s := scramSecret{hash: h, salt: []byte(rand.Text())}
	salted, err := pbkdf2.Key(h, password, s.salt, scramRounds, h().Size())
	if err != nil {
		return s, err
	}
	s.storedKey, s.serverKey = s.digest(s.mac(salted, "Client Key")), s.mac(salted, "Server Key")
	return s, nil
}

func (s scramSecret) mac(key []byte, text string) []byte {
	m := hmac.New(s.hash, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func (s scramSecret) digest(of []byte) []byte {
	h := s.hash()
	h.Write(of)
	return h.Sum(nil)
}

// scramLogin is the server's side of one login. It takes what Apache Kafka takes: the
// kcat of Debian 12 (librdkafka before 2.2) says its own nonce twice in its last message,
// which libraries for SCRAM refuse.
type scramLogin struct {
	user        string
	secret      scramSecret
	header      string // what the client's first message began with
	clientFirst string // that message without it
	nonce       string
	serverFirst string
}

func (l *scramLogin) step(token []byte) ([]byte, bool, error) {
	if l.serverFirst == "" {
		return l.first(string(token))
	}
	return l.last(string(token))
}

// first takes "n,,n=USER,r=NONCE".
func (l *scramLogin) first(message string) ([]byte, bool, error) {
	parts := strings.SplitN(message, ",", 3)
	if len(parts) != 3 || parts[0] != "n" && parts[0] != "y" || parts[1] != "" && scramName(parts[1], "a=") != l.user {
		return nil, false, errLogin
	}
	l.header, l.clientFirst = parts[0]+","+parts[1]+",", parts[2]
	fields := strings.Split(parts[2], ",")
	if len(fields) < 2 || scramName(fields[0], "n=") != l.user {
		return nil, false, errLogin
	}
	nonce, found := strings.CutPrefix(fields[1], "r=")
	if !found || nonce == "" {
		return nil, false, errLogin
	}
	l.nonce = nonce + rand.Text()
	l.serverFirst = fmt.Sprintf("r=%s,s=%s,i=%d", l.nonce, base64.StdEncoding.EncodeToString(l.secret.salt), scramRounds)
	return []byte(l.serverFirst), false, nil
}

// last takes "c=HEADER,r=NONCE,p=PROOF".
func (l *scramLogin) last(message string) ([]byte, bool, error) {
	without, proof, found := cutLast(message, ",p=")
	fields := strings.Split(without, ",")
	if !found || len(fields) < 2 || fields[0] != "c="+base64.StdEncoding.EncodeToString([]byte(l.header)) {
		return nil, false, errLogin
	}
	if !strings.HasPrefix(fields[1], "r=") || !strings.HasSuffix(fields[1], l.nonce) {
		return nil, false, errLogin
	}
	proved, err := base64.StdEncoding.DecodeString(proof)
	if err != nil || len(proved) != len(l.secret.storedKey) {
		return nil, false, errLogin
	}
	said := l.clientFirst + "," + l.serverFirst + "," + without
	for i, b := range l.secret.mac(l.secret.storedKey, said) {
		proved[i] ^= b
	}
	if !hmac.Equal(l.secret.digest(proved), l.secret.storedKey) {
		return nil, false, errLogin
	}
	return []byte("v=" + base64.StdEncoding.EncodeToString(l.secret.mac(l.secret.serverKey, said))), true, nil
}

// scramName is the name in a field, with its two escapes.
func scramName(field, prefix string) string {
	name, found := strings.CutPrefix(field, prefix)
	if !found {
		return ""
	}
	return strings.NewReplacer("=2C", ",", "=3D", "=").Replace(name)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
