package access

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// LongestRSA is the longest RSA key that verifies tokens, in bits: the work grows with the square of the length, and whoever has a
// token, a forged one too, makes us do it.
const LongestRSA = 8192

// keyType is what a JWK must be to verify an algorithm.
type keyType struct {
	kty, curve string
	public     map[string]int // required members and their least length in bytes
}

var (
	rsaKey = &keyType{kty: "RSA", public: map[string]int{"n": 256, "e": 1}}

	// keyTypes are the algorithms of clients with published keys.
	keyTypes = map[string]*keyType{
		"RS256": rsaKey, "RS384": rsaKey, "RS512": rsaKey,
		"ES256": {kty: "EC", curve: "P-256", public: map[string]int{"x": 32, "y": 32}},
		"ES384": {kty: "EC", curve: "P-384", public: map[string]int{"x": 48, "y": 48}},
		"ES512": {kty: "EC", curve: "P-521", public: map[string]int{"x": 66, "y": 66}},
		"EdDSA": {kty: "OKP", curve: "Ed25519", public: map[string]int{"x": 32}},
	}

	// privateMembers must never reach an event: a published key has none of them.
	privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
)

// maxJWKS bounds a document in bytes; a real one has a few keys of 1 KB.
const maxJWKS = 64 << 10

// checkJWKS gives the document in one canonical form, so that layout is no change.
// Every key in it must be public, and one at least must be able to verify the
// algorithm: an identity provider publishes keys of several kinds in one document.
// Problems never quote the document, which may hold a private key by mistake.
func checkJWKS(document, alg string) (canonical, problem string) {
	if len(document) > maxJWKS {
		return "", fmt.Sprintf("must be at most %d bytes", maxJWKS)
	}
	var set map[string]any
	if json.Unmarshal([]byte(document), &set) != nil {
		return "", "must be a JSON object with a list of keys"
	}
	keys, _ := set["keys"].([]any)
	if len(keys) == 0 {
		return "", "must have at least one key in keys"
	}
	if problem := checkKeys(keys, alg); problem != "" {
		return "", problem
	}
	out, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		return "", "must be a JSON object with a list of keys"
	}
	return string(out), ""
}

// checkKeys tells why none of the keys will do by what is wrong with the first.
func checkKeys(keys []any, alg string) string {
	usable, first := false, ""
	for i, k := range keys {
		key, _ := k.(map[string]any)
		for _, member := range privateMembers {
			if _, private := key[member]; private {
				return fmt.Sprintf("keys[%d] holds private key material; publish the public part only", i)
			}
		}
		problem := checkJWK(key, alg)
		if problem == "" {
			usable = true
		} else if first == "" {
			first = fmt.Sprintf("keys[%d] %s", i, problem)
		}
	}
	if usable {
		return ""
	}
	return first
}

func checkJWK(key map[string]any, alg string) string {
	want := keyTypes[alg]
	if key["kty"] != want.kty {
		return fmt.Sprintf("must have kty %s to verify %s", want.kty, alg)
	}
	if want.curve != "" && key["crv"] != want.curve {
		return fmt.Sprintf("must have crv %s to verify %s", want.curve, alg)
	}
	if use, ok := key["use"]; ok && use != "sig" {
		return "is not for signatures"
	}
	if a, ok := key["alg"]; ok && a != alg {
		return fmt.Sprintf("is for another algorithm than %s", alg)
	}
	for _, member := range []string{"n", "e", "x", "y"} {
		if least, needed := want.public[member]; needed && !longEnough(key[member], least) {
			return fmt.Sprintf("must have %s of at least %d bytes in base64url", member, least)
		}
	}
	if want == rsaKey && len(bytesOf(key["n"])) > LongestRSA/8 {
		return fmt.Sprintf("must have n of at most %d bytes", LongestRSA/8)
	}
	return ""
}

func longEnough(member any, least int) bool { return len(bytesOf(member)) >= least }

// bytesOf is what a member holds, nothing where it is no base64url.
func bytesOf(member any) []byte {
	text, _ := member.(string)
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return raw
}
