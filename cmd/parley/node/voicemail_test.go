//go:build !apache

package node_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

func newVoicemailWorld(t *testing.T, c *cluster) voicemailWorld {
	t.Helper()
	w := voicemailWorld{tenant: c.tenant(t, ""), session: uuid.NewString()}
	w.open(t, w.session)
	w.auth = w.token(t, func(g *tokens.Grant) {
		g.Scopes, g.Permissions = []access.ClientScope{access.ScopeAssistVoicemail}, nil
	})
	return w
}

// transcribed waits for the transcript of the only voicemail of a session.
func (w voicemailWorld) transcribed(t *testing.T, on *server, session string) (r voicemailResult) {
	t.Helper()
	until(t, "the transcript", func() bool {
		r = w.voicemail(t, on, session, "true")
		return len(r.Transcriptions) == 1
	})
	return r
}

func TestVoicemail(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newVoicemailWorld(t, c)
	none := w.voicemail(t, c.a, w.session, "true")
	require.Equal(t, []map[string]any{}, none.Recording)
	require.Equal(t, []map[string]any{}, none.Transcriptions)

	audio := speech.Recording(2, "Please call Ada back")
	var added map[string]any
	c.a.do(t, "POST", w.ingest(w.session, "?fileName=ada.wav&language=en&callerId=%2B15550000001"), audio, "auth", w.token(t), "Content-Type",
		"audio/x-wav").must(t, 201).into(t, &added)
	id, _ := added["voicemailId"].(string)
	at, err := time.Parse(time.RFC3339, added["recordedAt"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, 2*patience)
	require.Equal(t, map[string]any{"success": true, "voicemailId": id, "sessionId": w.session, "fileName": "ada.wav",
		"contentType": "audio/wav", "sizeBytes": float64(len(audio)),
		"durationMs": 2000.0, "recordedAt": added["recordedAt"]}, added)

	got := w.transcribed(t, c.b, w.session)
	require.Len(t, got.Recording, 1)
	url, _ := got.Recording[0]["fileUrl"].(string)
	require.Equal(t, map[string]any{"fileName": "ada.wav", "fileUrl": url, "voicemailId": id, "transcriptionStatus": "done"}, got.Recording[0])
	file := download(t, url).must(t, 200)
	require.Equal(t, string(audio), file.Text)
	require.Equal(t, "audio/wav", file.Header.Get("Content-Type"))

	m := got.Transcriptions[0]
	require.Equal(t, map[string]any{
		"_id": "ms-" + id, "botId": mainApp, "type": "incoming", "status": "received", "channels": []any{map[string]any{"type": "voice"}},
		"components": []any{map[string]any{"_id": "cp-" + id, "cT": "text", "data": map[string]any{"text": "Please call Ada back"},
			"thumbnails": []any{}}},
		"createdBy": "+15550000001", "createdOn": added["recordedAt"], "lmodifiedBy": "local", "lmodifiedOn": m["lmodifiedOn"],
		"sessionId": w.session, "lang": "en", "chnl": "voice",
		"author": map[string]any{"id": "+15550000001", "type": "VOICEMAIL"}, "isBB": false, "isD": false, "ms": 2000.0, "sT": m["sT"],
		"timestampValue": float64(at.UnixMilli()), "resourceid": id,
	}, m)
	require.Empty(t, w.voicemail(t, c.b, w.session, "false").Transcriptions)
}

func TestVoicemailsThatArrive(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newVoicemailWorld(t, c)
	auth, audio := w.token(t), speech.Recording(1, "hello")
	largest := append([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00"+
		"\x80\x3e\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff"), make([]byte, voicemails.MaxAudio-44)...)

	t.Run("as large as it may be, and one byte more", func(t *testing.T) {
		var added map[string]any
		c.a.do(t, "POST", w.ingest(w.session, ""), largest, "auth", auth, "Content-Type", "audio/wav").must(t, 201).into(t, &added)
		require.EqualValues(t, 655357, added["durationMs"])
		require.Equal(t, "voicemail-"+added["voicemailId"].(string)+".wav", added["fileName"])
		c.a.do(t, "POST", w.ingest(w.session, ""), append(largest, 0), "auth", auth, "Content-Type", "audio/wav").refused(t, 413, fault.TooLarge)
	})
	t.Run("what is not audio", func(t *testing.T) {
		c.a.do(t, "POST", w.ingest(w.session, ""), []byte{}, "auth", auth, "Content-Type", "audio/wav").must(t, 400)
		c.a.do(t, "POST", w.ingest(w.session, ""), []byte("RIFF1234WAVE"), "auth", auth, "Content-Type", "audio/wav").
			refused(t, 400, fault.Validation, "body")
		c.a.do(t, "POST", w.ingest(w.session, ""), []byte("<html>"), "auth", auth, "Content-Type", "audio/wav").refused(t, 400, fault.Validation,
			"body")
		c.a.do(t, "POST", w.ingest(w.session, ""), audio, "auth", auth, "Content-Type", "text/html").refused(t, 400, fault.Validation,
			"Content-Type")
		c.a.do(t, "POST", w.ingest(w.session, ""), audio, "auth", auth, "Content-Type", "").refused(t, 400, fault.Validation, "Content-Type")
	})
	t.Run("wrong names", func(t *testing.T) {
		for query, field := range map[string]string{"fileName=a%2Fb": "fileName", "fileName=" + strings.Repeat("a", 201): "fileName",
			"fileName=%00": "fileName", "fileName=a%0D%0Ab": "fileName",
			"language=english!": "language", "callerId=" + strings.Repeat("1", 257): "callerId", "callerId=%ff": "callerId"} {
			c.a.do(t, "POST", w.ingest(w.session, "?"+query), audio, "auth", auth, "Content-Type", "audio/wav").refused(t, 400, fault.Validation,
				field)
		}
	})
	t.Run("several at once with one Idempotency-Key", func(t *testing.T) {
		session := uuid.NewString()
		w.open(t, session)
		answers := make([]*answer, 4)
		together(len(answers), func(i int) {
			answers[i], _ = []*server{c.a, c.b}[i%2].try("POST", w.ingest(session, ""), audio, "auth", auth, "Content-Type", "audio/wav",
				"Idempotency-Key", "k")
		})
		for _, a := range answers {
			require.NotNil(t, a)
			require.Equal(t, answers[0].Text, a.must(t, 201).Text)
		}
		other := speech.Recording(1, "another")
		c.a.do(t, "POST", w.ingest(session, ""), other, "auth", auth, "Content-Type", "audio/wav", "Idempotency-Key", "k").refused(t, 409,
			fault.Conflict)
		c.a.do(t, "POST", w.ingest(session, "?fileName=x"), audio, "auth", auth, "Content-Type", "audio/wav", "Idempotency-Key", "k").refused(t,
			409, fault.Conflict)
		got := w.transcribed(t, c.a, session)
		require.Len(t, got.Recording, 1)
		require.Equal(t, string(audio), download(t, got.Recording[0]["fileUrl"].(string)).must(t, 200).Text, "the refused ones took nothing away")
	})
	t.Run("who may", func(t *testing.T) {
		theirs := newVoicemailWorld(t, c)
		post := func(session string, headers ...string) *answer {
			return c.a.do(t, "POST", w.ingest(session, ""), audio, append(headers, "Content-Type", "audio/wav")...)
		}
		post(w.session).refused(t, 401, fault.Unauthorized)
		post(w.session, "auth", w.auth).refused(t, 403, fault.Forbidden)
		post(w.session, "auth", theirs.token(t)).refused(t, 404, fault.NotFound)
		post(uuid.NewString(), "auth", auth).refused(t, 404, fault.NotFound)
		post("%00", "auth", auth).refused(t, 404, fault.NotFound)
		post(w.session, "x-api-key", w.key(t, mainScope)).must(t, 201)
	})
}

func TestReadingVoicemail(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, theirs := newVoicemailWorld(t, c), newVoicemailWorld(t, c)
	path := "/api/public/bot/" + mainApp + "/voicemail"
	good := path + "?sessionId=" + w.session + "&transcription=true"
	for query, field := range map[string]string{
		"sessionId=" + w.session: "transcription", "transcription=true": "sessionId", "sessionId=&transcription=true": "sessionId",
		"sessionId=" + strings.Repeat("a", 257) + "&transcription=true": "sessionId",
		"sessionId=" + w.session + "&transcription=1":                   "transcription", "sessionId=" + w.session +
			"&transcription=TRUE": "transcription", "sessionId=" + w.session + "&transcription=": "transcription",
		"sessionId=%00&transcription=true": "sessionId", "sessionId=%ff&transcription=true": "sessionId",
	} {
		c.a.do(t, "GET", path+"?"+query, nil, "auth", w.auth).refused(t, 400, fault.Validation, field)
	}
	c.a.do(t, "GET", good, nil).refused(t, 401, fault.Unauthorized)
	c.a.do(t, "GET", good, nil, "x-api-key", w.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
	c.a.do(t, "GET", good, nil, "auth",
		w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeSearchExport} })).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", good, nil, "auth", theirs.auth).refused(t, 404, fault.NotFound)
	c.a.do(t, "GET", strings.Replace(good, mainApp+"/voicemail", otherApp+"/voicemail", 1), nil, "auth", w.auth).refused(t, 404,
		fault.NotFound)
	c.a.do(t, "GET", path+"?sessionId=unknown&transcription=x", nil, "auth", w.auth).refused(t, 404, fault.NotFound)
	c.a.do(t, "GET", strings.Replace(good, mainApp+"/voicemail", mainAlias+"/voicemail", 1), nil, "auth", w.auth).must(t, 200)
}

