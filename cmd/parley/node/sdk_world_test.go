package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
)

const (
	sdkChannelsPath = "/api/projects/" + mainAlias + "/sdk-channels"
	sdkInit         = "/api/v1/sdk/init"
	sdkConfig       = "/api/v1/sdk/config/" + mainAlias
	shop            = "https://shop.example"
)

// sdkWorld is a tenant with a public key for the pages of a shop, and agents that are deployed.
type sdkWorld struct {
	talkWorld
	key, keyID string
}

func newSDKWorld(t *testing.T) sdkWorld { return sdkWorldOf(t, newTalkWorld(t)) }

func sdkWorldOf(t *testing.T, talks talkWorld) sdkWorld {
	t.Helper()
	w := sdkWorld{talkWorld: talks}
	w.key, w.keyID = w.keyOfKind(t, mainScope, access.PublicKey, shop, "http://localhost:3000")
	w.deploy(t, "production")
	return w
}

// widget makes a channel and answers its members.
func (w sdkWorld) widget(t *testing.T, more fields, headers ...string) map[string]any {
	t.Helper()
	body := fields{"name": "Shop", "channelType": "web", "publicApiKeyId": w.keyID}.and(more)
	return w.ask(t, "POST", sdkChannelsPath, body, headers...).must(t, 201).channel(t)
}

func (a *answer) channel(t *testing.T) map[string]any {
	t.Helper()
	var out struct {
		Success bool
		Channel map[string]any
	}
	a.into(t, &out)
	require.True(t, out.Success)
	return out.Channel
}
