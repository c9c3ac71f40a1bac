package voicemails

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Source is how a recording came to be.
type Source string

// The sources.
const (
	Ingest       Source = "ingest"        // given to the API
	QueueTimeout Source = "queue-timeout" // nobody took the transfer in time
)

// Record keeps a recording whose audio is in blob storage.
type Record struct {
	VoicemailID string // bare UUID
	TenantID    string
	ProjectID   string
	SessionID   string
	FileName    string // empty: one is made of the voicemail's id
	ContentType string // as CheckAudio tells it
	SizeBytes   int64
	DurationMs  int64  // 0: not known
	Blob        string // its name in blob storage
	SHA256      string // hexadecimal
	CallerID    string // who left it; optional
	Language    string // that is spoken; optional
	Source      Source
	Provider    string // of the recorder; local: made by rules
	At          time.Time
}

// Holding is the command for this audio, which is of a type that CheckAudio told.
func (c Record) Holding(audio []byte, contentType string) Record {
	sum := sha256.Sum256(audio)
	c.ContentType, c.SizeBytes, c.DurationMs, c.SHA256 = contentType, int64(len(audio)), DurationMs(audio), hex.EncodeToString(sum[:])
	return c
}

// Recorded says that somebody left a voicemail. Its file is named by FileID.
type Recorded struct {
	VoicemailID string    `json:"voicemailId"`
	TenantID    string    `json:"tenantId"`
	ProjectID   string    `json:"projectId"`
	SessionID   string    `json:"sessionId"`
	FileID      string    `json:"fileId"`
	FileName    string    `json:"fileName" personal:"caller"`
	ContentType string    `json:"contentType"`
	SizeBytes   int64     `json:"sizeBytes"`
	DurationMs  int64     `json:"durationMs,omitempty"`
	Blob        string    `json:"blob"`
	SHA256      string    `json:"sha256"`
	CallerID    string    `json:"callerId,omitempty" personal:"caller"`
	Language    string    `json:"language,omitempty"`
	Source      Source    `json:"source"`
	Provider    string    `json:"provider,omitempty"`
	At          time.Time `json:"at"`
}

var _ = event.Register[Recorded](Voicemails, "recorded", 1)

// Extension is how the name of a file with the recording ends, with its dot. Its name in blob storage has none.
func (e Recorded) Extension() string {
	f, ok := formatOf(e.ContentType)
	if !ok {
		return ""
	}
	return "." + f.extension
}

// FileIDPrefix begins the ids of files that are downloaded.
const FileIDPrefix = "file-"

// Folder is below which name the audio of a voicemail is put into blob storage.
func Folder(tenantID, voicemailID string) string { return "voicemails/" + tenantID + "/" + voicemailID }

// LeftOnCall is the name of a message that somebody leaves on a call. It is known before the message is stored, so a node that is killed
// in between leaves no file that an erasure of the call would not find.
func LeftOnCall(tenantID, voicemailID string) string { return Folder(tenantID, voicemailID) + "/left" }

// The longest names, in characters.
const (
	MaxFileName = 200
	MaxCallerID = 256
)

// Decide takes a voicemail once.
func (c Record) Decide(s State) ([]event.Payload, error) {
	if s.Status != "" {
		return nil, fault.New(fault.Conflict, "the voicemail %s is recorded already", c.VoicemailID)
	}
	name := strings.TrimSpace(c.FileName)
	if err := c.check(name); err != nil {
		return nil, err
	}
	if f, ok := formatOf(c.ContentType); ok && name == "" {
		name = "voicemail-" + c.VoicemailID + "." + f.extension
	}
	return []event.Payload{Recorded{VoicemailID: c.VoicemailID, TenantID: c.TenantID, ProjectID: c.ProjectID, SessionID: c.SessionID,
		FileID: FileIDPrefix + c.VoicemailID, FileName: name, ContentType: c.ContentType, SizeBytes: c.SizeBytes, DurationMs: c.DurationMs,
		Blob: c.Blob, SHA256: c.SHA256, CallerID: c.CallerID, Language: c.Language, Source: c.Source, Provider: c.Provider,
		At: event.Stamp(c.At)}}, nil
}

// Validate tells what is wrong with the names that a caller gives, before anything is
// stored.
func (c Record) Validate() error { return c.check(strings.TrimSpace(c.FileName)) }

func (c Record) check(name string) error {
	var f fault.Fields
	if !plain(name, MaxFileName) || strings.ContainsAny(name, `/\`) {
		f.Add("fileName", "must be at most %d characters without / and \\ and control characters", MaxFileName)
	}
	if !plain(c.CallerID, MaxCallerID) {
		f.Add("callerId", "must be at most %d characters without control characters", MaxCallerID)
	}
	if c.Language != "" && !access.ValidLanguage(c.Language) {
		f.Add("language", "must be a language tag such as en or de-AT")
	}
	return f.Err()
}

func plain(text string, longest int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= longest && !strings.ContainsFunc(text, unicode.IsControl)
}

// Apply folds the event.
func (e Recorded) Apply(s *State) {
	s.Recording, s.Status, s.Round, s.Asked = e, TranscriptPending, 1, e.At
	s.Attempt.Ask()
}
