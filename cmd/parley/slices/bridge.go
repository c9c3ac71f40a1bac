package slices

import (
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// signBridge signs the token by which the code of a tool comes back for its memory.
func (n Needs) signBridge(b acts.Bridge) (string, error) {
	now := n.Now()
	return tokens.Sandbox{Secret: n.Vault.SandboxSecret()}.Issue(tokens.SandboxGrant{TenantID: b.Tenant, ProjectID: b.Project,
		SessionID: b.Session, ToolCallID: b.Call, Stores: b.Stores, Issued: now, Expires: now.Add(b.For)})
}