// Nobody takes a transfer in time, and its queue takes voicemail.
func TestAQueueThatEndsInVoicemail(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newVoicemailWorld(t, c)
	w.apply(t, "Queue", "q-1", "Support", nil)
	for voicemail, session := range map[bool]string{true: w.session, false: uuid.NewString()} {
		id := uuid.NewString()
		past := time.Now().Add(-time.Hour)
		request := transfers.Request{TransferID: id, TenantID: w.id, ProjectID: mainApp, SessionID: session, ConversationID: "c-" + id,
			CustomerID: "+15550000001", Queue: transfers.Queue{ID: "q-1", Wait: time.Minute, Voicemail: voicemail}, At: past}
		_, err := eventstore.Execute(context.Background(), c.a.Store(), transfers.Transfers, transfers.Stream(id),
			eventstore.Command{Tenant: w.id, Actor: "user:test"}, request.Decide)
		require.NoError(t, err)
		for _, decide := range []func(transfers.State) ([]event.Payload, error){transfers.Wait{At: past}.Decide,
			transfers.TimeOut{At: past.Add(time.Minute)}.Decide} {
			_, err := eventstore.Execute(context.Background(), c.a.Store(), transfers.Transfers, transfers.Stream(id),
				eventstore.Command{Tenant: w.id, Actor: "user:test"}, decide)
			require.NoError(t, err)
		}
	}
	got := w.transcribed(t, c.b, w.session)
	require.Len(t, got.Recording, 1)
	m := got.Transcriptions[0]
	require.Equal(t, "+15550000001", m["createdBy"])
	require.Equal(t, "local", m["lmodifiedBy"])
	text := m["components"].([]any)[0].(map[string]any)["data"].(map[string]any)["text"]
	require.Equal(t, "Hello, this is +15550000001. Nobody could take my call. Please call me back.", text)
	require.Equal(t, string(speech.LeaveMessage("+15550000001")), download(t, got.Recording[0]["fileUrl"].(string)).must(t, 200).Text)
}
