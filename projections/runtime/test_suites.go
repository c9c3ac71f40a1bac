package runtime

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/projections"
)

// TestSuitesModel stores which test suites projects have.
var TestSuitesModel = newTestSuitesModel()

func newTestSuitesModel() *projections.Model {
	m := projections.NewModel("test_suites", 1, []string{"test_suites"}, testsuites.Suites.Category)
	key := func(tenant, project, id string) projections.Row {
		return projections.Row{"tenant": tenant, "project_id": project, "suite_id": id}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e testsuites.SuiteDefined) {
		b.Put("test_suites", key(e.TenantID, e.ProjectID, e.ID), projections.Row{"name": e.Name, "agent": e.Agent, "language": e.Language,
			"cases": e.Cases, "version": at.Version})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e testsuites.SuiteRemoved) {
		b.Delete("test_suites", key(e.TenantID, e.ProjectID, e.SuiteID))
	})
	return m
}

// TestSuites answers which test suites there are, and how runs of them go.
type TestSuites struct{ db *pgxpool.Pool }

// NewTestSuites reads through the pool.
func NewTestSuites(db *pgxpool.Pool) *TestSuites { return &TestSuites{db} }

// TestSuite is one of them.
type TestSuite struct {
	SuiteID  string
	Name     string
	Agent    string
	Language string
	Cases    []testsuites.Case
	Version  int64 // of the stream of suites, which has it so
}

const selectSuites = `SELECT suite_id, name, agent, language, cases, version FROM test_suites `

// Named finds the suite of a project with a name.
func (x *TestSuites) Named(ctx context.Context, tenant, project, name string) (TestSuite, bool, error) {
	return projections.One[TestSuite](ctx, x.db, "looking for a test suite", selectSuites+
		`WHERE tenant = $1 AND project_id = $2 AND name = $3 LIMIT 1`, tenant, project, name)
}

// List returns the suites of a project by name, and how many there are in all.
func (x *TestSuites) List(ctx context.Context, tenant, project string, limit, offset int) ([]TestSuite, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 `
	return projections.Page[TestSuite](ctx, x.db, "listing test suites", projections.PageQuery{
		Count: `SELECT count(*) FROM test_suites ` + where,
		Rows:  selectSuites + where + `ORDER BY name LIMIT $3 OFFSET $4`,
		Args:  []any{tenant, project}, Limit: limit, Offset: offset})
}
