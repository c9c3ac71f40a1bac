package node_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Blanks around a text that is trimmed do not count, whatever the text names; those that are left
// are counted.
func TestNamesAreCountedWithoutTheBlanksAroundThem(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	blanks, of := strings.Repeat(" ", 400), func(n int) string { return strings.Repeat("n", n) }

	contact := fields{"displayName": blanks + of(200), "department": of(200) + blanks, "employeeId": blanks + of(100),
		"company": blanks + of(200), "accountRef": blanks + of(200), "channel": blanks + of(64)}
	made := w.ask(t, "POST", contactsPath, byMail(blanks+"ann@example.com").and(contact)).must(t, 201).contact(t)
	require.Equal(t, []any{"ann@example.com", of(200), of(200), of(100), of(200), of(200), of(64)}, []any{made["identity"],
		made["displayName"], made["department"], made["employeeId"], made["company"], made["accountRef"], made["channel"]})
	path := contactsPath + "/" + made["id"].(string)
	require.Equal(t, of(200), w.ask(t, "PATCH", path, contact).must(t, 200).contact(t)["displayName"])
	found := w.ask(t, "GET", contactsPath+"/lookup?identity="+url.QueryEscape(blanks+"ann@example.com"), nil).must(t, 200).contact(t)
	require.Equal(t, made["id"], found["id"])
	w.ask(t, "PATCH", path, fields{"displayName": of(201), "channel": of(65)}).refused(t, 400, fault.Validation, "displayName", "channel")
	w.ask(t, "POST", contactsPath, fields{"identity": of(257), "identityType": "external"}).refused(t, 400, fault.Validation, "identity")

	require.Equal(t, of(100), w.widget(t, fields{"name": blanks + of(100)})["name"])
	w.ask(t, "POST", sdkChannelsPath, fields{"name": of(101), "channelType": "web", "publicApiKeyId": w.keyID}).
		refused(t, 400, fault.Validation, "name")

	id := external()
	connected := w.connect(t, connection(blanks+id, fields{"name": blanks + of(300)}))
	require.Equal(t, []any{id, of(300)}, []any{connected["externalIdentifier"], connected["name"]})
	w.ask(t, "POST", connectionsPath, connection(external(), fields{"name": of(301)})).refused(t, 400, fault.Validation, "name")

	agent := fields{"name": "talker", "dslContent": "AGENT: talker\n", "description": blanks + of(1000)}
	w.ask(t, "POST", agentsPath, agent).must(t, 201)
	w.ask(t, "POST", agentsPath, agent.and(fields{"name": "other", "description": of(1001)})).refused(t, 400, fault.Validation, "description")
}
