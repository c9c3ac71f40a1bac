package contactcenter

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/rest"
)

func (v VoicemailAPI) declareTranscript(api *rest.API) {
	rest.Declare(api, rest.Operation{
		ID: "transcribe-voicemail-again", Method: http.MethodPost, Path: "/api/v1/projects/{projectId}/voicemails/{voicemailId}/transcript",
		Summary: "Ask for the transcript of a voicemail once more", Tags: []string{tagVoicemail}, Extension: true,
		Description: "After it failed, or for another one, which takes the place of the one before at once. It is tried for an hour from now. " +
			"409 while one is under way, 410 where the recording was deleted with what is known of its caller. The transcript of a " +
			"voicemail is asked for 10 times at most; its recording is the first.",
		Requirement: access.Needs(access.PermSessionExecute), Resolve: rest.ResolveAll(rest.ProjectFrom("projectId"), v.voicemailOfPath),
		Refusals: []fault.Code{fault.Conflict, fault.Gone, fault.LimitReached},
	}, v.transcribeAgain)
}

// voicemailOfPath is the 404 of what the path names.
func (v VoicemailAPI) voicemailOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	unknown, id := fault.New(fault.NotFound, "there is no such voicemail"), p.Path("voicemailId")
	if !access.ValidID(id) {
		return ctx, unknown
	}
	has, err := v.Voicemails.Has(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, id)
	if err == nil && !has {
		err = unknown
	}
	return ctx, err
}

type transcribeAgainIn struct {
	ProjectID   string `path:"projectId" doc:"A project's id or alias." example:"acme-bot"`
	VoicemailID string `path:"voicemailId" doc:"As get-voicemail and add-voicemail show it." example:"0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
}

type transcribeAgainOut struct {
	Body struct {
		Success             bool   `json:"success" required:"true" example:"true"`
		VoicemailID         string `json:"voicemailId" required:"true" example:"0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
		TranscriptionStatus string `json:"transcriptionStatus" required:"true" enum:"pending" doc:"get-voicemail shows what becomes of it."`
		AskedAt             string `json:"askedAt" required:"true" format:"date-time"`
	}
}

func (v VoicemailAPI) transcribeAgain(ctx context.Context, in *transcribeAgainIn) (*transcribeAgainOut, error) {
	again := voicemails.TranscribeAgain{At: v.Now()}
	res, err := rest.Execute(ctx, v.Commands, voicemails.Voicemails, voicemails.Voicemails.Stream(in.VoicemailID), again.Decide)
	if err != nil {
		return nil, err
	}
	e, err := rest.Payload[voicemails.TranscriptionAsked](res)
	if err != nil {
		return nil, err
	}
	out := &transcribeAgainOut{}
	out.Body.Success, out.Body.VoicemailID, out.Body.TranscriptionStatus = true, in.VoicemailID, string(voicemails.TranscriptPending)
	out.Body.AskedAt = rest.ISOTime(&e.At)
	return out, nil
}
