package reporting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/exports"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given an export, then the job is its project's.
func TestAnswersAboutExports(t *testing.T) {
	w := given.Open(t)
	w.Given(reporting.ExportsModel, "jobId", given.Filled[exports.Requested](), given.Filled[exports.Succeeded]())
	j, there, err := reporting.NewExports(w.DB).Job(t.Context(), "tenantId", "projectId", "jobId")
	require.NoError(t, err)
	require.True(t, there)
	j.RequestedAt = j.RequestedAt.UTC()
	require.Equal(t, reporting.ExportJob{ID: "jobId", IndexID: "searchIndexId", Status: exports.Success, RequestedAt: given.Second(9),
		Features: []exports.FeatureResult{{Feature: "feature", Status: "status"}}, FileID: "fileId", FileName: "fileName", Blob: "blob"}, j)
	for _, place := range [][2]string{{"other", "projectId"}, {"tenantId", "other"}} {
		_, there, err = reporting.NewExports(w.DB).Job(t.Context(), place[0], place[1], "jobId")
		require.NoError(t, err)
		require.False(t, there)
	}
}
