// Package attachments has the operation by which a user gives a file to a session. What a file
// is is said by its content, never by its sender.
package attachments

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// API is what the operation needs.
type API struct {
	Chat  runtime.ChatAPI
	Files storage
}

// storage keeps what is attached.
type storage interface {
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	Delete(ctx context.Context, name string) error
}

const (
	form   = "multipart/form-data"
	around = 64 << 10 // of a form around its file
)

// Declare adds it.
func Declare(api *rest.API, x API) {
	const path = "/api/projects/{projectId}/sessions/{id}/attachments"
	rest.Declare(api, rest.Operation{
		ID: "add-attachment", Method: http.MethodPost, Path: path, Status: http.StatusCreated, Tags: []string{"Sessions"},
		Summary: "Give a file to a session",
		Description: "A form with one part `file`, of at most 1 MiB; a session has at most 50. `mimeType` is what the content is, whatever the " +
			"form says; a program is refused, and so is what claims to be a picture, sound or film and is something else. chat-send names the " +
			"file by `attachmentId`.",
		Requirement: access.SignedIn(access.CanAttach).OrSDK(), Resolve: x.Chat.SessionOfPath(), MaxBody: files.Largest + around,
		Refusals: []fault.Code{fault.Conflict, fault.TooLarge, fault.Unavailable, fault.NotExecuted, fault.OutcomeUnknown},
	}, x.add)
	body := api.Description().Paths[path].Post.RequestBody
	body.Content = map[string]*huma.MediaType{form: {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"},
		Properties: map[string]*huma.Schema{"file": {Type: huma.TypeString, Format: "binary"}}}}}
}

type addIn struct {
	runtime.SessionPath
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

type attachmentOut struct {
	Body struct {
		Success bool `json:"success"`
		runtime.AttachedFile
	}
}

func (x API) add(ctx context.Context, in *addIn) (*attachmentOut, error) {
	s := runtime.SessionOf(ctx)
	stream := sessions.Sessions.Stream(s.SessionID)
	done, is, err := rest.Repeated(ctx, x.Chat.Commands, sessions.Sessions, stream)
	switch {
	case err != nil:
		return nil, err
	case is:
		return attached(done)
	}
	file, err := fileOf(in.ContentType, in.RawBody)
	if err != nil {
		return nil, err
	}
	read, err := eventstore.Read(ctx, x.Chat.Store, sessions.Sessions, stream)
	if err != nil {
		return nil, err
	}
	if err := read.State.TakesFile(); err != nil {
		return nil, err
	}
	cmd := sessions.Attach{AttachmentID: x.Chat.NewID(ctx, "attachment").String(), FileName: file.name, ContentType: file.media,
		SizeBytes: int64(len(file.content)), At: x.Chat.Now()}
	folder := sessions.AttachmentFolder(rest.ProjectOf(ctx).TenantID, s.SessionID, cmd.AttachmentID)
	if cmd.Blob, err = x.Files.Put(ctx, folder, file.media, file.content); err != nil {
		return nil, fault.New(fault.Unavailable, "the file cannot be stored at the moment").Because(err)
	}
	res, err := rest.Execute(ctx, x.Chat.Commands, sessions.Sessions, stream, cmd.Decide)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotExecuted) || err == nil && res.Replayed {
		x.discard(ctx, stream, cmd)
	}
	if err != nil {
		return nil, err
	}
	return attached(res)
}

func attached(res eventstore.Result[sessions.State]) (*attachmentOut, error) {
	e, err := rest.Payload[sessions.Attached](res)
	if err != nil {
		return nil, err
	}
	out := &attachmentOut{}
	out.Body.Success, out.Body.AttachedFile = true, runtime.FileOf(e)
	return out, nil
}

// discard takes away what was stored for a request that has certainly changed nothing, or that is a repeat which was not known as one
// before. What the session names stays, unless its customer was erased meanwhile.
func (x API) discard(ctx context.Context, stream string, cmd sessions.Attach) {
	read, err := eventstore.Read(ctx, x.Chat.Store, sessions.Sessions, stream)
	if err != nil {
		return
	}
	if kept := read.State.Attachment(cmd.AttachmentID); kept == nil || kept.Blob != cmd.Blob || read.State.Forgotten {
		_ = x.Files.Delete(ctx, cmd.Blob) // what stays is a file that nothing names
	}
}
