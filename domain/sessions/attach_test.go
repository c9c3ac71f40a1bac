package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

func TestFilesOfASession(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	open := sessions.Opened{SessionID: "s", Channel: "api", Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"a": {Hash: "h"}},
		Test: true}, At: at}
	attach := sessions.Attach{AttachmentID: "f-1", FileName: `C:\files\meter.png`, ContentType: "image/png", SizeBytes: 3, Blob: "b", At: at}
	attached := sessions.Attached{AttachmentID: "f-1", FileName: "meter.png", ContentType: "image/png", SizeBytes: 3, Blob: "b", Test: true,
		At: at}
	given := func(events ...event.Payload) (s sessions.State) {
		for _, e := range events {
			sessions.Sessions.Fold(&s, e)
		}
		return s
	}
	var full []event.Payload
	for i := range sessions.MostAttachments {
		full = append(full, sessions.Attached{AttachmentID: fmt.Sprint("g-", i)})
	}
	for name, c := range map[string]struct {
		given []event.Payload
		want  []event.Payload
		code  fault.Code
	}{
		"it is kept":                 {[]event.Payload{open}, []event.Payload{attached}, ""},
		"twice it is kept once":      {[]event.Payload{open, attached}, nil, ""},
		"an unknown session":         {nil, nil, fault.NotFound},
		"an ended one":               {[]event.Payload{open, sessions.SessionEnded{}}, nil, fault.Conflict},
		"one of a call":              {[]event.Payload{sessions.Opened{SessionID: "s", Channel: "voice"}}, nil, fault.Conflict},
		"one that has too many":      {append([]event.Payload{open}, full...), nil, fault.Conflict},
		"the last one that it takes": {append([]event.Payload{open}, full[1:]...), []event.Payload{attached}, ""},
		"a reset keeps them":         {[]event.Payload{open, attached, sessions.WasReset{}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := attach.Decide(given(c.given...))
			require.Equal(t, c.code, fault.CodeOf(err))
			require.Equal(t, c.want, got)
		})
	}
	s := given(open, attached)
	require.Equal(t, "b", s.Attachment("f-1").Blob)
	require.Nil(t, s.Attachment("f-2"))
	require.NoError(t, s.Has([]string{"f-1", "f-1"}))
	require.Equal(t, fault.Validation, fault.CodeOf(s.Has([]string{"f-1", "f-2"})))
}

func TestNamesOfFiles(t *testing.T) {
	for given, want := range map[string]string{"meter.png": "meter.png", "../../etc/passwd": "passwd", `C:\x\y.txt`: "y.txt", "": "file",
		"..": "file", " a\x00b\n ": "ab", "photo\u202egnp.exe": "photognp.exe", "Zähler.pdf": "Zähler.pdf", "a/": "file", "\xff\xfe": "file",
		strings.Repeat("ä", 201): strings.Repeat("ä", 200), strings.Repeat("ä", 300) + ".pdf": strings.Repeat("ä", 196) + ".pdf",
		"a." + strings.Repeat("b", 300): "a." + strings.Repeat("b", 198)} {
		require.Equal(t, want, sessions.FileName(given), "%q", given)
	}
}
