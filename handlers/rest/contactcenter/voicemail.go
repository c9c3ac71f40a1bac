package contactcenter

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/voice"
)

// VoicemailAPI is what the voicemail operations need.
type VoicemailAPI struct {
	rest.Commands
	Voicemails voicemailReader
	Blobs      voicemailBlobs
	Links      rest.FileLinks
}

// voicemailReader knows what callers left.
type voicemailReader interface {
	HasSession(ctx context.Context, tenant, project, session string) (bool, error)
	Has(ctx context.Context, tenant, project, voicemail string) (bool, error)
	Of(ctx context.Context, tenant, project, session string) ([]contactcenter.Voicemail, error)
}

const tagVoicemail = "Voicemail"

// maxSessionID is the longest session id that is looked for.
const maxSessionID = 256

// DeclareVoicemail adds the reading of voicemail and the operation through which
// recordings arrive (extension).
func DeclareVoicemail(api *rest.API, v VoicemailAPI) {
	rest.Declare(api, rest.Operation{
		ID: "get-voicemail", Method: http.MethodGet, Path: "/api/public/bot/{botId}/voicemail", Tags: []string{tagVoicemail},
		Summary: "The voicemail of a session, and its transcripts",
		Description: "A transcript is there a moment after its recording; transcriptionStatus tells. A session without voicemail has empty " +
			"arrays.",
		Requirement: access.TokenOnly(access.ScopeAssistVoicemail), Resolve: rest.ResolveAll(rest.ProjectFrom("botId"),
			v.session(func(p rest.Params) string { return p.Query("sessionId") })),
	}, v.get)
	v.declareIngest(api)
	v.declareTranscript(api)
}

// session refuses a session that the project does not have. A missing one is a fault
// of a field.
func (v VoicemailAPI) session(id func(rest.Params) string) rest.ResolveFunc {
	return func(ctx context.Context, p rest.Params) (context.Context, error) {
		session := id(p)
		if session == "" || len(session) > maxSessionID || jsontext.UnfitText(session) != "" {
			return ctx, nil
		}
		has, err := v.Voicemails.HasSession(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, session)
		if err == nil && !has {
			err = fault.New(fault.NotFound, "there is no such session")
		}
		return ctx, err
	}
}

type voicemailIn struct {
	BotID         string `path:"botId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	SessionID     string `query:"sessionId" required:"true" minLength:"1" maxLength:"256" doc:"The session in which the voicemail was left."`
	Transcription string `query:"transcription" required:"true" enum:"true,false" doc:"Whether transcripts are wanted."`
}

type voicemailOut struct{ Body voicemailResult }

// voicemailResult is what get-voicemail answers. The recordings are there twice, under
// both documented names.
type voicemailResult struct {
	Status         string             `json:"status" required:"true" enum:"success"`
	RecordingSpelt []voicemailFile    `json:"voicemail recording" hidden:"true" doc:"The same as voicemail_recording."`
	Recording      []voicemailFile    `json:"voicemail_recording" required:"true" doc:"The recordings, oldest first."`
	Transcriptions []voicemailMessage `json:"transcriptions" required:"true" doc:"With transcription=true: one message per recording whose transcript is there."`
}

type voicemailFile struct {
	FileName            string `json:"fileName" required:"true" example:"voicemail-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70.wav"`
	FileURL             string `json:"fileUrl" required:"true" format:"uri" doc:"Downloads the recording, without any credential, for an hour from now."`
	VoicemailID         string `json:"voicemailId" required:"true" doc:"Id of the voicemail; an addition of this service."`
	TranscriptionStatus string `json:"transcriptionStatus" required:"true" enum:"pending,done,failed" doc:"An addition of this service."`
}

// voicemailMessage is the message record of a transcript.
type voicemailMessage struct {
	ID             string               `json:"_id" required:"true" example:"ms-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	BotID          string               `json:"botId" required:"true"`
	Type           string               `json:"type" required:"true" enum:"incoming"`
	Status         string               `json:"status" required:"true" enum:"received"`
	Channels       []voicemailChannel   `json:"channels" required:"true"`
	Components     []voicemailComponent `json:"components" required:"true"`
	CreatedBy      string               `json:"createdBy" required:"true" doc:"Who left the voicemail; the session where that is not known."`
	CreatedOn      string               `json:"createdOn" required:"true" format:"date-time"`
	LModifiedBy    string               `json:"lmodifiedBy" required:"true" doc:"Who wrote the transcript: the provider." example:"local"`
	LModifiedOn    string               `json:"lmodifiedOn" required:"true" format:"date-time"`
	SessionID      string               `json:"sessionId" required:"true"`
	Lang           string               `json:"lang" required:"true" doc:"Language tag; empty where it is not known." example:"en"`
	Chnl           string               `json:"chnl" required:"true" example:"voice"`
	Author         voicemailAuthor      `json:"author" required:"true"`
	IsBB           bool                 `json:"isBB" required:"true" doc:"Whether it was a broadcast: never."`
	IsD            bool                 `json:"isD" required:"true" doc:"Whether it was deleted: never."`
	MS             int64                `json:"ms" required:"true" doc:"Length of the recording in milliseconds; 0 where it is not known."`
	ST             int64                `json:"sT" required:"true" doc:"When the transcript was stored, in milliseconds since 1970."`
	TimestampValue int64                `json:"timestampValue" required:"true" doc:"createdOn in milliseconds since 1970."`
	ResourceID     string               `json:"resourceid" required:"true" doc:"The voicemail."`
}

