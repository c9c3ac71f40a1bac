package tokens_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Given tokens of a widget and of an app, then each is taken from where it is for, for as long as
// it is good and its channel is there.
func TestTokensOfWidgetsAndApps(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	channels := map[string]tokens.SDKChannel{
		"sdk-web": {ProjectID: "shop", KeyID: "ak-1", Page: true, AllowedOrigins: []string{"https://shop.example", "https://b.example"}},
		"sdk-app": {ProjectID: "shop", KeyID: "ak-1", AllowedOrigins: []string{"https://shop.example"}},
	}
	var down error
	s := tokens.SDK{Secret: []byte("thirty-two bytes of a secret key"), Now: func() time.Time { return now },
		Channel: func(_ context.Context, tenant, id string) (tokens.SDKChannel, bool, error) {
			c, ok := channels[id]
			return c, ok && tenant == "acme", down
		}}
	grant := func(edit ...func(*tokens.SDKGrant)) string {
		g := tokens.SDKGrant{TenantID: "acme", ProjectID: "shop", ChannelID: "sdk-web", SessionID: "s-1", Origin: "https://shop.example",
			Issued: now, Expires: now.Add(tokens.SDKSession)}
		for _, e := range edit {
			e(&g)
		}
		token, err := s.Issue(g)
		require.NoError(t, err)
		return token
	}
	app := func(g *tokens.SDKGrant) { g.ChannelID, g.Origin = "sdk-app", "" }
	share := func(g *tokens.SDKGrant) { g.SessionID, g.Origin, g.Expires = "", "", now.Add(tokens.SDKShared) }
	page := func(origin string) *string { return &origin }
	gone := func(g *tokens.SDKGrant) { g.ChannelID = "sdk-none" }
	stranger := func(g *tokens.SDKGrant) { g.TenantID = "other" }
	moved := func(g *tokens.SDKGrant) { g.ProjectID = "other" }
	other := s
	other.Secret = []byte("another secret of thirty-two byte")
	foreign, err := other.Issue(tokens.SDKGrant{TenantID: "acme", ProjectID: "shop", ChannelID: "sdk-web", SessionID: "s-1", Issued: now,
		Expires: now.Add(time.Minute)})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		token   string
		page    *string
		session bool
		code    fault.Code
	}{
		"its page":                  {grant(), page("https://shop.example"), true, ""},
		"another page of the key":   {grant(), page("https://b.example"), true, fault.Forbidden},
		"a page that is not listed": {grant(), page("https://evil.example"), true, fault.Forbidden},
		"no page":                   {grant(), nil, true, fault.Forbidden},
		"an app":                    {grant(app), nil, true, ""},
		"an app in a page":          {grant(app), page("https://shop.example"), true, ""},
		"an app in another page":    {grant(app), page("https://evil.example"), true, fault.Forbidden},
		"a share":                   {grant(share), page("https://b.example"), false, ""},
		"a share as a session's":    {grant(share), page("https://b.example"), true, fault.Unauthorized},
		"a session's as a share":    {grant(), page("https://shop.example"), false, fault.Unauthorized},
		"a channel that is gone":    {grant(gone), page("https://shop.example"), true, fault.Unauthorized},
		"of another account":        {grant(stranger), page("https://shop.example"), true, fault.Unauthorized},
		"of another project":        {grant(moved), page("https://shop.example"), true, fault.Unauthorized},
		"too late": {grant(func(g *tokens.SDKGrant) { g.Issued, g.Expires = now.Add(-time.Hour), now.Add(-31*time.Minute) }),
			page("https://shop.example"), true, fault.Unauthorized},
		"signed by somebody else": {foreign, page("https://shop.example"), true, fault.Unauthorized},
		"nonsense":                {"x.y.z", page("https://shop.example"), true, fault.Unauthorized},
	} {
		p, err := s.Verify(t.Context(), c.token, c.page, c.session)
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, []string{"acme", "shop", "ak-1"}, []string{p.TenantID, p.ProjectID, p.KeyID}, name)
		require.Equal(t, c.session, p.Kind == access.SDKCredential && p.SessionID == "s-1", name)
	}
	for _, g := range []tokens.SDKGrant{{SessionID: "s", Issued: now, Expires: now},
		{SessionID: "s", Issued: now, Expires: now.Add(time.Hour)}, {Issued: now, Expires: now.Add(25 * time.Hour)}} {
		_, err := s.Issue(g)
		require.Error(t, err)
	}
	_, err = tokens.SDK{}.Issue(tokens.SDKGrant{})
	require.Error(t, err)
	_, err = tokens.SDK{}.Verify(t.Context(), grant(), nil, true)
	require.True(t, fault.Is(err, fault.Unauthorized), "who has no key takes none")
	down = errors.New("away")
	_, err = s.Verify(t.Context(), grant(), page("https://shop.example"), true)
	require.ErrorIs(t, err, down)
}
