package email

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
)

// A conversation goes by a token: of the first mail in it. It stands behind the + of the address that
// is answered to, and in the ids of our own mails, so that nothing has to be remembered.

var (
	base    = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	isToken = regexp.MustCompile(`^[a-z2-7]{16}$`)
	ours    = regexp.MustCompile(`^parley\.([a-z2-7]{16})\.[0-9a-f]{16}@`)
)

// tokenOf is that of the conversation that a mail with an id began.
func tokenOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base.EncodeToString(sum[:])[:16]
}

// idOf is that of one of our mails, the same for each try.
func idOf(token, reference, domain string) string {
	sum := sha256.Sum256([]byte(reference))
	return "parley." + token + "." + hex.EncodeToString(sum[:8]) + "@" + domain
}

// tokenIn is the token in an id of one of our mails.
func tokenIn(id string) string {
	if found := ours.FindStringSubmatch(id); found != nil {
		return found[1]
	}
	return ""
}

// cut is an address in its parts: before the +, behind it, and the domain.
func cut(address string) (local, domain, plus string) {
	local, domain, _ = strings.Cut(strings.ToLower(address), "@")
	local, plus, _ = strings.Cut(local, "+")
	return local, domain, plus
}

// mostReferences are named in an answer: the first, and the last ones.
const mostReferences = 20

// reply is where an answer goes, and what it answers.
type reply struct {
	To         string   `json:"to"`
	Subject    string   `json:"subject,omitempty"`
	InReplyTo  string   `json:"inReplyTo,omitempty"`
	References []string `json:"references,omitempty"`
	Token      string   `json:"token"`
}

func (r reply) address() string {
	if n := len(r.References); n > mostReferences {
		r.References = append([]string{r.References[0]}, r.References[n-mostReferences+1:]...)
	}
	out, _ := json.Marshal(r) // of texts, which always can be
	return string(out)
}

func addressed(to string) (r reply, err error) {
	if err = json.Unmarshal([]byte(to), &r); err != nil {
		return r, err
	}
	if !isAddress(r.To) || !isToken.MatchString(r.Token) {
		return r, errors.New("it is no address")
	}
	return r, nil
}
