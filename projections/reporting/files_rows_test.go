package reporting_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/voicemails"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
)

// Given the events of files, then these are the rows after each.
func TestRowsOfFiles(t *testing.T) {
	model := given.Open(t).Follow(reporting.FilesModel)
	model.After("j", given.Filled[exports.Succeeded](),
		"+ files file_id=fileId tenant=tenantId blob=blob file_name=fileName content_type=application/zip size_bytes=7 "+
			"sha256=sha256 stored_at=12:00:13",
	)
	model.After("v", given.Filled(func(e *voicemails.Recorded) { e.FileID = "another" }),
		"+ files file_id=another tenant=tenantId blob=blob file_name=fileName content_type=contentType size_bytes=9 "+
			"sha256=sha256 stored_at=12:00:17",
	)
}