type voicemailChannel struct {
	Type string `json:"type" required:"true" example:"voice"`
}

type voicemailComponent struct {
	ID         string        `json:"_id" required:"true"`
	CT         string        `json:"cT" required:"true" enum:"text"`
	Data       voicemailText `json:"data" required:"true"`
	Thumbnails []string      `json:"thumbnails" required:"true"`
}

type voicemailText struct {
	Text string `json:"text" required:"true"`
}

type voicemailAuthor struct {
	ID   string `json:"id" required:"true"`
	Type string `json:"type" required:"true" enum:"VOICEMAIL"`
}

func (v VoicemailAPI) get(ctx context.Context, in *voicemailIn) (*voicemailOut, error) {
	left, err := v.Voicemails.Of(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.SessionID)
	if err != nil {
		return nil, err
	}
	out := &voicemailOut{voicemailResult{Status: "success", Recording: []voicemailFile{}, Transcriptions: []voicemailMessage{}}}
	for _, one := range left {
		out.Body.Recording = append(out.Body.Recording, voicemailFile{FileName: one.FileName, FileURL: v.Links.Link(one.FileID),
			VoicemailID: one.ID, TranscriptionStatus: string(one.Transcription)})
		if in.Transcription == "true" && one.Transcription == voicemails.TranscriptDone {
			out.Body.Transcriptions = append(out.Body.Transcriptions, messageOf(one, rest.ProjectOf(ctx).ID, in.SessionID))
		}
	}
	out.Body.RecordingSpelt = out.Body.Recording
	return out, nil
}

func messageOf(v contactcenter.Voicemail, project, session string) voicemailMessage {
	caller := v.CallerID
	if caller == "" {
		caller = session
	}
	return voicemailMessage{
		ID: "ms-" + v.ID, BotID: project, Type: "incoming", Status: "received", Channels: []voicemailChannel{{Type: voice.ChannelVoice}},
		Components: []voicemailComponent{{ID: "cp-" + v.ID, CT: "text", Data: voicemailText{v.Transcript}, Thumbnails: []string{}}},
		CreatedBy:  caller, CreatedOn: rest.ISOTime(&v.RecordedAt), LModifiedBy: v.Provider, LModifiedOn: rest.ISOTime(v.TranscribedAt),
		SessionID: session, Lang: v.Language,
		Chnl: voice.ChannelVoice, Author: voicemailAuthor{ID: caller, Type: "VOICEMAIL"}, MS: v.DurationMs, ST: millis(v.TranscribedAt),
		TimestampValue: v.RecordedAt.UnixMilli(), ResourceID: v.ID,
	}
}

func millis(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMilli()
}
