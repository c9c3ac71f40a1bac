package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

func TestATokenNeverGrantsMoreThanItsClientHas(t *testing.T) {
	client := []access.ClientScope{access.ScopeAssistDialout, access.ScopeRouting, access.ScopeRouting}
	require.Equal(t, []access.ClientScope{access.ScopeRouting},
		access.CutScopes(client, []access.ClientScope{access.ScopeCampaigns, access.ScopeRouting}))
	require.Empty(t, access.CutScopes(client, nil), "a token that names no scope is granted none")
	require.Empty(t, access.CutScopes(nil, client))
}

func TestPermissionsAreCutByNameAndByResource(t *testing.T) {
	for _, c := range []struct {
		name                string
		client, token, want []access.Permission
	}{
		{"the same", []access.Permission{"agent:read"}, []access.Permission{"agent:read"}, []access.Permission{"agent:read"}},
		{"client has all of it", []access.Permission{"channel:*"}, []access.Permission{"channel:read"}, []access.Permission{"channel:read"}},
		{"token asks all of it", []access.Permission{"channel:read", "agent:read"}, []access.Permission{"channel:*"},
			[]access.Permission{"channel:read"}},
		{"both all of it", []access.Permission{"channel:*"}, []access.Permission{"channel:*"}, []access.Permission{"channel:*"}},
		{"nothing in common", []access.Permission{"channel:*"}, []access.Permission{"agent:read"}, nil},
		{"a token cannot ask for everything", []access.Permission{"agent:read"}, []access.Permission{"*", ":*"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, access.CutPermissions(c.client, c.token))
		})
	}
}

func TestActorsAreNamed(t *testing.T) {
	require.Equal(t, "user:ada@crm", access.Principal{Kind: access.TokenCredential, Subject: "ada", ClientID: "crm"}.Actor())
	require.Equal(t, "key:ak-1", access.Principal{Kind: access.KeyCredential, KeyID: "ak-1"}.Actor())
	require.Equal(t, "tool:tc-1@s-1", access.Principal{Kind: access.SandboxCredential, Subject: "tc-1", SessionID: "s-1"}.Actor())
	require.Empty(t, access.Principal{}.Actor())
}

func TestAWidgetMayDoWhatItsChannelOffers(t *testing.T) {
	widget := access.Principal{Kind: access.SDKCredential, Chats: true}
	require.NoError(t, widget.MayChat())
	require.ErrorContains(t, widget.MaySpeak(), "the SDK channel has no voice: its config says so (voiceEnabled)")
	require.True(t, fault.Is(widget.MaySpeak(), fault.Forbidden))
	widget.Chats, widget.Speaks = false, true
	require.NoError(t, widget.MaySpeak())
	require.ErrorContains(t, widget.MayChat(), "the SDK channel has no chat: its config says so (chatEnabled)")
	user := access.Principal{Kind: access.TokenCredential}
	require.NoError(t, user.MayChat())
	require.NoError(t, user.MaySpeak())
}
