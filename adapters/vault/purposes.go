package vault

// What a secret is sealed for, and under which purpose its fingerprint is made. A
// changed one makes all that was sealed before unreadable.
const (
	PurposeClientSecret  = "client-secret"
	PurposeWebhookSecret = "webhook-secret"
	PurposeTrunkPassword = "trunk-password"
	PurposeNotifyHeaders = "notify-headers"
	PurposeCallerURL     = "caller-url"
	PurposeToolSecret    = "tool-secret"
	PurposeModelKey      = "model-key"
	PurposeCredential    = "channel-credential"

	purposeOperatorToken = "operator-token"
	purposeSandboxToken  = "sandbox-token"
	purposeSDKToken      = "sdk-token"
	purposeCallToken     = "call-token"
)

// ClientSecretContext is what the secret of a tenant's HS256 client is sealed for.
func ClientSecretContext(tenantID, clientID string) string {
	return Context(tenantID, PurposeClientSecret, clientID)
}

// WebhookSecretContext is what the webhook secret of a project is sealed for; the
// project by its id, not by an alias.
func WebhookSecretContext(tenantID, projectID string) string {
	return Context(tenantID, PurposeWebhookSecret, projectID)
}

// TrunkPasswordContext is what the password of a trunk is sealed for; the trunk by
// its name as it is stored.
func TrunkPasswordContext(tenantID, name string) string {
	return Context(tenantID, PurposeTrunkPassword, name)
}

// ModelKeyContext is what the key of a tenant's provider of models is sealed for; the
// provider by its name.
func ModelKeyContext(tenantID, provider string) string {
	return Context(tenantID, PurposeModelKey, provider)
}

// NotifyHeadersContext is what the headers are sealed for that a caller wants to
// have sent with the notifications of a call.
func NotifyHeadersContext(tenantID string) string {
	return Context(tenantID, PurposeNotifyHeaders)
}

// CallerURLContext is what a URL is sealed for that a caller wants to be told at: of
// the notifications of a call, or of the outcome of a transfer.
func CallerURLContext(tenantID string) string {
	return Context(tenantID, PurposeCallerURL)
}

// ToolSecretContext is what the secret of a tool is sealed for; the project by its id.
func ToolSecretContext(tenantID, projectID, secretID string) string {
	return Context(tenantID, PurposeToolSecret, projectID, secretID)
}

// CredentialContext is what a credential of a channel's connection is sealed for.
func CredentialContext(tenantID, connectionID, name string) string {
	return Context(tenantID, PurposeCredential, connectionID, name)
}

// SealClientSecret seals the secret of a client and gives its keyed fingerprint, by
// which another sealing of the same secret for the same client is known as equal.
func (v *Vault) SealClientSecret(tenantID, clientID string, secret []byte) (sealed, fingerprint string, err error) {
	return v.sealFor(PurposeClientSecret, tenantID, clientID, ClientSecretContext(tenantID, clientID), secret)
}

// SealWebhookSecret is the same for the webhook secret of a project.
func (v *Vault) SealWebhookSecret(tenantID, projectID string, secret []byte) (sealed, fingerprint string, err error) {
	return v.sealFor(PurposeWebhookSecret, tenantID, projectID, WebhookSecretContext(tenantID, projectID), secret)
}

// SealTrunkPassword is the same for the password of a trunk.
func (v *Vault) SealTrunkPassword(tenantID, name string, password []byte) (sealed, fingerprint string, err error) {
	return v.sealFor(PurposeTrunkPassword, tenantID, name, TrunkPasswordContext(tenantID, name), password)
}

// SealModelKey is the same for the key of a provider of models.
func (v *Vault) SealModelKey(tenantID, provider string, key []byte) (sealed, fingerprint string, err error) {
	return v.sealFor(PurposeModelKey, tenantID, provider, ModelKeyContext(tenantID, provider), key)
}

// SealCredential is the same for a credential of a channel's connection.
func (v *Vault) SealCredential(tenantID, connectionID, name string, value []byte) (sealed, fingerprint string, err error) {
	if sealed, err = v.Seal(value, CredentialContext(tenantID, connectionID, name)); err != nil {
		return "", "", err
	}
	return sealed, v.Fingerprint(PurposeCredential, tenantID, connectionID, name, string(value)), nil
}

// sealFor makes the fingerprint depend on whose secret it is, so that it does not
// tell that two clients share one.
func (v *Vault) sealFor(purpose, tenantID, id, context string, plaintext []byte) (sealed, fingerprint string, err error) {
	if sealed, err = v.Seal(plaintext, context); err != nil {
		return "", "", err
	}
	return sealed, v.Fingerprint(purpose, tenantID, id, string(plaintext)), nil
}

// OperatorSecret is the secret with which the tokens of the built-in issuer of
// operators are signed, 32 bytes: whoever holds the keyset can define the first
// tenant.
func (v *Vault) OperatorSecret(issuer string) []byte { return v.MAC(purposeOperatorToken, issuer) }

// SandboxSecret is the secret with which the tokens of agents' code are signed, 32 bytes:
// nodes give them out and take them themselves.
func (v *Vault) SandboxSecret() []byte { return v.MAC(purposeSandboxToken) }

// SDKSecret is the secret with which the tokens of widgets and apps are signed, 32 bytes.
func (v *Vault) SDKSecret() []byte { return v.MAC(purposeSDKToken) }

// CallSecret is the secret with which the tokens of calls from pages are signed, 32 bytes.
func (v *Vault) CallSecret() []byte { return v.MAC(purposeCallToken) }
