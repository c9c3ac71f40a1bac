package contactcenter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

const (
	mailbox = "/api/public/bot/main/voicemail"
	leave   = "/api/v1/projects/p-1/sessions/s-1/voicemails"
	sound   = "OggS of a caller"
)

func TestVoicemailOfASession(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	require.JSONEq(t, `{"status":"success","voicemail recording":[],"voicemail_recording":[],"transcriptions":[]}`,
		w.Ask("GET", mailbox+"?sessionId=s-1&transcription=true", "").Text)

	one := noon.Add(time.Hour)
	f.voicemails["acme/p-1/s-1"] = []models.Voicemail{
		{ID: "v-1", FileID: "file-1", FileName: "a.wav", CallerID: "+15550001", Language: "de", DurationMs: 1500, RecordedAt: noon,
			Transcription: voicemails.TranscriptDone, Transcript: "Call me", Provider: "local", TranscribedAt: &one},
		{ID: "v-2", FileID: "file-2", FileName: "b.wav", RecordedAt: noon, Transcription: voicemails.TranscriptDone, Transcript: "Hm"},
		{ID: "v-3", FileID: "file-3", FileName: "c.wav", RecordedAt: noon, Transcription: voicemails.TranscriptPending},
		{ID: "v-4", FileID: "file-4", FileName: "d.wav", RecordedAt: noon, Transcription: voicemails.TranscriptFailed}}
	for wanted, transcripts := range map[string]int{"true": 2, "false": 0} {
		var got struct {
			Spelt []struct{ FileName, FileURL, VoicemailID, TranscriptionStatus string } `json:"voicemail recording"`
			Again []struct{ FileName, FileURL, VoicemailID, TranscriptionStatus string } `json:"voicemail_recording"`
			Texts []map[string]any                                                       `json:"transcriptions"`
		}
		w.Ask("GET", mailbox+"?sessionId=s-1&transcription="+wanted, "").Decode(t, &got)
		require.Equal(t, got.Spelt, got.Again, "both documented names")
		var said []string
		for _, r := range got.Spelt {
			said = append(said, r.FileName+" "+r.VoicemailID+" "+r.TranscriptionStatus)
			require.True(t, strings.HasPrefix(r.FileURL, "https://parley.example/api/v1/files/file-"), r.FileURL)
			link, err := url.Parse(r.FileURL)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(one.Unix()), link.Query().Get("expires"), "good for an hour")
		}
		require.Equal(t, []string{"a.wav v-1 done", "b.wav v-2 done", "c.wav v-3 pending", "d.wav v-4 failed"}, said)
		require.Len(t, got.Texts, transcripts)
	}
	text := w.Ask("GET", mailbox+"?sessionId=s-1&transcription=true", "").Text
	first, unknown, _ := strings.Cut(text[strings.Index(text, `"transcriptions":[`)+len(`"transcriptions":[`):], `,{"_id":"ms-v-2"`)
	require.JSONEq(t, `{"_id":"ms-v-1","botId":"p-1","type":"incoming","status":"received","channels":[{"type":"voice"}],
		"components":[{"_id":"cp-v-1","cT":"text","data":{"text":"Call me"},"thumbnails":[]}],"createdBy":"+15550001","createdOn":`+atNoon+`,
		"lmodifiedBy":"local","lmodifiedOn":`+atOne+`,"sessionId":"s-1","lang":"de","chnl":"voice",
		"author":{"id":"+15550001","type":"VOICEMAIL"},"isBB":false,"isD":false,"ms":1500,"sT":`+fmt.Sprint(one.UnixMilli())+`,
		"timestampValue":`+fmt.Sprint(noon.UnixMilli())+`,"resourceid":"v-1"}`, first)
	require.Contains(t, unknown, `"createdBy":"s-1"`, "who called is not known: the session stands for it")
	require.Contains(t, unknown, `"sT":0`)
}

func TestWhatIsWrongWithAskingForVoicemail(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"], f.sessions["acme/p-9/s-9"], f.sessions["globex/p-1/s-2"] = true, true, true
	for query, fields := range map[string][]string{"": {"sessionId", "transcription"}, "?sessionId=s-1": {"transcription"},
		"?sessionId=s-1&transcription=yes": {"transcription"}, "?sessionId=&transcription=true": {"sessionId"},
		"?transcription=true&sessionId=" + strings.Repeat("s", 257): {"sessionId"}} {
		w.Refused(w.Ask("GET", mailbox+query, ""), 400, fields...)
	}
	for _, session := range []string{"s-2", "s-9", "unknown", strings.Repeat("s", 256)} {
		w.Refused(w.Ask("GET", mailbox+"?sessionId="+session, ""), 404)
	}
	w.Refused(w.Ask("GET", "/api/public/bot/p-2/voicemail?sessionId=s-1", ""), 404)
	for _, method := range []string{"SessionExists", "Of"} {
		f.down[method] = errors.New("relation does not exist")
		w.Refused(w.Ask("GET", mailbox+"?sessionId=s-1&transcription=true", ""), 500)
		delete(f.down, method)
	}
	w.Token = w.Grant("acme", nil)
	w.Refused(w.Ask("GET", mailbox+"?sessionId=s-1&transcription=true", ""), 403)
}

