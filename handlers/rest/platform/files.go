package platform

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/reporting"
)

// FilesAPI is what the download of files needs.
type FilesAPI struct {
	Links rest.FileLinks
	Files fileReads
	Blobs blobReader
}

// fileReads knows where files lie.
type fileReads interface {
	Named(ctx context.Context, id string) (f reporting.File, ok bool, err error)
}

// KnownFiles are the files that any of them knows.
type KnownFiles []fileReads

// Named asks one after the other.
func (all KnownFiles) Named(ctx context.Context, id string) (f reporting.File, ok bool, err error) {
	for _, known := range all {
		if f, ok, err = known.Named(ctx, id); err != nil || ok {
			return f, ok, err
		}
	}
	return f, false, nil
}

// blobReader reads from blob storage.
type blobReader interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error) // fault.NotFound: it is gone
}

type fileIn struct {
	FileID    string `path:"fileId" maxLength:"128" doc:"Id of the file." example:"file-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	Expires   int64  `query:"expires" required:"true" minimum:"0" doc:"Until when the address works, in seconds since 1970."`
	Signature string `query:"signature" required:"true" pattern:"^[0-9a-f]{64}$" doc:"Proves that the address was made by this service."`
	Range     string `header:"Range" maxLength:"256" doc:"Parts of the file, such as bytes=0-499."`
}

// DeclareFiles adds the download of files (extension; the addresses stand in
// fileInfo.externalFileURL of get-search-export, in fileUrl of get-voicemail, and in url of the
// attachments of session-transcript).
func DeclareFiles(api *rest.API, f FilesAPI) {
	const path = "/api/v1/files/{fileId}"
	rest.Declare(api, rest.Operation{
		ID: "download-file", Method: http.MethodGet, Path: path, Extension: true, Tags: []string{"Files"},
		Summary: "Download a file by its signed address",
		Description: "The address is the credential: it works for an hour for whoever has it. A wrong signature is 403, an address whose time " +
			"is over 410. A caller who accepts application/octet-stream and not the type of the file gets it under that.",
		Requirement: access.Public, Refusals: []fault.Code{fault.Forbidden, fault.Gone, fault.Unavailable},
	}, f.download)
	responses := api.Description().Paths[path].Get.Responses
	whole := map[string]*huma.MediaType{}
	for _, media := range append([]string{exports.ContentType, rest.AnyBytes, "*/*"}, voicemails.ContentTypes()...) {
		whole[media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	responses["200"].Description, responses["200"].Content = "The file", whole
	responses["206"] = &huma.Response{Description: "The parts of the file that were asked for", Content: whole}
	responses["304"] = &huma.Response{Description: "The caller has the file already"}
	responses["416"] = &huma.Response{Description: "The file has no such part", Content: map[string]*huma.MediaType{
		"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}}
}

func (f FilesAPI) download(ctx context.Context, in *fileIn) (*huma.StreamResponse, error) {
	if err := f.Links.Check(in.FileID, in.Expires, in.Signature); err != nil {
		return nil, err
	}
	file, ok, err := f.Files.Named(ctx, in.FileID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no such file")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humamux.Unwrap(hc)
		content, err := f.Blobs.Open(r.Context(), file.Blob)
		if err != nil {
			if !fault.Is(err, fault.NotFound) { // else it is lost, and asking again is of no use
				err = fault.New(fault.Unavailable, "the file cannot be read from the blob storage at the moment").Because(
					fmt.Errorf("file %s: %w", file.ID, err))
			}
			rest.LongAnswerOf(ctx).Refuse(ctx, err)
			return
		}
		defer func() { _ = content.Close() }()
		serveFile(w, r, file, content)
	}}, nil
}

// serveFile sends the file as something to keep, whatever is in it: what callers
// recorded or sent must never run in a browser as a page of ours.
func serveFile(w http.ResponseWriter, r *http.Request, file reporting.File, content io.ReadSeeker) {
	h := w.Header()
	h.Set("Content-Type", rest.MediaFor(r.Header.Values("Accept"), file.ContentType))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", `"`+cmp.Or(file.SHA256, file.ID)+`"`)
	http.ServeContent(w, r, "", file.StoredAt, content)
}
