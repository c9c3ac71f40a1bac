//go:build !apache

package node_test

import (
	"archive/zip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const personExportsPath = "/api/v1/privacy/exports"

// handedOut is what is known of somebody, by file.
func handedOut(t *testing.T, on *server, auth string, identities ...fields) map[string]string {
	t.Helper()
	text := on.do(t, "POST", personExportsPath, fields{"identities": identities}, "auth", auth).must(t, http.StatusOK).Text
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files[f.Name] = string(content)
	}
	return files
}

// Given somebody who was called, was written to, and is on a list with somebody else, when
// another node hands out what is known of her, then it is all of hers, readable, and nothing
// of his; that it was is on the log; and when she is erased nothing is known of her any more.
func TestWhatIsKnownOfAPersonIsHandedOut(t *testing.T) {
	t.Parallel()
	soon := func(c *node.Config) { c.ErasureCalm = time.Millisecond }
	w := newCallWorld(t, soon)
	other := w.cluster.start(t, soon)
	her := fields{"kind": "telephone", "value": "+1 (555) 000-0001"}
	told := newReceiver(t, func(int, notified) int { return http.StatusOK })
	call := w.dialOut(t, aCall().and(fields{"metadata": fields{"CustomerFirstName": "Annabelle"}, "notifyurl": told.url}))
	w.delivered(t, call.CallID, 2)
	w.ended(t, w.dialOut(t, aCall().and(fields{"target": "tel:+15550000002", "metadata": fields{"CustomerFirstName": "Bertrand"}})).CallID)
	written, _ := w.one.text(t, "+15550000001")
	w.one.textEnded(t, written)
	w.one.apply(t, "ContactList", "vips", "VIPs", fields{"projectId": mainApp, "contacts": []any{
		fields{"phoneNumber": "+15550000002", "firstName": "Bertrand"}, fields{"phoneNumber": "+15550000001", "firstName": "Annabelle"}}})
	phone := func(number, display string) fields {
		return fields{"identity": number, "identityType": "phone", "displayName": display}
	}
	contact := w.ask(t, "POST", contactsPath, phone("+15550000001", "Annabelle Known")).must(t, 201).contact(t)
	w.ask(t, "POST", contactsPath, phone("+15550000002", "Bertrand Known")).must(t, 201)

	files := handedOut(t, other, w.auth, her)
	var about struct {
		DisclosureID string         `json:"disclosureId"`
		Streams      map[string]int `json:"streams"`
	}
	require.NoError(t, json.Unmarshal([]byte(files["about.json"]), &about))
	require.Regexp(t, "^dc-"+uuidForm+"$", about.DisclosureID)
	require.Equal(t, 1, about.Streams["calls"])
	require.Equal(t, 1, about.Streams["messages"])
	require.Equal(t, 1, about.Streams["contactlists"])
	require.Equal(t, 1, about.Streams["contacts"])
	require.Contains(t, files["contacts/"+contact["id"].(string)+".json"], "Annabelle Known")
	all := ""
	for name, content := range files {
		all += name + "\n" + content
	}
	require.Contains(t, files["calls/"+call.CallID+".json"], "Annabelle")
	require.Contains(t, files["calls/"+call.CallID+".json"], `"target": "tel:+15550000001"`)
	require.Contains(t, files["messages/"+written+".json"], "15550000001")
	require.Contains(t, files["deliveries/call-"+call.CallID+".json"], told.url)
	var lists []string
	for name, content := range files {
		if strings.HasPrefix(name, "contactlists/") {
			lists = append(lists, content)
		}
	}
	require.Len(t, lists, 1)
	require.Contains(t, lists[0], "Annabelle")
	for _, his := range []string{"ertrand", "15550000002", "[erased]", `"~`} {
		require.NotContains(t, all, his)
	}

	var list struct {
		Exports []struct {
			DisclosureID string         `json:"disclosureId"`
			By           string         `json:"by"`
			Streams      map[string]int `json:"streams"`
			At           string         `json:"at"`
		} `json:"exports"`
	}
	w.do(t, "GET", personExportsPath+"?limit=1", nil, "auth", w.auth).must(t, 200).into(t, &list)
	require.Equal(t, about.DisclosureID, list.Exports[0].DisclosureID)
	require.Equal(t, about.Streams, list.Exports[0].Streams)
	require.NotEmpty(t, list.Exports[0].By)
	require.Regexp(t, isoForm, list.Exports[0].At)
	require.NotContains(t, w.do(t, "GET", "/api/v1/events?category=disclosures", nil, "auth", w.auth).must(t, 200).Text, "5550000001")

	require.Len(t, handedOut(t, w.server, w.two.token(t), her), 1, "another account knows nothing of her")
	w.erased(t, other, w.erase(t, her).Erasure.ErasureID)
	require.Len(t, handedOut(t, other, w.auth, her), 1, "who is erased is not known")
}

func TestExportsOfPersonsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	body := func(kind, value string) fields { return fields{"identities": []fields{{"kind": kind, "value": value}}} }
	for field, in := range map[string]fields{
		"identities": {}, "identities ": {"identities": []fields{}}, "identities[0].kind": body("shoe", "42"),
		"identities[0].value": body("telephone", "Ann"),
	} {
		c.a.do(t, "POST", personExportsPath, in, "auth", w.token(t)).refused(t, 400, fault.Validation, strings.TrimSpace(field))
	}
	lesser := w.token(t, func(g *tokens.Grant) {
		g.Permissions = []access.Permission{access.PermAuditRead, access.PermPersonalRead, access.PermPrivacyErase}
	})
	c.a.do(t, "POST", personExportsPath, body("telephone", "+15550001"), "auth", lesser).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", personExportsPath, nil, "auth", lesser).refused(t, 403, fault.Forbidden)
}
