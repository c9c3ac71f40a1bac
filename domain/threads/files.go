package threads

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
)

// MostFiles is how many files of one message are fetched.
const MostFiles = 10

// mostLeft bounds the files that a conversation remembers for nothing but to delete them.
const mostLeft = 100

// Fetch notes what became of the files of a message.
type Fetch struct {
	Number int // of the message
	Files  []Fetched
	At     time.Time
}

// Fetched is what became of one file: it is in blob storage, or there is a reason why not.
type Fetched struct {
	AttachmentID string `json:"attachmentId,omitempty"` // empty: it did not come
	Name         string `json:"name,omitempty" personal:"customer"`
	ContentType  string `json:"contentType,omitempty"` // as its content says; of one that did not come as its sender said
	SizeBytes    int64  `json:"sizeBytes,omitempty"`
	Blob         string `json:"blob,omitempty"`
	Code         string `json:"code,omitempty"`   // why it did not come
	Reason       string `json:"reason,omitempty"` // the same in words, for agents
}

// FilesFetched says what became of the files of a message, before any session took it.
type FilesFetched struct {
	Number int       `json:"number"`
	Files  []Fetched `json:"files"`
	At     time.Time `json:"at"`
}

var _ = event.Register[FilesFetched](Threads, "files-fetched", 1)

// AttachmentOf is the id of a file of a message: the same for a repeat.
func AttachmentOf(stream string, message, file int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(stream+"/"+itoa(message)+"/file/"+itoa(file))).String()
}

// Unfetched are the messages whose files are still to be fetched.
func (s State) Unfetched() (out []Received) {
	for _, m := range s.Waiting {
		if _, done := s.Fetched[m.Number]; len(m.Files) > 0 && !done && !s.IsDropped(m) {
			out = append(out, m)
		}
	}
	return out
}

// Decide notes it once, of a message that waits.
func (c Fetch) Decide(s State) ([]event.Payload, error) {
	if !slices.ContainsFunc(s.Unfetched(), func(m Received) bool { return m.Number == c.Number }) {
		return nil, nil
	}
	return []event.Payload{FilesFetched{Number: c.Number, Files: c.Files, At: event.Stamp(c.At)}}, nil
}

// Apply keeps it until a session has taken the message.
func (e FilesFetched) Apply(s *State) {
	s.Fetched = maps.Clone(s.Fetched)
	if s.Fetched == nil {
		s.Fetched = map[int][]Fetched{}
	}
	s.Fetched[e.Number] = slices.Clone(e.Files)
}

// leave lets the files of a message go: those that no session took are remembered, so that they can be
// erased with the person, should they still be there.
func (s *State) leave(number int, left []string) {
	if _, is := s.Fetched[number]; is {
		s.Fetched = maps.Clone(s.Fetched)
		delete(s.Fetched, number)
	}
	if len(left) > 0 {
		s.Strays = slices.Concat(s.Strays, left)
		s.Strays = slices.Clone(s.Strays[max(0, len(s.Strays)-mostLeft):])
	}
}

// Blobs are the files in blob storage that no session has, or had.
func (s State) Blobs() (out []string) {
	for _, number := range slices.Sorted(maps.Keys(s.Fetched)) {
		out = append(out, BlobsOf(s.Fetched[number])...)
	}
	return append(out, s.Strays...)
}

// BlobsOf are those of files that are in blob storage.
func BlobsOf(files []Fetched) (out []string) {
	for _, f := range files {
		if f.Blob != "" {
			out = append(out, f.Blob)
		}
	}
	return out
}
