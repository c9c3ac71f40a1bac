package vault_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

func TestASecretOpensOnlyForWhomItWasSealed(t *testing.T) {
	v, err := vault.Create(filepath.Join(t.TempDir(), "keyset.json"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		seal    func(tenant, id string, secret []byte) (string, string, error)
		context func(tenant, id string) string
	}{
		vault.PurposeClientSecret:  {v.SealClientSecret, vault.ClientSecretContext},
		vault.PurposeWebhookSecret: {v.SealWebhookSecret, vault.WebhookSecretContext},
		vault.PurposeTrunkPassword: {v.SealTrunkPassword, vault.TrunkPasswordContext},
		vault.PurposeModelKey:      {v.SealModelKey, vault.ModelKeyContext},
	} {
		t.Run(name, func(t *testing.T) {
			sealed, print1, err := c.seal("acme", "one", []byte("the secret"))
			require.NoError(t, err)
			again, print2, err := c.seal("acme", "one", []byte("the secret"))
			require.NoError(t, err)
			require.NotEqual(t, sealed, again)
			require.Equal(t, print1, print2, "equal secrets of one thing are known as equal")

			plain, err := v.Unseal(sealed, c.context("acme", "one"))
			require.NoError(t, err)
			require.Equal(t, "the secret", string(plain))

			for _, other := range [][2]string{{"acme", "two"}, {"globex", "one"}} {
				_, err = v.Unseal(sealed, c.context(other[0], other[1]))
				require.ErrorIs(t, err, vault.ErrNotOpened)
				_, foreign, err := c.seal(other[0], other[1], []byte("the secret"))
				require.NoError(t, err)
				require.NotEqual(t, print1, foreign, "a fingerprint does not tell that two share a secret")
			}
			_, changed, err := c.seal("acme", "one", []byte("another secret"))
			require.NoError(t, err)
			require.NotEqual(t, print1, changed)
		})
	}
}

// What was sealed before these names existed must still open.
func TestPurposesAreForEver(t *testing.T) {
	require.Equal(t, vault.Context("acme", "client-secret", "crm"), vault.ClientSecretContext("acme", "crm"))
	require.Equal(t, vault.Context("acme", "webhook-secret", "bot"), vault.WebhookSecretContext("acme", "bot"))
	require.Equal(t, vault.Context("acme", "trunk-password", "main"), vault.TrunkPasswordContext("acme", "main"))
	require.Equal(t, vault.Context("acme", "model-key", "own"), vault.ModelKeyContext("acme", "own"))
	require.Equal(t, vault.Context("acme", "notify-headers"), vault.NotifyHeadersContext("acme"))
	require.Equal(t, vault.Context("acme", "caller-url"), vault.CallerURLContext("acme"))

	v, err := vault.Create(filepath.Join(t.TempDir(), "keyset.json"))
	require.NoError(t, err)
	require.Equal(t, v.MAC("operator-token", "parley-operator"), v.OperatorSecret("parley-operator"))
	require.Len(t, v.OperatorSecret("parley-operator"), 32)
	require.Equal(t, v.MAC("sandbox-token"), v.SandboxSecret())
}
