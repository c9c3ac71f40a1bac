package searchindexes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxSettings is how large the settings of one index may be in all, in bytes of JSON
// without white space.
const MaxSettings = 1 << 20

// DefineIndex makes or changes a project's search index (manifest kind SearchIndex).
type DefineIndex struct {
	TenantID  string
	ProjectID string // spec.projectId, resolved
	ID        string // metadata.id
	Name      string // metadata.name
	Settings  map[Feature]json.RawMessage
}

// IndexDefined says what the index now is. A feature that is absent is not set up.
type IndexDefined struct {
	TenantID            string          `json:"tenantId"`
	ProjectID           string          `json:"projectId"`
	IndexID             string          `json:"indexId"`
	Name                string          `json:"name"`
	ChunkStages         json.RawMessage `json:"chunkStages,omitempty"`
	AdvancedConfig      json.RawMessage `json:"advancedConfig,omitempty"`
	BusinessRules       json.RawMessage `json:"businessRules,omitempty"`
	SearchResultsConfig json.RawMessage `json:"searchResultsConfig,omitempty"`
	AnswerConfig        json.RawMessage `json:"answerConfig,omitempty"`
	AnswerRetrievals    json.RawMessage `json:"answerRetrievals,omitempty"`
}

var _ = event.Register[IndexDefined](Indexes, "defined", 1)

// Decide refuses a second index of the project.
func (c DefineIndex) Decide(s State) ([]event.Payload, error) {
	name, settings, err := c.checked()
	if err != nil {
		return nil, err
	}
	if s.ID != "" && s.ID != c.ID {
		return nil, fault.New(fault.Conflict, "the project has the search index %s already", s.ID)
	}
	if s.ID == c.ID && s.Name == name && equal(s.Settings, settings) {
		return nil, nil
	}
	return []event.Payload{IndexDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, IndexID: c.ID, Name: name,
			ChunkStages: settings[ChunkStages], AdvancedConfig: settings[AdvancedConfig], BusinessRules: settings[BusinessRules],
			SearchResultsConfig: settings[SearchResultsConfig], AnswerConfig: settings[AnswerConfig], AnswerRetrievals: settings[AnswerRetrievals]}},
		nil
}

func (c DefineIndex) checked() (string, map[Feature]json.RawMessage, error) {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	access.CheckID(&f, "spec.projectId", c.ProjectID)
	name := access.CheckName(&f, "metadata.name", c.Name)
	settings, size := map[Feature]json.RawMessage{}, 0
	for _, feature := range Features() {
		value, err := canonical(c.Settings[feature])
		if err != nil {
			f.Add("spec."+string(feature), "is not valid JSON")
		}
		if len(value) > 0 {
			settings[feature] = value
		}
		size += len(value)
	}
	if size > MaxSettings {
		f.Add("spec", "must be at most %d bytes of JSON, has %d", MaxSettings, size)
	}
	return name, settings, f.Err()
}

// canonical orders members by name and drops white space, so that equal values have
// equal bytes. Numbers keep their digits. Nothing and null are nothing.
func canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading a setting: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading a setting: something follows its value")
	}
	if v == nil {
		return nil, nil
	}
	return json.Marshal(v) // escapes < > & as the log's encoder does, so that what is folded equals what is decided
}

func equal(a, b map[Feature]json.RawMessage) bool {
	for _, feature := range Features() {
		if !bytes.Equal(a[feature], b[feature]) {
			return false
		}
	}
	return true
}

// Apply folds the event.
func (e IndexDefined) Apply(s *State) {
	s.ID, s.Name, s.Settings = e.IndexID, e.Name, map[Feature]json.RawMessage{}
	for feature, value := range map[Feature]json.RawMessage{ChunkStages: e.ChunkStages, AdvancedConfig: e.AdvancedConfig,
		BusinessRules:       e.BusinessRules,
		SearchResultsConfig: e.SearchResultsConfig, AnswerConfig: e.AnswerConfig, AnswerRetrievals: e.AnswerRetrievals} {
		if len(value) > 0 {
			s.Settings[feature] = value
		}
	}
}