func TestARecordingIsAdded(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	got := w.Ask("POST", leave+"?fileName=message.ogg&language=de-AT&callerId=%2B15550001", sound, "Content-Type", "audio/opus; codecs=opus")
	require.Equal(t, 201, got.Status, got.Text)
	e, sum := resttest.Only[voicemails.Recorded](w, voicemails.Voicemails.Category), sha256.Sum256([]byte(sound))
	require.Equal(t, voicemails.Recorded{VoicemailID: e.VoicemailID, TenantID: "acme", ProjectID: "p-1", SessionID: "s-1", FileID: e.FileID,
		FileName: "message.ogg", ContentType: "audio/ogg", SizeBytes: int64(len(sound)), Blob: e.Blob, SHA256: hex.EncodeToString(sum[:]),
		CallerID: "+15550001", Language: "de-AT", Source: voicemails.Ingest, Provider: e.Provider, At: w.Now}, e)
	require.Equal(t, map[string]string{e.Blob: "audio/ogg"}, f.stored)
	require.True(t, strings.HasPrefix(e.Blob, voicemails.Folder("acme", e.VoicemailID)))
	require.JSONEq(t, `{"success":true,"voicemailId":"`+e.VoicemailID+`","sessionId":"s-1","fileName":"message.ogg","contentType":"audio/ogg",
		"sizeBytes":16,"recordedAt":`+atNoon+`}`, got.Text)

	got = w.Ask("POST", leave, sound, "Content-Type", "audio/ogg")
	e = resttest.Only[voicemails.Recorded](w, voicemails.Voicemails.Category)
	require.Equal(t, "voicemail-"+e.VoicemailID+".ogg", e.FileName)
	require.Contains(t, got.Text, e.FileName)
}

// A second of silence says itself how long it is.
func TestHowLongARecordingIs(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	wav := "RIFF\x24\x1f\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x40\x1f\x00\x00" +
		strings.Repeat("\x80", 8000)
	got := w.Ask("POST", leave, wav, "Content-Type", "audio/x-wav")
	require.Equal(t, 201, got.Status, got.Text)
	require.Contains(t, got.Text, `"durationMs":1000`)
	require.Equal(t, int64(1000), resttest.Only[voicemails.Recorded](w, voicemails.Voicemails.Category).DurationMs)
}

