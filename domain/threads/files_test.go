package threads_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
)

// withFiles is a message that brings so many files.
func withFiles(id string, n int) threads.Receive {
	out := says(id, "look")
	out.Entry.Files = slices.Repeat([]channels.File{{URL: "https://files.example.com/1"}}, n)
	return out
}

func fetchedFiles(message int, blobs ...string) threads.Fetch {
	out := threads.Fetch{Number: message, At: noon, Files: []threads.Fetched{{Code: channels.FileGone, Reason: "gone"}}}
	for _, b := range blobs {
		out.Files = append(out.Files, threads.Fetched{AttachmentID: "f-" + b, Blob: b})
	}
	return out
}

// Given messages with files, then each is fetched once, also of one that waits behind others, and what
// became of it is known until a session has the message.
func TestFilesAreFetchedOnce(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "one"))
	s.when(withFiles("2", 1))
	require.Len(t, s.Unfetched(), 1)
	require.Equal(t, 2, s.Unfetched()[0].Number)
	require.Empty(t, s.when(fetchedFiles(1, "x")), "it has none")
	require.Empty(t, s.when(fetchedFiles(3, "x")), "there is no such message")
	require.Len(t, s.when(fetchedFiles(2, "b")), 1)
	require.Empty(t, s.when(fetchedFiles(2, "c")), "twice")
	require.Empty(t, s.Unfetched())
	require.Equal(t, []string{"b"}, s.Blobs())
	s.when(threads.Take{Number: 1, SessionID: "s-1", At: noon})
	require.Equal(t, "f-b", s.Fetched[2][1].AttachmentID)
	s.when(threads.Take{Number: 2, SessionID: "s-1", At: noon})
	require.Empty(t, s.Blobs(), "the session has it")
	require.Empty(t, s.Fetched)
}

// Given more files than are fetched, then it is known how many are left where they are.
func TestSoManyFilesOfAMessageAreFetched(t *testing.T) {
	s := &story{T: t}
	got := s.when(withFiles("1", threads.MostFiles+3))[0].(threads.Received)
	require.Len(t, got.Files, threads.MostFiles)
	require.Equal(t, 3, got.MoreFiles)
	require.Zero(t, s.when(withFiles("2", threads.MostFiles))[0].(threads.Received).MoreFiles)
}

// Given files that no session has, then they are named until the person is forgotten, and then still,
// for who deletes them.
func TestFilesThatNobodyHasAreNamed(t *testing.T) {
	s := &story{T: t}
	for n := range 3 {
		s.when(withFiles("m", 1))
		s.when(fetchedFiles(n+1, string(rune('a'+n)), string(rune('A'+n))))
	}
	s.when(threads.Refuse{Number: 1, Code: fault.Gone, At: noon})
	s.when(threads.Take{Number: 2, SessionID: "s-1", Left: []string{"B"}, At: noon})
	require.Equal(t, []string{"c", "C", "a", "A", "B"}, s.Blobs())
	s.when(threads.Forget{At: noon})
	require.Equal(t, []string{"c", "C", "a", "A", "B"}, s.Strays)
	require.Empty(t, s.when(fetchedFiles(3, "late")), "what comes late is nobody's")
}

// Given a place in a conversation, then a file has one id, and another has another.
func TestAFileHasOneID(t *testing.T) {
	require.Equal(t, threads.AttachmentOf("thread-1", 1, 0), threads.AttachmentOf("thread-1", 1, 0))
	ids := map[string]bool{}
	for _, stream := range []string{"thread-1", "thread-2"} {
		for message := range 3 {
			for file := range 3 {
				ids[threads.AttachmentOf(stream, message, file)] = true
			}
		}
	}
	require.Len(t, ids, 18)
}

// Given files that came with a message, then nobody is to fetch them.
func TestFilesThatComeWithTheMessage(t *testing.T) {
	s := &story{T: t}
	c := says("1", "See")
	c.Entry.Files = []channels.File{{Name: "a.png"}}
	c.Brought = []threads.Fetched{{AttachmentID: "at-1", Name: "a.png", ContentType: "image/png", SizeBytes: 3, Blob: "b/1"}}
	require.Len(t, s.when(c), 2)
	require.Empty(t, s.Unfetched())
	require.Equal(t, c.Brought, s.Fetched[1])
	require.Equal(t, []string{"b/1"}, s.Blobs())
}
