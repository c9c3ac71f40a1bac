//go:build !apache

package node_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const pngBytes = "\x89PNG\r\n\x1a\n0000"

// attach gives a file to a session, as clients do: with another boundary each time.
func (w talkWorld) attach(t *testing.T, session, name, claimed, content string, headers ...string) *answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Type": {claimed},
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, name)}})
	require.NoError(t, err)
	_, err = part.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return w.b.do(t, "POST", sessionsPath+"/"+session+"/attachments", body.Bytes(), append([]string{"Content-Type",
		form.FormDataContentType(), "Authorization", "Bearer " + w.auth}, headers...)...)
}

// attachedFile is the signed address of a picture that comes with a message.
func (w talkWorld) attachedFile(t *testing.T, session, name string) string {
	t.Helper()
	var file struct{ AttachmentID string }
	w.attach(t, session, name, "image/png", pngBytes).must(t, http.StatusCreated).into(t, &file)
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": session, "attachmentIds": []string{file.AttachmentID}}).must(t, 200)
	var said struct {
		Messages []struct{ Attachments []struct{ URL string } }
	}
	w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).into(t, &said)
	return strings.TrimPrefix(said.Messages[0].Attachments[0].URL, w.b.URL())
}

func TestFilesAreGivenToSessions(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	first := w.attach(t, id, "meter.jpg", "image/jpeg", pngBytes, "Idempotency-Key", "file").must(t, http.StatusCreated)
	var file map[string]any
	first.into(t, &file)
	require.Equal(t, map[string]any{"success": true, "attachmentId": file["attachmentId"], "filename": "meter.jpg", "mimeType": "image/png",
		"sizeBytes": 12.}, file, "its content says what it is")
	again := w.attach(t, id, "meter.jpg", "image/jpeg", pngBytes, "Idempotency-Key", "file")
	require.Equal(t, first.Text, again.must(t, http.StatusCreated).Text)
	w.attach(t, id, "meter.jpg", "image/jpeg", pngBytes+"1", "Idempotency-Key", "file").refused(t, 409, fault.Conflict)
	w.attach(t, id, "other.jpg", "image/jpeg", pngBytes, "Idempotency-Key", "file").refused(t, 409, fault.Conflict)
	require.Equal(t, first.Text, w.attach(t, id, "meter.jpg", "image/jpeg", pngBytes, "Idempotency-Key", "file").Text, "it is still there")

	send := func(message string, files ...any) *answer {
		return w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": id, "message": message, "attachmentIds": files})
	}
	send("", file["attachmentId"], file["attachmentId"]).must(t, 200)
	send("Look", uuid.NewString()).refused(t, 400, fault.Validation, "attachmentIds")
	send(" ", file["attachmentId"]).must(t, 200)
	send("").refused(t, 400, fault.Validation, "message")
	send(" \n ").refused(t, 400, fault.Validation, "message")
	send("Look", slices.Repeat([]any{file["attachmentId"]}, 11)...).refused(t, 400, fault.Validation, "attachmentIds")
	var said struct{ Messages []map[string]any }
	w.ask(t, "GET", "/api/v1/sessions/"+id+"/transcripts", nil).must(t, 200).into(t, &said)
	listed := said.Messages[0]["attachments"].([]any)[0].(map[string]any)
	require.Equal(t, []any{map[string]any{"attachmentId": file["attachmentId"], "filename": "meter.jpg", "mimeType": "image/png",
		"sizeBytes": 12., "url": listed["url"]}}, said.Messages[0]["attachments"])
	at := listed["url"].(string)
	got := w.a.do(t, "GET", strings.TrimPrefix(at, w.b.URL()), nil).must(t, 200)
	require.Equal(t, []string{pngBytes, "image/png", "attachment; filename=meter.jpg"}, []string{got.Text, got.Header.Get("Content-Type"),
		got.Header.Get("Content-Disposition")})
	forged := strings.Replace(strings.TrimPrefix(at, w.b.URL()), file["attachmentId"].(string), uuid.NewString(), 1)
	w.a.do(t, "GET", forged, nil).refused(t, 403, fault.Forbidden)
	other := w.begin(t, "meter")
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": other, "message": "x", "attachmentIds": []any{file["attachmentId"]}}).refused(t,
		400, fault.Validation, "attachmentIds")
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	id := w.begin(t, "meter")
	w.attach(t, id, "a.png", "image/png", "MZ\x90\x00").refused(t, 400, fault.Validation, "file")
	w.attach(t, id, "a.png", "image/png", "<html>").refused(t, 400, fault.Validation, "file")
	w.attach(t, id, "a.txt", "text/plain", "").refused(t, 400, fault.Validation, "file")
	w.attach(t, id, "a.txt", "text/plain", strings.Repeat("a", 1<<20+1)).refused(t, 413, fault.TooLarge)
	w.attach(t, id, "a.txt", "text/plain", strings.Repeat("a", 1<<20)).must(t, http.StatusCreated)
	path := sessionsPath + "/" + id + "/attachments"
	w.ask(t, "POST", path, fields{"file": "x"}).refused(t, 400, fault.Validation, "Content-Type")
	w.ask(t, "POST", path, "--x--", "Content-Type", "multipart/form-data; boundary=x").refused(t, 400, fault.Validation, "file")
	w.attach(t, uuid.NewString(), "a", "text/plain", "a").refused(t, 404, fault.NotFound)

	foreign := w
	foreign.agentsWorld = &agentsWorld{cluster: w.cluster, tenant: w.cluster.tenant(t, "")}
	foreign.auth = foreign.token(t)
	foreign.attach(t, id, "a", "text/plain", "a").refused(t, 404, fault.NotFound)
	w.scope(t, "as-reads", "reads", mainApp, access.SessionsList)
	w.b.do(t, "POST", path, "x", "X-API-Key", w.key(t, "as-reads")).refused(t, 403, fault.Forbidden)

	for n := 2; n <= 50; n++ {
		w.attach(t, id, "a.txt", "text/plain", "a").must(t, http.StatusCreated)
	}
	w.attach(t, id, "a.txt", "text/plain", "a").refused(t, 409, fault.Conflict)
	ended := w.begin(t, "meter")
	w.ask(t, "DELETE", sessionsPath+"/"+ended, nil).must(t, 200)
	w.attach(t, ended, "a.txt", "text/plain", "a").refused(t, 409, fault.Conflict)
}

