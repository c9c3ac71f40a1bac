package exports

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// File is the file of a job, as it lies in blob storage.
type File struct {
	ID        string // file-<uuid>
	Name      string // for people
	Blob      string // its name in blob storage
	SizeBytes int64
	SHA256    string // hexadecimal
}

// Finish says that the file is stored.
type Finish struct {
	File File
	At   time.Time
}

// Succeeded says where the file is. Every feature that was asked for is in it.
type Succeeded struct {
	TenantID  string          `json:"tenantId"`
	Attempt   int             `json:"attempt"`
	FileID    string          `json:"fileId"`
	FileName  string          `json:"fileName"`
	Blob      string          `json:"blob"`
	SizeBytes int64           `json:"sizeBytes"`
	SHA256    string          `json:"sha256"`
	Features  []FeatureResult `json:"features"`
	At        time.Time       `json:"at"`
}

var _ = event.Register[Succeeded](Jobs, "succeeded", 1)

// ContentType is that of every exported file.
const ContentType = "application/zip"

// Folder is below which name the file of a job is put into blob storage.
func Folder(tenantID, jobID string) string { return "exports/" + tenantID + "/" + jobID }

// FeatureSuccess is the status of an exported feature, in validation of
// get-search-export.
const FeatureSuccess = "success"

// Decide takes the first file of a job that has not ended. A worker that comes late,
// after its lease, has built the same file as any other would.
func (c Finish) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Live() || s.Attempt.Begun() == 0 {
		return nil, nil
	}
	e := Succeeded{TenantID: s.Request.TenantID, Attempt: s.Attempt.Begun(), FileID: c.File.ID, FileName: c.File.Name, Blob: c.File.Blob,
		SizeBytes: c.File.SizeBytes, SHA256: c.File.SHA256, At: event.Stamp(c.At)}
	for _, feature := range s.Request.Features {
		e.Features = append(e.Features, FeatureResult{feature, FeatureSuccess})
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Succeeded) Apply(s *State) {
	s.Status = Success
	s.Attempt.End()
}
