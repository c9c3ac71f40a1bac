//go:build !apache

package node_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// odd ids are what SIP Call-IDs, URNs and addresses of messengers look like; the last
// two lie one in the other, as parts of stream names do.
var oddIDs = []string{"a84b4c76e66710@pc33.example.com", "urn:uuid:3d1f", "19:meeting_x@thread.v2", "..:@", ".hidden",
	"conv.1", "conv.1.2", "conv"}

// spellings are the ways in which a client may write an id into a path.
func spellings(id string) []string {
	each := strings.NewReplacer(":", "%3A", "@", "%40", ".", "%2E")
	return []string{id, url.PathEscape(id), url.QueryEscape(id), each.Replace(id), strings.ToLower(each.Replace(id))}
}

// TestHookConversationsWithOddIDs: what a hook calls a conversation is what every
// operation takes and shows, escaped or not.
func TestHookConversationsWithOddIDs(t *testing.T) {
	t.Parallel()
	w := newPresenceWorld(t, "a-1")
	for _, id := range oddIDs {
		w.tell(t, id, enters("NA", "seat 7"))
		w.hooks.hook(t, w.c.a, id, says("USER", "I am "+id)).ok(t)
		w.tell(t, id, leaves("NA", "seat 7"), finishes())
	}
	for _, id := range oddIDs {
		t.Run(id, func(t *testing.T) {
			for i, spelt := range spellings(id) {
				shown := w.hooks.shown(t, spelt, "")
				require.Equal(t, id, shown.Conversation.ConversationID, spelt)
				require.Len(t, shown.Messages, 1)
				require.Equal(t, "I am "+id, shown.Messages[0]["query"])
				disposition := []string{spelt, "by spelling", string(rune('a' + i))}
				var noted struct {
					ConversationID string   `json:"conversationId"`
					Dispositions   []string `json:"dispositions"`
				}
				w.c.a.do(t, http.MethodPatch, conversationPath(spelt), fields{"dispositions": disposition}, "auth", w.auth).must(t, 200).into(t, &noted)
				require.Equal(t, id, noted.ConversationID)
				require.Equal(t, disposition, w.hooks.shown(t, id, "").Conversation.Dispositions)
			}
			w.hooks.refusedAfterTheEnd(t, id)
		})
	}
	for _, bad := range []string{"conv.1.3", "a%2Fb", "%2E", "%2E%2E", "a%00", "conv%20", "%ff"} {
		w.c.b.do(t, http.MethodGet, conversationPath(bad), nil, "auth", w.auth).refused(t, 404, fault.NotFound)
	}

	var listed []string
	var page struct{ Conversations []map[string]any }
	w.c.b.do(t, http.MethodGet, strings.TrimSuffix(conversationPath(""), "/")+"?limit=200", nil, "auth", w.auth).must(t, 200).into(t, &page)
	for _, c := range page.Conversations {
		listed = append(listed, c["conversationId"].(string))
	}
	require.ElementsMatch(t, oddIDs, listed)

	var detailed []string
	for _, r := range w.report(t, everyOptionalField).Data {
		require.Equal(t, r["sessionId"], r["conversationId"])
		detailed = append(detailed, r["conversationId"].(string))
	}
	require.ElementsMatch(t, oddIDs, detailed)

	entered := map[string]bool{}
	a := newAnalyst(t, w.c.b, w.tenant)
	until(t, "the analytics", func() bool {
		clear(entered)
		for _, e := range a.figures(t, "/analytics/events?category=agent&limit=200").Data.Events {
			if about, ok := e["metadata"].(map[string]any); ok && about["conversationId"] != nil {
				entered[about["conversationId"].(string)] = true
			}
		}
		return len(entered) >= len(oddIDs)
	})
	require.ElementsMatch(t, oddIDs, slices.Collect(maps.Keys(entered)))
}

// refusedAfterTheEnd: it is the same conversation to a hook too.
func (d *desk) refusedAfterTheEnd(t *testing.T, id string) {
	t.Helper()
	d.events(t, id, enters("NA", "seat 8")).refusedHook(t, 400, "ended")
}
