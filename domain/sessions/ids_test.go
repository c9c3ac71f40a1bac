package sessions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
)

// Ids of what is in a session follow from it: a process that comes back after years, and one of another
// version, computes the same. So they are written out here.
func TestIdsNeverChange(t *testing.T) {
	const many = 0x01020304
	for name, c := range map[string]struct{ want, got string }{
		"a message":                 {"9fe9d2b3-3f05-54b9-9f2d-74c3cd338f62", sessions.MessageID(chat.SessionID, 1)},
		"a late message":            {"d9842c83-4494-5dc0-b053-669c12fad264", sessions.MessageID(chat.SessionID, many)},
		"a call":                    {"5dfa4287-8a5c-5ad8-9e81-22606b0eefc3", sessions.CallID(chat.SessionID, 1)},
		"a transfer":                {"1cf095a6-31e3-5b14-951e-39ac2a7c3f46", sessions.TransferID(chat.SessionID, 1)},
		"of a session without uuid": {"4c11c7a0-8507-54e4-b47f-74230033f0ad", sessions.MessageID("s1", 1)},
		"a file":                    {"s.1.f1", sessions.FileID("s.1", "f1")},
		"the folder of a file":      {"attachments/acme/s1/f1", sessions.AttachmentFolder("acme", "s1", "f1")},
		"an ESCALATE":               {"front/2", sessions.Raised("front", 2)},
	} {
		require.Equal(t, c.want, c.got, name)
	}
	session, attachment, is := sessions.OfFile("s.1.f1")
	require.Equal(t, []any{"s.1", "f1", true}, []any{session, attachment, is})
	session, attachment, is = sessions.OfFile(".")
	require.Equal(t, []any{"", "", true}, []any{session, attachment, is})
	_, _, is = sessions.OfFile("f1")
	require.False(t, is)
}

// A name has 200 characters at most, and keeps an ending of 16 at most.
func TestLongNamesOfFiles(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for given, want := range map[string]string{
		a(196) + ".pdf": a(196) + ".pdf", a(197) + ".pdf": a(196) + ".pdf", a(186) + "." + a(15): a(184) + "." + a(15),
		a(186) + "." + a(16): a(186) + "." + a(13), `/home/ann/` + a(200): a(200), `C:\` + a(201): a(200),
		strings.Repeat(".", 201): "file",
	} {
		require.Equal(t, want, sessions.FileName(given))
	}
}

// A session ends by itself after a day in which nothing was said, or after as long as its project said.
func TestWhenASessionEndsByItself(t *testing.T) {
	for minutes, want := range map[int]time.Duration{0: 24 * time.Hour, 1: time.Minute, 90: 90 * time.Minute} {
		p := sessions.Patience{IdleMinutes: minutes}
		require.Equal(t, noon.Add(want), p.IdleAt(noon))
		begun := *chat.Begun
		begun.Patience = p
		of := chat
		of.Begun = &begun
		s := sessions.Sessions.State(of, heard, turned)
		before, err := sessions.EndIdle{At: noon.Add(want - time.Millisecond)}.Decide(s)
		require.NoError(t, err)
		require.Empty(t, before)
		then, err := sessions.EndIdle{At: noon.Add(want)}.Decide(s)
		require.NoError(t, err)
		require.Equal(t, sessions.SessionEnded{Reason: "idle", At: noon.Add(want)}, then[0])
	}
}