func TestARecordingIsAddedOnceForAKey(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	add := func(text string) *resttest.Reply {
		return w.Ask("POST", leave, text, "Content-Type", "audio/ogg", "Idempotency-Key", "one")
	}
	first := add("OggS a")
	require.Equal(t, 201, first.Status, first.Text)
	blob := resttest.Only[voicemails.Recorded](w, voicemails.Voicemails.Category).Blob
	again := add("OggS a")
	require.Equal(t, []any{201, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	w.Refused(add("OggS b"), 409)
	require.Equal(t, map[string]string{blob: "audio/ogg"}, f.stored, "what belongs to no recording is not kept, the first one is")
	w.Refused(add("OggS, that ends like the first, a"), 409)
	require.Contains(t, f.stored, blob, "a blob that the first one names stays")

	require.NoError(t, f.Delete(t.Context(), blob)) // as an erasure does
	again = add("OggS a")
	require.Equal(t, []any{201, "true"}, []any{again.Status, again.Header.Get("Idempotency-Replayed")}, again.Text)
	w.Refused(add("OggS b"), 409)
	require.Empty(t, f.stored, "a repeat brings back nothing of who was erased")
}

// Given a request that is sent twice at once, when the caller is erased between the look for a repeat and the storing of the
// second one, then what that one stored is taken away.
func TestARecordingThatIsStoredBehindAnErasure(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	add := func() *resttest.Reply {
		return w.Ask("POST", leave, "OggS a", "Content-Type", "audio/ogg", "Idempotency-Key", "one")
	}
	f.storing = func() {
		require.Equal(t, 201, add().Status)
		e := resttest.Only[voicemails.Recorded](w, voicemails.Voicemails.Category)
		resttest.Given(w, voicemails.Voicemails, voicemails.Voicemails.Stream(e.VoicemailID), voicemails.Erased{})
		require.NoError(t, f.Delete(t.Context(), e.Blob))
	}
	again := add()
	require.Equal(t, []any{201, "true"}, []any{again.Status, again.Header.Get("Idempotency-Replayed")}, again.Text)
	require.Empty(t, f.stored)
}

// Given a session that is forgotten, then a recording of it is taken only from who is named, and so can be found and erased.
func TestARecordingOfASessionThatIsForgotten(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	resttest.Given(w, sessions.Sessions, "session-s-1", sessions.Opened{SessionID: "s-1", TenantID: "acme", At: w.Now}, sessions.Erased{})
	w.Refused(w.Ask("POST", leave, sound, "Content-Type", "audio/ogg"), 410)
	require.Empty(t, f.stored)
	require.Equal(t, 201, w.Ask("POST", leave+"?callerId=%2B15550001", sound, "Content-Type", "audio/ogg").Status)
}

// Given a session in which an agent assists people, then it takes no recording.
func TestARecordingOfASessionThatAssists(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"] = true
	resttest.Given(w, sessions.Sessions, "session-s-1", sessions.Opened{SessionID: "s-1", TenantID: "acme", At: w.Now,
		Begun: &sessions.Begun{Assists: "c-1"}})
	w.Refused(w.Ask("POST", leave+"?callerId=%2B15550001", sound, "Content-Type", "audio/ogg"), 409)
	require.Empty(t, f.stored)
}

func TestWhatIsWrongWithARecording(t *testing.T) {
	w, f := newFloor(t)
	f.sessions["acme/p-1/s-1"], f.sessions["acme/p-9/s-9"] = true, true
	for _, c := range []struct {
		query, body, media, field string
	}{
		{"", sound, "text/plain", "Content-Type"}, {"", sound, "audio/wav", "body"},
		{"?fileName=a%2Fb", sound, "audio/ogg", "fileName"}, {"?fileName=" + strings.Repeat("a", 201), sound, "audio/ogg", "fileName"},
		{"?language=german!", sound, "audio/ogg", "language"}, {"?callerId=" + strings.Repeat("1", 257), sound, "audio/ogg", "callerId"},
	} {
		w.Refused(w.Ask("POST", leave+c.query, c.body, "Content-Type", c.media), 400, c.field)
	}
	w.Refused(w.Ask("POST", leave, "", "Content-Type", "audio/ogg"), 400, "body") // none at all
	w.Refused(w.Ask("POST", strings.Replace(leave, "s-1", "s-9", 1), sound, "Content-Type", "audio/ogg"), 404)
	w.Refused(w.Ask("POST", leave, "OggS"+strings.Repeat("a", voicemails.MaxAudio-3), "Content-Type", "audio/ogg"), 413)
	require.Empty(t, f.stored, "nothing is stored for what is refused")
	require.Equal(t, 201, w.Ask("POST", leave, "OggS"+strings.Repeat("a", voicemails.MaxAudio-4), "Content-Type", "audio/ogg").Status)
	w.Since()
	f.down["Put"] = errors.New("the disk is full")
	got := w.Ask("POST", leave, sound, "Content-Type", "audio/ogg")
	w.Refused(got, 503)
	require.Contains(t, got.Text, "the recording cannot be stored at the moment")
	w.Token = w.Grant("acme", nil, "session:read")
	w.Refused(w.Ask("POST", leave, sound, "Content-Type", "audio/ogg"), 403)
}

func TestATranscriptIsAskedForOnceMore(t *testing.T) {
	const again = "/api/v1/projects/p-1/voicemails/v-1/transcript"
	w, f := newFloor(t)
	stream := voicemails.Voicemails.Stream("v-1")
	f.known["acme/p-1/v-1"], f.known["globex/p-1/v-2"], f.known["acme/p-9/v-9"] = true, true, true
	resttest.Given(w, voicemails.Voicemails, stream, voicemails.Recorded{VoicemailID: "v-1", TenantID: "acme", ProjectID: "p-1",
		SessionID: "s-1", At: noon})
	w.Refused(w.Ask("POST", again, ""), 409) // the first is under way
	for round := 2; round <= voicemails.MaxRounds; round++ {
		resttest.Given(w, voicemails.Voicemails, stream, voicemails.TranscriptionFailed{Round: round - 1, Attempts: 1, Reason: "away", At: noon})
		got := w.Ask("POST", again, "", "Idempotency-Key", fmt.Sprint(round))
		require.Equal(t, 200, got.Status, got.Text)
		require.JSONEq(t, `{"success":true,"voicemailId":"v-1","transcriptionStatus":"pending","askedAt":`+atNoon+`}`, got.Text)
		require.Equal(t, voicemails.TranscriptionAsked{Round: round, At: w.Now},
			resttest.Only[voicemails.TranscriptionAsked](w, voicemails.Voicemails.Category))
	}
	repeated := w.Ask("POST", again, "", "Idempotency-Key", "2")
	require.Equal(t, []any{200, "true"}, []any{repeated.Status, repeated.Header.Get("Idempotency-Replayed")})
	resttest.Given(w, voicemails.Voicemails, stream, voicemails.TranscriptionFailed{Round: voicemails.MaxRounds, Attempts: 1, Reason: "away",
		At: noon})
	w.Refused(w.Ask("POST", again, ""), 429)
	resttest.Given(w, voicemails.Voicemails, stream, voicemails.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: noon}})
	w.Refused(w.Ask("POST", again, ""), 410)

	for _, other := range []string{"v-2", "v-9", "v-7", "a%20b"} {
		w.Refused(w.Ask("POST", strings.Replace(again, "v-1", other, 1), ""), 404)
	}
	f.down["Has"] = errors.New("relation does not exist")
	w.Refused(w.Ask("POST", again, ""), 500)
	w.Token = w.Grant("acme", nil, "session:read")
	w.Refused(w.Ask("POST", again, ""), 403)
}
