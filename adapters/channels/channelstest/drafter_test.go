package channelstest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/channels"
)

// Drafts is how the carrier shows what is being written.
func (c carrier) Drafts(to string) (channels.Drafts, bool) {
	return channels.Drafts{Every: time.Second, Kept: true}, to != "a group"
}

// Draft shows it.
func (c carrier) Draft(ctx context.Context, conn channels.Connection, d channels.Draft) channels.Outcome {
	if c.Check(conn) != nil && !c.is("drafts without an account") {
		return channels.Outcome{Status: channels.NotTaken, Code: "ACCOUNT", Reason: "the token is missing", Denied: true}
	}
	if problem := (channels.Limits{Text: most}).Problem(d.Text); problem != "" {
		return channels.Outcome{Status: channels.Refused, Code: "TOO_LONG", Reason: problem}
	}
	if c.is("shows a draft anew each time") {
		d.ID = ""
	}
	out, _ := c.put(ctx, conn, "/drafts/"+d.ID, d.To, d.Text)
	return out
}

// put has a text in the place of another; false: there is none.
func (c carrier) put(ctx context.Context, conn channels.Connection, path, to, text string) (channels.Outcome, bool) {
	body, _ := json.Marshal(map[string]string{"to": to, "text": text})
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+conn.Credentials.Reveal("token"))
	res, err := c.client().Do(req)
	if err != nil {
		return channels.Outcome{Reason: "the carrier did not answer"}, true
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusGone && !c.is("gives up with its draft") {
		return channels.Outcome{}, false
	}
	return channels.Outcome{Status: channels.Taken, ProviderMessageID: "draft-1"}, true
}

// drafted is what the carrier wants of drafts.
func drafted() *Drafts {
	const draftID = "draft-1"
	return &Drafts{To: "ann@example.com", Nowhere: "a group", Taken: Reply{Status: 200}, ID: draftID,
		Edited: Reply{Status: 200}, Gone: Reply{Status: 410},
		Problem: func(step string, r *http.Request, _ []byte) string {
			want := map[string]string{DraftFirst: "/drafts/", DraftAgain: "/drafts/" + draftID, DraftFinal: "/messages/" + draftID}[step]
			if r.Method != http.MethodPut || r.URL.Path != want {
				return r.Method + " " + r.URL.Path
			}
			return ""
		}}
}
