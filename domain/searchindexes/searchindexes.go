// Package searchindexes owns the settings of a project's search index: what cuts documents
// into chunks, ranks results and makes answers of them.
//
// It keeps the settings as the JSON they were given as, and never searches.
package searchindexes

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/event"
)

// Indexes holds one stream per project (see Stream). Its rules:
//
//   - a project has one search index at most
//   - a definition repeated changes nothing, however its JSON is written
var Indexes = event.NewAggregate[State]("searchindexes", "searchindexes", event.Quiet)

// Stream names the stream of a project's search index. The separator is a character
// that no id can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, projectID string) string { return Indexes.Stream(tenantID + "." + projectID) }

// Feature is a part of the settings that can be exported by itself.
type Feature string

// The features, by the names that export-search-app takes.
const (
	ChunkStages         Feature = "chunkStages"
	AdvancedConfig      Feature = "advancedConfig"
	BusinessRules       Feature = "businessRules"
	SearchResultsConfig Feature = "searchResultsConfig"
	AnswerConfig        Feature = "answerConfig"
	AnswerRetrievals    Feature = "answerRetrievals"
)

// Features lists all features in the order in which the API lists them.
func Features() []Feature {
	return []Feature{ChunkStages, AdvancedConfig, BusinessRules, SearchResultsConfig, AnswerConfig, AnswerRetrievals}
}

// State is the state of one project's stream; an empty ID means that the project has
// no search index.
type State struct {
	ID       string
	Name     string
	Settings map[Feature]json.RawMessage // canonical JSON; a feature that is not set up is absent
}