// Given an agent of which a model answers and one that answers by its flow, when a message names files, then both are told
// which.
func TestAgentsAreToldOfFiles(t *testing.T) {
	t.Parallel()
	w := newHost(t)
	w.apply(t, "Agent", "a-looker", "looker", fields{"projectId": mainApp, "dslContent": lookingAgent})
	for agent, want := range map[string]string{
		"host":   "You said: Look (Sent with it, as files:) meter.jpg (image/png, 12 bytes, attachment %[1]s)",
		"looker": `[{"attachmentId":"%[1]s","name":"meter.jpg","sizeBytes":12,"type":"image/png"}]`,
	} {
		id := w.begin(t, agent)
		var file struct{ AttachmentID string }
		w.attach(t, id, "meter.jpg", "image/jpeg", pngBytes).must(t, http.StatusCreated).into(t, &file)
		var out chatAnswer
		w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": id, "message": "Look", "attachmentIds": []string{file.AttachmentID}}).
			must(t, 200).into(t, &out)
		require.Contains(t, out.Response, fmt.Sprintf(want, file.AttachmentID))
	}
}

// Given a model of which it is said that it sees, when a message brings a picture, then it is shown it, also a turn later, and
// told when it is not there any more.
func TestAModelSeesPictures(t *testing.T) {
	t.Parallel()
	w, peer := newHost(t), newGreeter(t, 10, 2)
	w.posted(t, nil, ownProvider(peer, "sk-one", fields{"models": []fields{{"id": "own-eyes", "tier": "balanced", "pictures": true}}})).
		must(t, 200)
	id := w.begin(t, "host")
	var file struct{ AttachmentID string }
	w.attach(t, id, "meter.png", "image/png", pngBytes).must(t, http.StatusCreated).into(t, &file)
	w.ask(t, "POST", "/api/v1/chat/send", fields{"sessionId": id, "attachmentIds": []string{file.AttachmentID}}).must(t, 200)
	shown := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(pngBytes)) + `"}}`
	_, asked, _ := peer.last()
	require.Contains(t, asked, shown)
	require.Contains(t, asked, `(a file)\n\n(Sent with it, as files:) meter.png (image/png, 12 bytes, attachment `+file.AttachmentID+`)`)
	w.say(t, id, "Which number?")
	_, asked, _ = peer.last()
	require.Contains(t, asked, shown)

	removed := 0
	require.NoError(t, filepath.WalkDir(w.blobs, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(name, file.AttachmentID) {
			removed++
			return os.Remove(name)
		}
		return err
	}))
	require.Equal(t, 1, removed)
	w.say(t, id, "And now?")
	_, asked, _ = peer.last()
	require.NotContains(t, asked, "base64")
	require.Contains(t, asked, "(A picture is not there any more, and is not shown.)")
}
