package files

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		"a voice message":            {"audio/amr", "#!AMR\n\x3c\x00", "audio/amr", ""},
		"a wide voice message":       {"", "#!AMR-WB\n\x04\x00", "audio/amr-wb", ""},
		"a script of that name":      {"audio/amr", "#!AMR -x\n", "", "is a program"},
		"what nobody knows":          {"image/heic", "\x00\x00\x00\x18ftypheic", "application/octet-stream", ""},
		"sound in a film's box":      {"audio/webm", "\x1a\x45\xdf\xa3", "video/webm", ""},
		"nothing at all":             {"image/png", "", "", "is empty"},
		"sound":                      {"audio/ogg", "OggS\x00", "application/ogg", ""},
	} {
		t.Run(name, func(t *testing.T) {
			media, problem := Judge(c.claimed, []byte(c.content))
			require.Equal(t, [2]string{c.media, c.problem}, [2]string{media, problem})
		})
	}
}
