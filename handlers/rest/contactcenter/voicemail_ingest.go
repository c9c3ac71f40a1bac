package contactcenter

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
)

// voicemailBlobs keeps recordings.
type voicemailBlobs interface {
	// Put stores the content durably and gives its name: the same for the same content
	// below the same prefix.
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	// Delete removes what nothing names.
	Delete(ctx context.Context, name string) error
}

func (v VoicemailAPI) declareIngest(api *rest.API) {
	const path = "/api/v1/projects/{projectId}/sessions/{sessionId}/voicemails"
	rest.Declare(api, rest.Operation{
		ID: "add-voicemail", Method: http.MethodPost, Path: path, Status: http.StatusCreated, Extension: true, Tags: []string{tagVoicemail},
		Summary: "Add a recording to a session",
		Description: "The body is the recording itself, at most 10 MiB of WAV, MP3, Ogg, FLAC, MP4 or WebM audio under its Content-Type, or " +
			"under " +
			"application/octet-stream: then it is told by how it begins. It is " +
			"transcribed afterwards.",
		Requirement: access.Needs(access.PermSessionExecute), MaxBody: voicemails.MaxAudio,
		Resolve:  rest.ResolveAll(rest.ProjectFrom("projectId"), v.session(func(p rest.Params) string { return p.Path("sessionId") })),
		Refusals: []fault.Code{fault.Conflict, fault.Gone, fault.TooLarge, fault.Unavailable},
	}, v.add)
	body := api.Description().Paths[path].Post.RequestBody
	body.Content = map[string]*huma.MediaType{}
	for _, media := range append(voicemails.ContentTypes(), voicemails.AnyBytes) {
		body.Content[media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
}

type addVoicemailIn struct {
	ProjectID   string `path:"projectId" doc:"A project's id or alias." example:"acme-bot"`
	SessionID   string `path:"sessionId" maxLength:"256" doc:"The session in which the voicemail was left."`
	FileName    string `query:"fileName" maxLength:"200" pattern:"^[^/\\\\\\x00-\\x1f\\x7f-\\x9f]*$" doc:"How the file is called when it is downloaded; made of the voicemail's id when absent." example:"message.wav"`
	Language    string `query:"language" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$" doc:"Language that is spoken." example:"en"`
	CallerID    string `query:"callerId" maxLength:"256" pattern:"^[^\\x00-\\x1f\\x7f-\\x9f]*$" doc:"Who left it." example:"+15550000001"`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"audio/wav"`
}

type addVoicemailOut struct {
	Body struct {
		Success     bool   `json:"success" required:"true" example:"true"`
		VoicemailID string `json:"voicemailId" required:"true" example:"0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
		SessionID   string `json:"sessionId" required:"true"`
		FileName    string `json:"fileName" required:"true"`
		ContentType string `json:"contentType" required:"true" example:"audio/wav"`
		SizeBytes   int64  `json:"sizeBytes" required:"true"`
		DurationMs  *int64 `json:"durationMs,omitempty" doc:"Absent where the recording does not say."`
		RecordedAt  string `json:"recordedAt" required:"true" format:"date-time"`
	}
}

func (v VoicemailAPI) add(ctx context.Context, in *addVoicemailIn) (*addVoicemailOut, error) {
	media, field, problem := voicemails.CheckAudio(in.ContentType, in.RawBody)
	if problem != "" {
		return nil, fault.Field(field, "%s", problem)
	}
	tenant := rest.PrincipalOf(ctx).TenantID
	cmd := voicemails.Record{VoicemailID: v.NewID(ctx, "voicemail").String(), TenantID: tenant, ProjectID: rest.ProjectOf(ctx).ID,
		SessionID: in.SessionID, FileName: in.FileName, CallerID: in.CallerID, Language: in.Language, Source: voicemails.Ingest,
		At: v.Now()}.Holding(in.RawBody, media)
	if err := cmd.Validate(); err != nil {
		return nil, err
	}
	stream := voicemails.Voicemails.Stream(cmd.VoicemailID)
	// A repeat stores nothing: its recording may have been deleted with whoever left it, and nobody would delete it once more.
	done, is, err := rest.Repeated(ctx, v.Commands, voicemails.Voicemails, stream)
	switch {
	case err != nil:
		return nil, err
	case is:
		return addedVoicemail(done)
	}
	if err := v.takes(ctx, cmd); err != nil {
		return nil, err
	}
	if cmd.Blob, err = v.Blobs.Put(ctx, voicemails.Folder(tenant, cmd.VoicemailID), media, in.RawBody); err != nil {
		return nil, fault.New(fault.Unavailable, "the recording cannot be stored at the moment").Because(err)
	}
	res, err := rest.Create(ctx, v.Commands, voicemails.Voicemails, stream, cmd.Decide)
	if err != nil {
		if fault.Is(err, fault.Conflict) {
			v.discard(ctx, stream, cmd.Blob)
		}
		return nil, err
	}
	if res.Replayed { // it was taken behind the look above, and may be forgotten by now
		v.discard(ctx, stream, cmd.Blob)
	}
	return addedVoicemail(res)
}

// takes refuses what no erasure would find, a recording that nobody is named for, of a session that is forgotten; and what
// is of a session in which nobody but the assisting agent talks.
func (v VoicemailAPI) takes(ctx context.Context, cmd voicemails.Record) error {
	of, err := eventstore.Read(ctx, v.Store, sessions.Sessions, sessions.Sessions.Stream(cmd.SessionID))
	switch {
	case err != nil || of.Tenant != cmd.TenantID:
		return err
	case of.State.Talk.Assists != "":
		return fault.New(fault.Conflict, "the session assists people in a conversation and takes no voicemail")
	case cmd.CallerID == "" && of.State.Forgotten:
		return fault.New(fault.Gone, "what was said in the session is not kept any more: say who has left the recording")
	}
	return nil
}

func addedVoicemail(res eventstore.Result[voicemails.State]) (*addVoicemailOut, error) {
	e, err := rest.Payload[voicemails.Recorded](res)
	if err != nil {
		return nil, err
	}
	out := &addVoicemailOut{}
	b := &out.Body
	b.Success, b.VoicemailID, b.SessionID, b.FileName, b.ContentType, b.SizeBytes = true, e.VoicemailID, e.SessionID, e.FileName,
		e.ContentType, e.SizeBytes
	b.RecordedAt = rest.ISOTime(&e.At)
	if e.DurationMs > 0 {
		b.DurationMs = &e.DurationMs
	}
	return out, nil
}

// discard takes away what was stored for a request that was refused because its Idempotency-Key belongs to another recording,
// or that is a repeat. What the recording names stays, unless it was deleted with whoever left it.
func (v VoicemailAPI) discard(ctx context.Context, stream, blob string) {
	kept, err := eventstore.Read(ctx, v.Store, voicemails.Voicemails, stream)
	if err != nil || kept.State.Status == "" || kept.State.Recording.Blob == blob && !kept.State.Forgotten {
		return
	}
	_ = v.Blobs.Delete(ctx, blob) // what stays is a file that nothing names
}
