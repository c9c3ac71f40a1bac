package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// Who may call what: one line per sentence of docs/api-rules.md "Credentials", "JWT"
// and "What a permission opens".
func TestRequirements(t *testing.T) {
	nobody := access.Principal{}
	token := access.Principal{Kind: access.TokenCredential, Origin: access.OriginApp}
	dialout := access.Principal{Kind: access.TokenCredential, Scopes: []access.ClientScope{access.ScopeAssistDialout}}
	reader := access.Principal{Kind: access.TokenCredential, Permissions: []access.Permission{access.PermSessionRead}}
	channels := access.Principal{Kind: access.TokenCredential, Permissions: []access.Permission{"channel:*"}}
	admin := access.Principal{Kind: access.TokenCredential, Origin: access.OriginAdmin, Scopes: []access.ClientScope{
		access.ScopeRoleManagement}}
	sameFromApp := access.Principal{Kind: access.TokenCredential, Origin: access.OriginApp, Scopes: []access.ClientScope{
		access.ScopeRoleManagement}}
	key := func(p ...access.KeyPermission) access.Principal {
		return access.Principal{Kind: access.KeyCredential, KeyPermissions: p}
	}
	widget := access.Principal{Kind: access.PublicKeyCredential, KeyPermissions: []access.KeyPermission{access.AppFull}}

	code := access.Principal{Kind: access.SandboxCredential, SessionID: "s-1"}
	operator := access.Principal{Kind: access.TokenCredential, Operator: true, Permissions: []access.Permission{access.PermAdminApply}}
	roles := access.TokenOnly(access.ScopeRoleManagement).From(access.OriginAdmin)
	for _, c := range []struct {
		name string
		need access.Requirement
		who  access.Principal
		want fault.Code // empty: may
	}{
		{"public takes nobody", access.Public, nobody, ""},
		{"public takes anybody", access.Public, token, ""},
		{"an operation that forgot to state is closed", access.Requirement{}, admin, fault.Forbidden},

		{"keys take the full key permission", access.KeyOnly(access.CanManageKeys), key(access.APIScopeKeyFull), ""},
		{"VIEW does not suffice", access.KeyOnly(access.CanManageKeys), key(access.APIScopeKeyView), fault.Forbidden},
		{"EDIT does not suffice", access.KeyOnly(access.CanManageKeys), key(access.APIScopeKeyEdit), fault.Forbidden},
		{"nor does all of the app", access.KeyOnly(access.CanManageKeys), key(access.AppFull), fault.Forbidden},
		{"a token is the wrong kind", access.KeyOnly(access.CanManageKeys), dialout, fault.Unauthorized},
		{"nobody is unauthorized", access.KeyOnly(access.CanManageKeys), nobody, fault.Unauthorized},
		{"a public key is not an API key", access.KeyOnly(access.CanManageKeys), widget, fault.Unauthorized},

		{"memory takes the token of code", access.SandboxOnly(), code, ""},
		{"which opens nothing else", access.TokenOnly(), code, fault.Unauthorized},
		{"nor where keys are taken", access.Needs(access.PermSessionRead), code, fault.Unauthorized},
		{"memory takes no other token", access.SandboxOnly(), admin, fault.Unauthorized},
		{"memory takes no key", access.SandboxOnly(), key(access.AppFull), fault.Unauthorized},
		{"memory is not public", access.SandboxOnly(), nobody, fault.Unauthorized},

		{"dial-out takes its scope", access.TokenOnly(access.ScopeAssistDialout), dialout, ""},
		{"another scope is not enough", access.TokenOnly(access.ScopeAssistVoicemail), dialout, fault.Forbidden},
		{"any of several scopes", access.TokenOnly(access.ScopeRouting, access.ScopeAssistDialout), dialout, ""},
		{"a key is the wrong kind", access.TokenOnly(access.ScopeAssistDialout), key(access.AppFull), fault.Unauthorized},

		{"an operator is not just anybody with a token", access.TokenOnly(), operator, fault.Forbidden},
		{"anybody with a token", access.TokenOnly(), reader, ""},
		{"an operator may what its permissions say", access.Needs(access.PermAdminApply), operator, ""},

		{"roles need the admin console", roles, admin, ""},
		{"the scope alone does not suffice", roles, sameFromApp, fault.Forbidden},

		{"a permission by name", access.Needs(access.PermSessionRead), reader, ""},
		{"a permission by resource", access.Needs(access.PermChannelDelete), channels, ""},
		{"any of several permissions", access.Needs(access.PermAgentWrite, access.PermSessionRead), reader, ""},
		{"another permission", access.Needs(access.PermSessionExecute), reader, fault.Forbidden},
		{"a scope is no permission", access.Needs(access.PermSessionRead), dialout, fault.Forbidden},
		{"SESSIONS_LIST reads sessions", access.Needs(access.PermSessionRead), key(access.SessionsList), ""},
		{"SESSIONS_LIST creates none", access.Needs(access.PermSessionExecute), key(access.SessionsList), fault.Forbidden},
		{"no key may apply manifests", access.Needs(access.PermAdminApply), key(access.KeyPermissions()...), fault.Forbidden},

		{"signed in takes any token", access.SignedIn(access.CanChat), token, ""},
		{"a key needs the ability", access.SignedIn(access.CanChat), key(access.RunAPI), ""},
		{"and not another", access.SignedIn(access.CanEndSessions), key(access.RunAPI), fault.Forbidden},
		{"nobody is not signed in", access.SignedIn(access.CanChat), nobody, fault.Unauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, fault.CodeOf(c.need.Check(c.who)))
		})
	}
}

