package access

import (
	"slices"
	"strings"
)

// KeyPermission is one name in the permission map of a scope of API keys (permissions
// of get-scope).
type KeyPermission string

// The permission names of API-key scopes, verbatim.
const (
	AppView            KeyPermission = "APP_VIEW"
	AppEdit            KeyPermission = "APP_EDIT"
	AppFull            KeyPermission = "APP_FULL"
	AgentsView         KeyPermission = "AGENTS_VIEW"
	AgentsEdit         KeyPermission = "AGENTS_EDIT"
	AgentsFull         KeyPermission = "AGENTS_FULL"
	APIScopeKeyView    KeyPermission = "API_SCOPE_KEY_VIEW"
	APIScopeKeyEdit    KeyPermission = "API_SCOPE_KEY_EDIT"
	APIScopeKeyFull    KeyPermission = "API_SCOPE_KEY_FULL"
	RunAPI             KeyPermission = "RUN_API"
	SessionCreation    KeyPermission = "SESSION_CREATION"
	DocumentUpload     KeyPermission = "DOCUMENT_UPLOAD"
	SessionTermination KeyPermission = "SESSION_TERMINATION"
	SessionsList       KeyPermission = "SESSIONS_LIST"
)

var keyPermissions = []KeyPermission{
	AppView, AppEdit, AppFull, AgentsView, AgentsEdit, AgentsFull,
	APIScopeKeyView, APIScopeKeyEdit, APIScopeKeyFull,
	RunAPI, SessionCreation, DocumentUpload, SessionTermination, SessionsList,
}

// KeyPermissions lists all names that a scope's permission map has, in the order in
// which answers show them.
func KeyPermissions() []KeyPermission { return slices.Clone(keyPermissions) }

// ValidKeyPermission reports whether the name is one of them. Case counts.
func ValidKeyPermission(name string) bool {
	return slices.Contains(keyPermissions, KeyPermission(name))
}

// The two values of a permission in a scope's map.
const (
	Yes = "YES"
	No  = "NO"
)

// ClientScope is the name of an API scope that a client's JWT carries in its `scopes`
// claim (docs/api-rules.md "JWT").
type ClientScope string

// The scope names of JWTs, verbatim. CustomReports and RoleManagement differ by
// where the client was made: the longer name is the Admin Console's.
const (
	ScopeAssistDialout      ClientScope = "Assist Dialout"
	ScopeSearchExport       ClientScope = "the service Export"
	ScopeCustomReports      ClientScope = "Custom Reports"
	ScopeCustomReportsAdmin ClientScope = "Custom Reports > Custom Reports"
	ScopeAssistVoicemail    ClientScope = "Assist Voicemail"
	ScopeRoleManagement     ClientScope = "Profile Management > Role Management"
	ScopeTestsExecution     ClientScope = "Conversation Tests Execution"
	ScopeCampaigns          ClientScope = "Campaign Management"
	ScopeAssistAnalytics    ClientScope = "Assist Analytics"
	ScopeRouting            ClientScope = "Routing"
)

var clientScopes = []ClientScope{
	ScopeAssistDialout, ScopeSearchExport, ScopeCustomReports, ScopeCustomReportsAdmin,
	ScopeAssistVoicemail, ScopeRoleManagement, ScopeTestsExecution,
	ScopeCampaigns, ScopeAssistAnalytics, ScopeRouting,
}

// ClientScopes lists every scope name a JWT can carry.
func ClientScopes() []ClientScope { return slices.Clone(clientScopes) }

// ValidClientScope reports whether the name is one of them. Case counts.
func ValidClientScope(name string) bool { return slices.Contains(clientScopes, ClientScope(name)) }

// Permission is what an operation of the agent runtime asks for, resource:verb. A grant
// may name every verb of a resource: channel:*.
type Permission string

// The permissions of the agent runtime, admin:apply for manifests, audit:read for events,
// personal:read for what is personal in them, privacy:erase to erase persons,
// privacy:export to hand out what is known of one, and privacy:retain to say for how long
// projects keep things. No API key has one of the last six.
const (
	PermSessionExecute   Permission = "session:execute"
	PermSessionRead      Permission = "session:read"
	PermAgentRead        Permission = "agent:read"
	PermAgentWrite       Permission = "agent:write"
	PermDeploymentCreate Permission = "deployment:create"
	PermProjectExport    Permission = "project:export"
	PermCredentialRead   Permission = "credential:read"
	PermCredentialWrite  Permission = "credential:write"
	PermChannelRead      Permission = "channel:read"
	PermChannelCreate    Permission = "channel:create"
	PermChannelUpdate    Permission = "channel:update"
	PermChannelDelete    Permission = "channel:delete"
	PermAdminApply       Permission = "admin:apply"
	PermAuditRead        Permission = "audit:read"
	PermPersonalRead     Permission = "personal:read"
	PermContactWrite     Permission = "contact:write"
	PermPrivacyErase     Permission = "privacy:erase"
	PermPrivacyExport    Permission = "privacy:export"
	PermPrivacyRetain    Permission = "privacy:retain"
)

var permissions = []Permission{
	PermSessionExecute, PermSessionRead, PermAgentRead, PermAgentWrite, PermDeploymentCreate,
	PermProjectExport, PermCredentialRead, PermCredentialWrite,
	PermChannelRead, PermChannelCreate, PermChannelUpdate, PermChannelDelete, PermContactWrite, PermAdminApply, PermAuditRead,
	PermPersonalRead, PermPrivacyErase, PermPrivacyExport, PermPrivacyRetain,
}

// Permissions lists every permission by its full name.
func Permissions() []Permission { return slices.Clone(permissions) }

// ValidPermission reports whether a client may be granted the name: a known
// permission, or resource:* of a known resource.
func ValidPermission(name string) bool {
	return slices.ContainsFunc(permissions, Permission(name).Covers)
}

// Covers reports whether the granted permission gives the wanted one.
func (p Permission) Covers(want Permission) bool {
	if p == want {
		return true
	}
	resource, all := strings.CutSuffix(string(p), ":*")
	return all && resource != "" && strings.HasPrefix(string(want), resource+":")
}
