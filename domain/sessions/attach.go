package sessions

import (
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MostAttachments is how many files one session may have.
const MostAttachments = 50

// LongestFileName is in characters.
const LongestFileName = 200

// longestEnding is that of a name which is cut, with its dot.
const longestEnding = 16

// Attach keeps a file that the user gives to a session; its content is in blob storage.
type Attach struct {
	AttachmentID string
	FileName     string
	ContentType  string // as its content says
	SizeBytes    int64
	Blob         string // its name in blob storage
	At           time.Time
}

// Attached says that messages of the session may name the file.
type Attached struct {
	AttachmentID string    `json:"attachmentId"`
	FileName     string    `json:"fileName" personal:"customer"`
	ContentType  string    `json:"contentType"`
	SizeBytes    int64     `json:"sizeBytes"`
	Blob         string    `json:"blob"`
	Test         bool      `json:"test,omitempty"` // of a test session: in no report
	At           time.Time `json:"at"`
}

var _ = event.Register[Attached](Sessions, "attached", 1)

// Attachment is what a session knows of a file.
type Attachment struct {
	ID          string
	Blob        string
	Name        string
	ContentType string
	SizeBytes   int64
}

// ToldFile is what an agent is told of a file of a message, in `files` of session.messageMetadata.
type ToldFile struct {
	AttachmentID string `json:"attachmentId,omitempty"` // empty: it did not come
	Name         string `json:"name,omitempty"`
	Type         string `json:"type,omitempty"`
	SizeBytes    int64  `json:"sizeBytes,omitempty"`
	Problem      string `json:"problem,omitempty"` // why it did not
}

// Told is the file as agents are told of it.
func (a Attachment) Told() ToldFile {
	return ToldFile{AttachmentID: a.ID, Name: a.Name, Type: a.ContentType, SizeBytes: a.SizeBytes}
}

// AttachmentFolder is below which name a file is put into blob storage.
func AttachmentFolder(tenant, session, attachment string) string {
	return "attachments/" + tenant + "/" + session + "/" + attachment
}

// FileID names a file of a session among all files that can be downloaded.
func FileID(session, attachment string) string { return session + "." + attachment }

// OfFile is the session and the attachment that a FileID names; false: it is none.
func OfFile(id string) (session, attachment string, ok bool) {
	at := strings.LastIndexByte(id, '.')
	if at < 0 {
		return "", "", false
	}
	return id[:at], id[at+1:], true
}

// TakesFile refuses a file that the session would not take, whatever it is.
func (s State) TakesFile() error {
	if err := s.Takes("files"); err != nil {
		return err
	}
	if len(s.Attachments) >= MostAttachments {
		return fault.New(fault.Conflict, "the session has %d files, and takes no more", MostAttachments)
	}
	return nil
}

// Decide takes a file once.
func (c Attach) Decide(s State) ([]event.Payload, error) {
	if s.Attachment(c.AttachmentID) != nil {
		return nil, nil
	}
	if err := s.TakesFile(); err != nil {
		return nil, err
	}
	return []event.Payload{Attached{AttachmentID: c.AttachmentID, FileName: FileName(c.FileName), ContentType: c.ContentType,
		SizeBytes: c.SizeBytes, Blob: c.Blob, Test: s.Talk.Test, At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Attached) Apply(s *State) {
	s.Attachments = append(s.Attachments[:len(s.Attachments):len(s.Attachments)], Attachment{ID: e.AttachmentID, Blob: e.Blob,
		Name: e.FileName, ContentType: e.ContentType, SizeBytes: e.SizeBytes})
}

// Attachment is the file of the session with an id; nil: there is none.
func (s State) Attachment(id string) *Attachment {
	for i := range s.Attachments {
		if s.Attachments[i].ID == id {
			return &s.Attachments[i]
		}
	}
	return nil
}

// Has refuses ids of which one names no file of the session.
func (s State) Has(attachments []string) error {
	for _, id := range attachments {
		if s.Attachment(id) == nil {
			return fault.Field("attachmentIds", "names no attachment of the session")
		}
	}
	return nil
}

// FileName is what a file is called here: without the folders that its sender has it in, and
// without what no name has. One that is too long keeps its ending, by which people know what it is.
func FileName(given string) string {
	if at := strings.LastIndexAny(given, `/\`); at >= 0 {
		given = given[at+1:]
	}
	name := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) { // such as those that turn the writing round
			return -1
		}
		return r
	}, given))
	if runes := []rune(name); len(runes) > LongestFileName {
		ending := []rune(path.Ext(name))
		if len(ending) > longestEnding {
			ending = nil
		}
		name = string(runes[:LongestFileName-len(ending)]) + string(ending)
	}
	if strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}
