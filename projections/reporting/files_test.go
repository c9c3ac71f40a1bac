package reporting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/exports"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given the file of an export, then it is whose who has its id.
func TestAnswersAboutFiles(t *testing.T) {
	w := given.Open(t)
	w.Given(reporting.FilesModel, "jobId", given.Filled[exports.Requested](), given.Filled[exports.Succeeded]())
	f, there, err := reporting.NewFiles(w.DB).Named(t.Context(), "fileId")
	require.NoError(t, err)
	require.True(t, there)
	f.StoredAt = f.StoredAt.UTC()
	require.Equal(t, reporting.File{ID: "fileId", Name: "fileName", ContentType: "application/zip", Blob: "blob", SHA256: "sha256",
		StoredAt: given.Second(13)}, f)
	_, there, err = reporting.NewFiles(w.DB).Named(t.Context(), "other")
	require.NoError(t, err)
	require.False(t, there)
}
