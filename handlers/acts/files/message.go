package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// Blobs keeps contents. The same content below the same prefix has the same name.
type Blobs interface {
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	Delete(ctx context.Context, name string) error
}

// Keep stores a file of a message that a session may have; of another it says why not. An error is the
// storage's.
func Keep(ctx context.Context, in Blobs, folder, id string, f channels.File, content []byte) (out threads.Fetched, err error) {
	out = Told(f)
	out.SizeBytes = int64(len(content))
	kind, problem := Judge(f.ContentType, content)
	switch {
	case len(content) > Largest:
		return Without(out, tooLarge()), nil
	case problem != "":
		return Without(out, &channels.Unfetched{Code: channels.FileRefused, Reason: "the file " + problem}), nil
	}
	out.AttachmentID, out.ContentType = id, kind
	if out.Blob, err = in.Put(ctx, folder, kind, content); err != nil {
		return out, fmt.Errorf("storing a file of a message: %w", err)
	}
	return out, nil
}

// KeepOf is Keep for the n-th file that a request brings, whose names are the same for a repeat.
func KeepOf(ctx context.Context, in Blobs, tenant, thread, requestID string, n int, f channels.File, content []byte) (
	threads.Fetched, error) {
	id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s/file/%d", requestID, n)).String()
	return Keep(ctx, in, sessions.AttachmentFolder(tenant, threads.Threads.StreamID(thread), id), id, f, content)
}

// Discard takes away what was brought with a message that the thread has refused after all: nothing names it. One whose outcome is not
// known may be there, and who repeats it brings the same.
func Discard(ctx context.Context, in Blobs, brought []threads.Fetched, refused error) {
	if !fault.Is(refused, fault.QueueFull) {
		return
	}
	for _, name := range threads.BlobsOf(brought) {
		_ = in.Delete(ctx, name) // what stays is a file that nothing names
	}
}

// Told is a file as its sender tells of it.
func Told(f channels.File) threads.Fetched {
	out := threads.Fetched{ContentType: media(f.ContentType), SizeBytes: f.Size}
	if f.Name != "" {
		out.Name = sessions.FileName(f.Name)
	}
	return out
}

// Without is a file that does not come.
func Without(f threads.Fetched, why *channels.Unfetched) threads.Fetched {
	f.Code, f.Reason = why.Code, why.Reason
	return f
}

func tooLarge() *channels.Unfetched {
	return &channels.Unfetched{Code: channels.FileTooLarge, Reason: fmt.Sprintf("the file is larger than %d bytes", Largest)}
}

// media is what a sender says that a file is, if it is a media type.
func media(given string) string {
	is, _, _ := mime.ParseMediaType(given)
	return is[:min(len(is), 127)]
}

// Get asks for a file once, and reads no more of it than a session takes. The file comes back as it is
// called and typed where it lies, if its sender did not say.
func Get(ctx context.Context, within time.Duration, f channels.File,
	ask func(context.Context, channels.File) (channels.Fetched, error)) (_ channels.File, content []byte, why *channels.Unfetched) {
	if f.Size > Largest {
		return f, nil, tooLarge()
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	got, err := ask(ctx, f)
	if err == nil {
		defer func() { _ = got.Body.Close() }()
		content, err = io.ReadAll(io.LimitReader(got.Body, Largest+1))
		if err != nil && !errors.As(err, &why) {
			why = &channels.Unfetched{Code: channels.FileAway, Reason: "the file does not come whole", Again: true}
		}
	}
	switch {
	case why != nil:
	case err != nil && !errors.As(err, &why):
		why = &channels.Unfetched{Code: channels.FileRefused, Reason: "the file cannot be fetched"}
	case len(content) > Largest:
		why = tooLarge()
	}
	f.Name, f.ContentType = cmp.Or(f.Name, got.Name), cmp.Or(f.ContentType, got.ContentType)
	return f, content, why
}
