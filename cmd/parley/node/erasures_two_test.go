package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Given Annabelle, who wrote in a chat, and Bertrand, who was called in the same conversation,
// when he is erased, then soon neither node shows him by any query, and she is
// whole, but for what was said in that conversation until then, which was of both; when she is
// erased too, then nobody shows her either, nor what was said there in between.
func TestOneOfTwoPersonsInAConversationIsErased(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, erasesSoon)
	nodes := []*server{w.server, w.cluster.start(t, erasesSoon)}
	w.one.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": readingAgent})
	w.one.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	var begun struct{ Session map[string]string }
	w.ask(t, "POST", sessionsPath, fields{"agentId": "bot/meter"}).must(t, 201).into(t, &begun)
	chat := begun.Session["id"]
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": chat,
		"message": "Annabelle from Ashgrove here"}).must(t, 200)
	contact := func(mail, display string) string {
		return w.ask(t, "POST", contactsPath, byMail(mail).and(fields{"displayName": display})).must(t, 201).contact(t)["id"].(string)
	}
	hers, his := contact("annabelle@example.com", "Annabelle"), contact("bertrand@example.com", "Bertrand")
	call := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000002", "metadata": fields{"CustomerFirstName": "Bertrand"}}))
	called := w.ended(t, call.CallID).SessionID
	for id, session := range map[string]string{hers: chat, his: called} {
		w.ask(t, "POST", contactsPath+"/"+id+"/link-session", fields{"sessionId": session}).must(t, 200)
	}
	talk := conversationPath(call.CallID)
	hook := func(author, text string) {
		w.ask(t, "POST", hookPath+mainApp, fields{"conversationId": call.CallID, "botId": mainApp}.and(says(author, text))).ok(t)
	}
	w.ask(t, "POST", hookPath+mainApp, fields{"conversationId": call.CallID, "botId": mainApp,
		"events": []any{enters("NA", "a1")}}).ok(t)
	hook("USER", "Annabelle says rosebud")
	hook("USER", "Bertrand says snowdrop")
	w.ask(t, "PATCH", talk, fields{"sessionId": chat, "agentNotes": []string{"Bertrand and Annabelle agree"}}).must(t, 200)

	queries := queriesOfPeople(talk, "/api/v1/sessions/"+chat+"/transcripts", "/api/v1/sessions/"+called+"/transcripts",
		sessionsPath+"/"+chat+"/traces", sessionsPath+"/"+called+"/traces", sessionsPath+"/"+chat, sessionsPath+"/"+called,
		contactsPath+"/"+hers, contactsPath+"/"+his, "/api/v1/events?limit=200&stream=session-"+chat,
		"/api/v1/events?limit=200&stream=call-"+call.CallID, "/api/v1/events?limit=200&category=conversations")
	for _, on := range nodes {
		all, err := on.found(w.auth, queries)
		require.NoError(t, err)
		require.Len(t, shows(all, "15550000002", "bertrand", "snowdrop", "annabelle", "rosebud", "ashgrove"), 6, "the search sees both: %s", all)
	}

	asked := w.erase(t, fields{"kind": "telephone", "value": "+15550000002"}, fields{"kind": "email", "value": "bertrand@example.com"})
	gone(t, nodes, w.auth, queries, "15550000002", "bertrand", "snowdrop")
	w.ask(t, "PATCH", talk, fields{"dispositionRemarks": []string{"Annabelle goes on alone"}}).must(t, 200)
	w.erased(t, nodes[1], asked.Erasure.ErasureID)
	for _, on := range nodes {
		read := func(path string) string { return on.do(t, "GET", path, nil, "auth", w.auth).must(t, 200).Text }
		require.Contains(t, read("/api/v1/sessions/"+chat+"/transcripts"), "Annabelle from Ashgrove here")
		require.Contains(t, read(contactsPath+"/"+hers), "annabelle@example.com")
		require.Contains(t, read(talk), "Annabelle goes on alone", "what is said later is of who is still there")
		require.Contains(t, read("/api/v1/events?limit=200&category=conversations"), "Annabelle goes on alone")
	}
	require.Empty(t, shows(wholeDatabase(t, w.cluster.database), "15550000002", "bertrand", "snowdrop"))

	asked = w.erase(t, fields{"kind": "email", "value": "annabelle@example.com"})
	gone(t, nodes, w.auth, queries, "annabelle", "rosebud", "ashgrove")
	w.erased(t, nodes[1], asked.Erasure.ErasureID)
	var transcript struct{ Messages []map[string]any }
	nodes[1].do(t, "GET", "/api/v1/sessions/"+chat+"/transcripts", nil, "auth", w.auth).must(t, 200).into(t, &transcript)
	for _, m := range transcript.Messages {
		if m["role"] == "assistant" {
			nodes[1].do(t, "POST", "/api/v1/feedback", fields{"sessionId": chat, "messageId": m["id"], "rating": "up",
				"comment": "Annabelle was here"}, "auth", w.auth).refused(t, 410, fault.Gone)
		}
	}
	require.Empty(t, shows(wholeDatabase(t, w.cluster.database), "annabelle", "rosebud", "ashgrove", "bertrand", "snowdrop"))
	require.Empty(t, w.cluster.check(t, nodes[1]), "rebuilt it is the same")
}
