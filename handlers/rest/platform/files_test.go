package platform_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/projections/reporting"
)

// archive is where files lie, and what is in them.
type archive struct {
	files map[string]reporting.File
	blobs map[string]string
	down  error
}

func (a *archive) Named(_ context.Context, id string) (reporting.File, bool, error) {
	f, ok := a.files[id]
	return f, ok, a.down
}

// nothing has no file.
type nothing struct{}

func (nothing) Named(context.Context, string) (f reporting.File, ok bool, err error) { return }

type opened struct{ *strings.Reader }

func (opened) Close() error { return nil }

func (a *archive) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	content, ok := a.blobs[name]
	switch {
	case name == "lost":
		return nil, fault.New(fault.NotFound, "the file is not there any more")
	case !ok:
		return nil, errors.New("no such blob at /mnt/blobs")
	}
	return opened{strings.NewReader(content)}, nil
}

// newArchive has one file, and gives the links that are signed for callers.
func newArchive(t *testing.T) (*resttest.Stored, *archive, func(id string) string) {
	t.Helper()
	w := resttest.NewStored(t, nil)
	a := &archive{blobs: map[string]string{"b-1": "<script>"}, files: map[string]reporting.File{"file-1": {ID: "file-1", Name: `Ära "1".wav`,
		ContentType: "text/html", Blob: "b-1", SHA256: "abc", StoredAt: w.Now}, "file-2": {ID: "file-2", Blob: "gone"},
		"file-3": {ID: "file-3", Blob: "lost"}}}
	links := rest.FileLinks{MAC: w.Commands.MAC, Base: func() string { return "" }, Now: w.Commands.Now}
	platform.DeclareFiles(w.Api, platform.FilesAPI{Links: links, Files: platform.KnownFiles{nothing{}, a}, Blobs: a})
	return w, a, links.Link
}

// A file is kept and never shown: what callers recorded must not run as a page.
func TestAFileIsDownloadedWithoutACredential(t *testing.T) {
	w, _, link := newArchive(t)
	got := w.Call("GET", link("file-1"), "")
	require.Equal(t, []any{200, "<script>"}, []any{got.Status, got.Text})
	for name, want := range map[string]string{"Content-Type": "text/html", "X-Content-Type-Options": "nosniff",
		"Cache-Control":           "private, no-store",
		"Content-Security-Policy": "sandbox; default-src 'none'", "ETag": `"abc"`, "Last-Modified": "Sat, 01 Mar 2025 12:00:00 GMT"} {
		require.Equal(t, want, got.Header.Get(name), name)
	}
	require.True(t, strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment; filename"), got.Header.Get("Content-Disposition"))

	got = w.Call("GET", link("file-1"), "", "Range", "bytes=1-3")
	require.Equal(t, []any{206, "scr"}, []any{got.Status, got.Text})
	require.Equal(t, 416, w.Call("GET", link("file-1"), "", "Range", "bytes=99-").Status)
	require.Equal(t, 304, w.Call("GET", link("file-1"), "", "If-None-Match", `"abc"`).Status)
}

// The address works for an hour, for its file alone, and until then nobody learns what
// there is.
func TestAddressesOfFiles(t *testing.T) {
	w, a, link := newArchive(t)
	good := link("file-1")
	for name, address := range map[string]string{
		"another file":       strings.Replace(good, "file-1", "file-2", 1),
		"a file that is not": strings.Replace(good, "file-1", "file-9", 1),
		"a longer life":      strings.Replace(good, "expires=", "expires=9", 1),
		"another signature":  good[:len(good)-4] + "0000",
	} {
		got := w.Call("GET", address, "")
		require.Equal(t, []any{403, fault.Forbidden}, []any{got.Status, got.Code()}, name)
	}
	require.Equal(t, 404, w.Call("GET", link("file-9"), "").Status)
	w.Refused(w.Call("GET", "/api/v1/files/file-1", ""), 400, "expires", "signature")
	w.Refused(w.Call("GET", "/api/v1/files/file-1?expires=-1&signature=zz", ""), 400, "expires", "signature")

	got := w.Call("GET", link("file-2"), "")
	require.Equal(t, []any{503, fault.Unavailable}, []any{got.Status, got.Code()})
	require.NotContains(t, got.Text, "/mnt")
	require.Contains(t, w.Log.String(), "file-2", "the operator learns which")
	require.Contains(t, w.Log.String(), "/mnt/blobs")
	got = w.Call("GET", link("file-3"), "")
	require.Equal(t, []any{404, fault.NotFound}, []any{got.Status, got.Code()}, "asking again brings no lost file back")
	a.down = errors.New("relation does not exist")
	require.Equal(t, 500, w.Call("GET", good, "").Status)
	a.down = nil

	w.Now = w.Now.Add(time.Hour - time.Second)
	require.Equal(t, 200, w.Call("GET", good, "").Status)
	w.Now = w.Now.Add(time.Second)
	got = w.Call("GET", good, "")
	require.Equal(t, []any{410, fault.Gone}, []any{got.Status, got.Code()})
	require.Equal(t, 403, w.Call("GET", strings.Replace(good, "file-1", "file-2", 1), "").Status, "a wrong signature comes first")
}
