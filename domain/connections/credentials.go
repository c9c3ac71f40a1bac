package connections

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxCredential is the longest credential, in bytes.
const MaxCredential = 16 << 10

// CredentialNames lists the credentials that connections of the kind may have, and says which of
// them they need.
func (k Kind) CredentialNames() (all, required []string) {
	for _, c := range k.credentials {
		all = append(all, c.name)
		if !c.optional {
			required = append(required, c.name)
		}
	}
	return all, required
}

// Ours lists the credentials that we make where they are not given: words that the provider is told to
// show us.
func (k Kind) Ours() (names []string) {
	for _, c := range k.credentials {
		if c.ours {
			names = append(names, c.name)
		}
	}
	return names
}

// CheckCredentials notes what is wrong with credentials of a connection before they are sealed.
// No problem quotes a value.
func (k Kind) CheckCredentials(f *fault.Fields, external string, given map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		c, known := k.credential(name)
		if !known {
			f.Add(field(name), "is no credential of %s, which has %s", k.Slug, k.list())
			continue
		}
		check := c.check
		if check == nil {
			check = line
		}
		if problem := check(given[name], external); problem != "" {
			f.Add(field(name), "%s", problem)
		}
	}
}

// field names a credential in the body; a name that cannot stand in one is left out.
func field(name string) string {
	if !access.ValidID(name) {
		return "credentials"
	}
	return "credentials." + name
}

func (k Kind) credential(name string) (credential, bool) {
	i := slices.IndexFunc(k.credentials, func(c credential) bool { return c.name == name })
	if i < 0 {
		return credential{}, false
	}
	return k.credentials[i], true
}

func (k Kind) list() string {
	all, _ := k.CredentialNames()
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// lacks notes the credentials without which no connection of the kind works.
func (k Kind) lacks(has map[string]Credential) error {
	var f fault.Fields
	for _, c := range k.credentials {
		if _, there := has[c.name]; !there && !c.optional {
			f.Add(field(c.name), "is required for %s", k.Slug)
		}
	}
	there := func(name string) bool { _, there := has[name]; return there }
	if len(k.oneOf) > 0 && !slices.ContainsFunc(k.oneOf, there) {
		f.Add("credentials", "must hold %s for %s", strings.Join(k.oneOf, " or "), k.Slug)
	}
	for _, pair := range [][2]string{{"apiKeySid", "apiKeySecret"}, {"keyId", "keySecret"}} {
		if there(pair[0]) != there(pair[1]) {
			f.Add("credentials", "must hold both of %s and %s, or neither", pair[0], pair[1])
		}
	}
	return f.Err()
}

// line is a text that can stand in a header.
func line(value, _ string) string {
	return text(value, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// lines is a text that may have several.
func lines(value, _ string) string {
	return text(value, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f })
}

func text(value string, unfit func(rune) bool) string {
	switch {
	case strings.TrimSpace(value) == "":
		return "must not be empty"
	case len(value) > MaxCredential:
		return fmt.Sprintf("must be at most %d bytes", MaxCredential)
	case strings.ContainsFunc(value, unfit):
		return "must not contain control characters"
	}
	return ""
}

// same is for what says once more how the connection is called.
func same(value, external string) string {
	if value != external {
		return "must be the externalIdentifier"
	}
	return ""
}

func telegramToken(value, external string) string {
	id, secret, _ := strings.Cut(value, ":")
	switch {
	case secret == "":
		return "must be a bot's token: its id, a colon, and its secret"
	case id != external:
		return "is the token of another bot than the externalIdentifier"
	}
	return line(value, external)
}

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func telegramSecret(value, _ string) string {
	if !secretToken.MatchString(value) {
		return "must be 1 to 256 letters, digits, _ or -"
	}
	return ""
}

// instagramHosts are where an Instagram account is reached, by the kind of its token.
var instagramHosts = []string{"graph.instagram.com", "graph.facebook.com"}

func instagramHost(value, _ string) string {
	if !slices.Contains(instagramHosts, value) {
		return "must be one of " + strings.Join(instagramHosts, ", ")
	}
	return ""
}

func port(value, _ string) string {
	if n, _ := strconv.Atoi(value); n < 1 || n > 65535 { // what is no number is 0
		return "must be a port: 1 to 65535"
	}
	return ""
}

func mailAddress(value, _ string) string {
	_, problem := address(value)
	return problem
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

func header(value, _ string) string {
	if !headerName.MatchString(value) {
		return "must be the name of a header: 1 to 64 letters, digits or -"
	}
	return ""
}
