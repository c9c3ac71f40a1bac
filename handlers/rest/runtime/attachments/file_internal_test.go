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
	"github.com/parley-platform/parley/handlers/acts/files"
)

const png = "\x89PNG\r\n\x1a\n0000"

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
		"largest":   {[]part{{"file", strings.Repeat("a", files.Largest)}}, ""},
		"too large": {[]part{{"file", strings.Repeat("a", files.Largest+1)}}, fault.TooLarge},
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
