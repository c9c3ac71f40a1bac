package apply

import (
	"context"
	"encoding/json"
	"github.com/parley-platform/parley/domain/searchindexes"
)

// SearchIndexSpec is the spec of kind SearchIndex: the features that export-search-app
// names, each any JSON value.
type SearchIndexSpec struct {
	ProjectID           string          `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias. A project has one search index."`
	ChunkStages         json.RawMessage `json:"chunkStages,omitempty" jsonschema_description:"How documents are cut into chunks."`
	AdvancedConfig      json.RawMessage `json:"advancedConfig,omitempty" jsonschema_description:"What is tuned beside."`
	BusinessRules       json.RawMessage `json:"businessRules,omitempty" jsonschema_description:"Rules that raise, lower or hide results."`
	SearchResultsConfig json.RawMessage `json:"searchResultsConfig,omitempty" jsonschema_description:"How results are shown."`
	AnswerConfig        json.RawMessage `json:"answerConfig,omitempty" jsonschema_description:"How answers are made."`
	AnswerRetrievals    json.RawMessage `json:"answerRetrievals,omitempty" jsonschema_description:"Which chunks an answer is made of."`
}

var searchIndexKind = define(label{
	name:  searchIndexName,
	about: "The configuration of a project's search application, as it can be exported.",
}, searchIndexSteps, nil).pruned(searchIndexesLeft)

func searchIndexSteps(ctx context.Context, p *planner, d *draft, spec SearchIndexSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	define := searchindexes.DefineIndex{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name,
		Settings: map[searchindexes.Feature]json.RawMessage{
			searchindexes.ChunkStages: spec.ChunkStages, searchindexes.AdvancedConfig: spec.AdvancedConfig,
			searchindexes.BusinessRules:       spec.BusinessRules,
			searchindexes.SearchResultsConfig: spec.SearchResultsConfig, searchindexes.AnswerConfig: spec.AnswerConfig,
			searchindexes.AnswerRetrievals: spec.AnswerRetrievals}}
	exists := func(s searchindexes.State) bool { return s.ID == id }
	return []step{on(searchindexes.Indexes, searchindexes.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

func searchIndexesLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
		stream := searchindexes.Stream(tenant, project)
		s, err := stateOf(ctx, p, searchindexes.Indexes, stream)
		if err != nil || s.ID == "" {
			return nil, err
		}
		if _, named := p.claimed(searchIndexName, tenant, project, s.ID); named {
			return nil, nil
		}
		remove := searchindexes.RemoveIndex{TenantID: tenant, ProjectID: project, ID: s.ID}
		return []leftover{{id: s.ID, name: s.Name, steps: []step{removing(searchindexes.Indexes, stream, remove.Decide)}}}, nil
	})
}
