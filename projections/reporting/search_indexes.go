package reporting

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/projections"
)

// SearchIndexesModel stores which search index a project has, and at which version of
// its stream. The settings are folded from the stream when they are needed.
var SearchIndexesModel = newSearchIndexesModel()

func newSearchIndexesModel() *projections.Model {
	m := projections.NewModel("search-indexes", 1, []string{"search_indexes"}, searchindexes.Indexes.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e searchindexes.IndexDefined) {
		b.Put("search_indexes", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID}, projections.Row{"index_id": e.IndexID,
			"version": at.Version})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e searchindexes.IndexRemoved) {
		b.Delete("search_indexes", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID})
	})
	return m
}

// SearchIndexes answers which search index a project has.
type SearchIndexes struct{ db *pgxpool.Pool }

// NewSearchIndexes reads through the pool.
func NewSearchIndexes(db *pgxpool.Pool) *SearchIndexes { return &SearchIndexes{db} }

// SearchIndex is a project's search index; an empty ID means that it has none.
type SearchIndex struct {
	ID      string
	Version int64 // of its stream, at its newest definition
}

// Of finds the search index of a project.
func (x *SearchIndexes) Of(ctx context.Context, tenant, project string) (i SearchIndex, err error) {
	err = x.db.QueryRow(ctx, `SELECT index_id, version FROM search_indexes WHERE tenant = $1 AND project_id = $2`, tenant, project).Scan(&i.ID,
		&i.Version)
	if err := projections.Found(err, "reading the search index of a project"); err != nil {
		return SearchIndex{}, fmt.Errorf("project %s: %w", project, err)
	}
	return i, nil
}
