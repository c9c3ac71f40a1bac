package attachments

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const png = "\x89PNG\r\n\x1a\n0000"

// What a file is is said by its content; what contradicts it is refused.
func TestWhatAFileIs(t *testing.T) {
	for name, c := range map[string]struct{ claimed, content, media, problem string }{
		"a picture":                  {"image/png", png, "image/png", ""},
		"a picture of another kind":  {"image/jpeg", png, "image/png", ""},
		"a picture said to be text":  {"text/plain", png, "image/png", ""},
		"nothing said":               {"", png, "image/png", ""},
		"nonsense said":              {";;", png, "image/png", ""},
		"a document":                 {"application/pdf", "%PDF-1.7", "application/pdf", ""},
		"a table":                    {"text/csv; header=present", "a,b\n1,2\n", "text/csv", ""},
		"a text as a page":           {"text/html", "hello", "text/plain", ""},
		"a page as a text":           {"text/plain", "<html><script>", "text/html", ""},
		"a page as a table":          {"text/csv", "<html><script>", "text/html", ""},
		"a page as a picture":        {"image/png", "<html><script>", "", "claims to be image/png and is text/html"},
		"a drawing that may do more": {"image/svg+xml", `<?xml version="1.0"?><svg/>`, "", "claims to be image/svg+xml and is text/xml"},
		"a program":                  {"application/octet-stream", "\x7fELF\x02", "", "is a program"},
		"a program as a picture":     {"image/png", "MZ\x90\x00", "", "is a program"},
		"a text that begins so":      {"text/plain", "MZ is a code", "text/plain", ""},
		"a script as a text":         {"text/plain", "#!/bin/sh\nrm", "", "is a program"},
		"what nobody knows":          {"image/heic", "\x00\x00\x00\x18ftypheic", "application/octet-stream", ""},
		"sound in a film's box":      {"audio/webm", "\x1a\x45\xdf\xa3", "video/webm", ""},
		"sound":                      {"audio/ogg", "OggS\x00", "application/ogg", ""},
	} {
		t.Run(name, func(t *testing.T) {
			media, problem := judge(c.claimed, []byte(c.content))
			require.Equal(t, [2]string{c.media, c.problem}, [2]string{media, problem})
		})
	}
}

// part is one of a form: the name it goes by, and its content.
type part struct{ name, content string }

func formOf(t *testing.T, parts ...part) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename="a.png"`, p.name)}}
		out, err := w.CreatePart(header)
		require.NoError(t, err)
		_, err = out.Write([]byte(p.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), b.Bytes()
}

func TestFormsWithFiles(t *testing.T) {
	contentType, body := formOf(t, part{"note", "hello"}, part{"file", png})
	got, err := fileOf(contentType, body)
	require.NoError(t, err)
	require.Equal(t, file{"a.png", "image/png", []byte(png)}, got)

	for name, c := range map[string]struct {
		parts []part
		code  fault.Code
	}{
		"no part":   {nil, fault.Validation},
		"no file":   {[]part{{"note", "hello"}}, fault.Validation},
		"two files": {[]part{{"file", png}, {"file", png}}, fault.Validation},
		"empty":     {[]part{{"file", ""}}, fault.Validation},
		"largest":   {[]part{{"file", strings.Repeat("a", maxFile)}}, ""},
		"too large": {[]part{{"file", strings.Repeat("a", maxFile+1)}}, fault.TooLarge},
		"a program": {[]part{{"file", "MZ\x90\x00"}}, fault.Validation},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fileOf(formOf(t, c.parts...))
			require.Equal(t, c.code, fault.CodeOf(err))
		})
	}
	for _, wrong := range []string{"", "application/json", "multipart/form-data", "multipart/mixed; boundary=x", ";"} {
		_, err := fileOf(wrong, body)
		require.Equal(t, fault.Validation, fault.CodeOf(err), wrong)
	}
	_, err = fileOf(contentType, body[:len(body)-60])
	require.Equal(t, fault.Validation, fault.CodeOf(err), "cut off")
}
