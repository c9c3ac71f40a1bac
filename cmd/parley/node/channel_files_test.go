//go:build !apache

package node_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// lookingAgent says what it is told of files.
const lookingAgent = `DSL: 1
AGENT: looker
FLOW:
  START: look
  STEPS:
    look: {SAY: "{{ session.messageMetadata.files }}"}
`

// newLookingWorld is one in which who sends files is told what became of them.
func newLookingWorld(t *testing.T, more ...func(*node.Config)) threadWorld {
	w := newThreadWorld(t, more...)
	w.apply(t, "Agent", "a-looker", "looker", fields{"projectId": mainApp, "dslContent": lookingAgent})
	w.deploy(t, "production", fields{"entryAgentName": "looker"})
	return w
}

// toldOf is what an agent said of the files of a message.
func toldOf(t *testing.T, said any) (files []map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(said.(string)), &files), said)
	return files
}

// attachments are those of the messages of a session.
func (w talkWorld) attachments(t *testing.T, session string) (all []any) {
	t.Helper()
	var said struct{ Messages []map[string]any }
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &said)
	for _, m := range said.Messages {
		if files, is := m["attachments"].([]any); is {
			all = append(all, files...)
		}
	}
	return all
}

// Given a workspace, when somebody sends files, then those that can be had are attachments of the session
// before the agent answers, and the agent knows of the others why not.
func TestFilesOfAWorkspaceChatBecomeAttachments(t *testing.T) {
	t.Parallel()
	w := newLookingWorld(t)
	s := w.slack(t, fields{"agentName": "looker"})
	times := 0
	w.says(func(path string, _ map[string]any) (int, string) {
		switch path {
		case "/f/dot.png":
			return 200, pngBytes
		case "/f/page.png":
			return 200, "<!doctype html><title>Sign in</title>"
		case "/f/late.txt":
			if times++; times == 1 {
				return 503, ""
			}
			return 200, "a note"
		case "/f/gone.png":
			return 404, ""
		}
		return 0, ""
	})
	files := []fields{{"id": "F1", "name": "dot.png", "mimetype": "image/png", "url_private_download": w.URL + "/f/dot.png"},
		{"id": "F2", "name": "page.png", "mimetype": "image/png", "url_private_download": w.URL + "/f/page.png"},
		{"id": "F3", "name": "late.txt", "mimetype": "text/plain", "url_private_download": w.URL + "/f/late.txt"},
		{"id": "F4", "name": "gone.png", "mimetype": "image/png", "url_private_download": w.URL + "/f/gone.png"},
		{"id": "F5", "name": "inside.txt", "mimetype": "text/plain", "url_private_download": "http://169.254.169.254/latest/meta-data"}}
	body, err := json.Marshal(fields{"type": "event_callback", "team_id": s.team, "api_app_id": "A1", "event_id": "Ev1", "event": fields{
		"type": "message", "subtype": "file_share", "channel_type": "im", "channel": "D1", "user": "U1", "text": "", "ts": "1700000000.000100",
		"files": files}})
	require.NoError(t, err)
	s.post(t, w.a, string(body)).must(t, 200)
	s.post(t, w.b, string(body)).must(t, 200)
	got := toldOf(t, w.answers(t, "channel", "D1", 1)[0]["text"])
	problems := make([]any, len(got))
	for i, f := range got {
		problems[i] = f["problem"]
		require.Equal(t, []any{files[i]["name"], files[i]["mimetype"]}, []any{f["name"], f["type"]})
	}
	require.Equal(t, []any{nil, "Slack gave a page instead of the file: the bot may lack the scope files:read", nil,
		"the file is not there any more", "the file is not where the provider keeps files"}, problems)

	session := w.sent(t, s.id, 1)[0]["sessionId"].(string)
	kept := w.attachments(t, session)
	for _, f := range kept { // who took the session over would read it there
		file := f.(map[string]any)
		got := w.b.do(t, "GET", strings.TrimPrefix(file["url"].(string), w.b.URL()), nil).must(t, 200)
		require.Len(t, got.Text, int(file["sizeBytes"].(float64)))
		delete(file, "url")
	}
	require.Equal(t, []any{
		map[string]any{"attachmentId": got[0]["attachmentId"], "filename": "dot.png", "mimeType": "image/png", "sizeBytes": 12.},
		map[string]any{"attachmentId": got[2]["attachmentId"], "filename": "late.txt", "mimeType": "text/plain", "sizeBytes": 6.}}, kept)

	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "attachmentIds": []any{got[0]["attachmentId"]}}).must(t, 200)
}

// Given a bot, when somebody sends it a picture, then the bot's token gets it; when the person is erased,
// then it is gone.
func TestAPictureToABotIsErasedWithItsSender(t *testing.T) {
	t.Parallel()
	w := newLookingWorld(t, erasesSoon)
	bot := "77" + digits()
	w.connect(t, fields{"channelType": "telegram", "externalIdentifier": bot, "agentName": "looker", "credentials": fields{
		"botToken": bot + ":hush-token", "secretToken": "hush-word"}})
	w.says(func(path string, message map[string]any) (int, string) {
		switch path {
		case "/bot" + bot + ":hush-token/getFile":
			return 200, `{"ok":true,"result":{"file_id":"` + message["file_id"].(string) + `","file_path":"photos/file_0.jpg"}}`
		case "/file/bot" + bot + ":hush-token/photos/file_0.jpg":
			return 200, "\xff\xd8\xff\xe0 a picture"
		}
		return 0, ""
	})
	w.a.do(t, "POST", "/api/v1/channels/telegram/webhook/"+bot, fields{"update_id": 1, "message": fields{"message_id": 1, "date": 1700000000,
		"chat": fields{"id": 9, "type": "private"}, "from": fields{"id": 9, "first_name": "Ann"}, "caption": "look",
		"photo": []fields{{"file_id": "small", "width": 90}, {"file_id": "large", "width": 900}}}},
		"X-Telegram-Bot-Api-Secret-Token", "hush-word").must(t, 200)
	got := toldOf(t, w.answers(t, "chat_id", "9", 1)[0]["text"])
	require.Equal(t, []map[string]any{{"name": "photo.jpg", "type": "image/jpeg", "sizeBytes": 14.,
		"attachmentId": got[0]["attachmentId"]}}, got)
	require.NotEmpty(t, got[0]["attachmentId"])
	kept := func() (names []string) {
		require.NoError(t, filepath.WalkDir(w.blobs, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.Contains(name, got[0]["attachmentId"].(string)) {
				names = append(names, name)
			}
			return err
		}))
		return names
	}
	require.Len(t, kept(), 1)
	var job shownErasure
	w.a.do(t, "POST", erasuresPath, fields{"identities": []fields{{"kind": "external", "value": "telegram:9"}}}, "auth",
		w.auth).must(t, http.StatusAccepted).into(t, &job)
	until(t, "the end of the erasure", func() bool {
		w.b.do(t, "GET", erasuresPath+"/"+job.Erasure.ErasureID, nil, "auth", w.auth).must(t, 200).into(t, &job)
		return job.Erasure.Status == "done"
	})
	require.Empty(t, kept())
}
