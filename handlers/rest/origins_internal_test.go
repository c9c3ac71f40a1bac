package rest

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// publicKeys knows one public key, which pages of one shop may use.
type publicKeys struct{ tokens.Directory }

func (publicKeys) APIKey(context.Context, []byte) (tokens.KeyRecord, error) {
	return tokens.KeyRecord{ID: "ak-1", TenantID: "acme", Public: true,
		AllowedOrigins: []string{"https://shop.example", "http://localhost:3000"}}, nil
}

// The Origin of a request with a public key is one of the key's, to the letter. It is
// checked where keys are, so that no operation which takes them can forget it. Apps have none;
// whether the channel is for them is said by the channel.
func TestAPublicKeyIsForItsOrigins(t *testing.T) {
	secret := access.NewSecret(access.PublicKey, [access.SecretBytes]byte{1})
	a := &API{cfg: Config{Directory: publicKeys{}, HashKey: func(string) []byte { return nil }}}
	for _, c := range []struct {
		name    string
		origins []string
		taken   bool
	}{
		{"the key's", []string{"https://shop.example"}, true},
		{"another of the key's", []string{"http://localhost:3000"}, true},
		{"none", nil, true},
		{"empty", []string{""}, false},
		{"of a page without one", []string{"null"}, false},
		{"another scheme", []string{"http://shop.example"}, false},
		{"another port", []string{"https://shop.example:8443"}, false},
		{"a subdomain", []string{"https://a.shop.example"}, false},
		{"the key's as a beginning", []string{"https://shop.example.evil.example"}, false},
		{"more than an origin", []string{"https://shop.example/"}, false},
		{"two", []string{"https://shop.example", "https://evil.example"}, false},
		{"the same twice", []string{"https://shop.example", "https://shop.example"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{"Origin": c.origins}
			h.Set("X-Api-Key", secret)
			found := credentials(h)
			require.Len(t, found, 1)

			p, err := a.verify(t.Context(), found[0])

			if c.taken {
				require.NoError(t, err)
				require.Equal(t, "ak-1", p.KeyID)
				return
			}
			require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
		})
	}
}
