package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// opaque is what a decoder would change: digits, order, spellings, and a name that comes twice.
const opaque = `{"z":1e308,"a":12345678901234567890,"m":1.0,"a":-0,"t":"\u00e9\/<&>\ud83d\ude00","e":[1E+2,{}]}`

// What is the caller's own is recorded and shown as it was sent.
func TestMembersOfTheCallersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	t.Run("metadata of a call, in the audit", func(t *testing.T) {
		d.c.a.do(t, "POST", "/api/1.1/public/bot/"+mainApp+"/assist/dialout",
			`{"botId":"`+mainApp+`","target":"tel:+15550000005","caller":"15550100","metadata": `+opaque+` }`, "auth", d.token).must(t, 200)
		require.Contains(t, d.c.b.do(t, "GET", "/api/v1/events?category=calls", nil, "auth", d.token).must(t, 200).Text, `"metadata":`+opaque+`,`)
	})
	t.Run("metaInfo of a conversation", func(t *testing.T) {
		d.events(t, "kept", enters("NA", "a1")).ok(t)
		require.Contains(t, d.patch(t, "kept", `{"metaInfo": `+opaque+` }`).must(t, 200).Text, `"metaInfo":`+opaque)
		require.Contains(t, d.c.b.do(t, "GET", conversationPath("kept"), nil, "auth", d.token).must(t, 200).Text, `"metaInfo":`+opaque)
	})
}