// The whole table of docs/api-rules.md "What a permission opens".
func TestKeyPermissionsToAbilities(t *testing.T) {
	for can, want := range map[access.Ability][]access.KeyPermission{
		access.CanManageKeys:                         {access.APIScopeKeyFull},
		access.CanChat:                               {access.AppFull, access.RunAPI},
		access.Ability(access.PermSessionExecute):    {access.AppFull, access.SessionCreation},
		access.Ability(access.PermSessionRead):       {access.AppFull, access.SessionsList},
		access.CanEndSessions:                        {access.AppFull, access.SessionTermination},
		access.CanAttach:                             {access.AppFull, access.DocumentUpload},
		access.Ability(access.PermAgentRead):         {access.AppFull, access.AgentsView, access.AgentsFull},
		access.Ability(access.PermAgentWrite):        {access.AppFull, access.AgentsEdit, access.AgentsFull},
		access.Ability(access.PermContactWrite):      {access.AppFull, access.AgentsFull},
		access.Ability(access.PermProjectExport):     {access.AppView, access.AppFull},
		access.CanListProject:                        {access.AppView, access.AppFull},
		access.Ability(access.PermDeploymentCreate):  {access.AppEdit, access.AppFull},
		access.Ability(access.PermChannelCreate):     {access.AppEdit, access.AppFull},
		access.Ability(access.PermChannelRead):       {access.AppEdit, access.AppFull},
		access.CanDeployDocks:                        {access.AppEdit, access.AppFull},
		access.Ability(access.PermCredentialWrite):   {access.AppFull},
		access.Ability(access.PermCredentialRead):    {access.AppFull},
		access.Ability(access.PermAdminApply):        nil,
		access.Ability(access.PermAuditRead):         nil,
		access.Ability("something nobody has named"): nil,
	} {
		require.Equal(t, want, access.KeyPermissionsFor(can), "%s", can)
	}
}

func TestARequirementSaysWhatIsMissing(t *testing.T) {
	err := access.TokenOnly(access.ScopeAssistDialout).Check(access.Principal{Kind: access.TokenCredential})
	require.ErrorContains(t, err, `needs the scope "Assist Dialout"`)
	err = access.KeyOnly(access.CanManageKeys).Check(access.Principal{Kind: access.KeyCredential})
	require.ErrorContains(t, err, `needs the permission "API_SCOPE_KEY_FULL"`)
	err = access.KeyOnly(access.CanManageKeys).Check(access.Principal{})
	require.ErrorContains(t, err, "takes an API key")

	require.Equal(t, "public", access.Public.String())
	require.Equal(t, "not stated", access.Requirement{}.String())
	require.Equal(t, `a token with the scope "Profile Management > Role Management" of a client of origin "admin"`,
		access.TokenOnly(access.ScopeRoleManagement).From(access.OriginAdmin).String())
	require.Equal(t, `a token with the permission "session:read", or an API key with "APP_FULL" or "SESSIONS_LIST"`,
		access.Needs(access.PermSessionRead).String())
}
