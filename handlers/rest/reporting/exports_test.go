package reporting_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/reporting"
)

const appExport = "/api/public/bot/main/search/app-export"

// shelf is the search indexes of "tenant/project", and the jobs of "tenant/project/id".
type shelf struct {
	indexes map[string]models.SearchIndex
	jobs    map[string]models.ExportJob
	down    error
}

func (s *shelf) Of(_ context.Context, tenant, project string) (models.SearchIndex, error) {
	return s.indexes[tenant+"/"+project], s.down
}

func (s *shelf) Job(_ context.Context, tenant, project, id string) (models.ExportJob, bool, error) {
	j, ok := s.jobs[tenant+"/"+project+"/"+id]
	return j, ok, s.down
}

func newShelf(t *testing.T) (*resttest.Stored, *shelf) {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeSearchExport})
	s := &shelf{indexes: map[string]models.SearchIndex{"acme/p-1": {ID: "si-help", Version: 7}}, jobs: map[string]models.ExportJob{}}
	links := rest.FileLinks{MAC: w.Commands.MAC, Base: func() string { return "https://parley.example" }, Now: w.Commands.Now}
	reporting.DeclareExports(w.Api, reporting.ExportsAPI{Commands: w.Commands, Indexes: s, Jobs: s, Links: links})
	return w, s
}

func TestAnExportIsOfTheIndexAsItStandsNow(t *testing.T) {
	w, _ := newShelf(t)
	got := w.Ask("POST", appExport, `{"features":["answerConfig","chunkStages"]}`, "Idempotency-Key", "k-1")
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	e := resttest.Only[exports.Requested](w, exports.Jobs.Category)
	require.JSONEq(t, fmt.Sprintf(`{"status":"QUEUED","jobId":%q}`, e.JobID), got.Text)
	require.Regexp(t, "^fj-", e.JobID)
	require.Equal(t, []any{"acme", "p-1", "si-help", int64(7), w.Now}, []any{e.TenantID, e.ProjectID, e.SearchIndexID, e.IndexVersion, e.At})
	require.Equal(t, []searchindexes.Feature{"chunkStages", "answerConfig"}, e.Features, "in the order of the document")

	again := w.Ask("POST", appExport, `{"features":["answerConfig","chunkStages"]}`, "Idempotency-Key", "k-1")
	require.Equal(t, got.Text, again.Text, "a repeat is the same job")
	require.Empty(t, w.Since())
	w.Refused(w.Ask("POST", appExport, `{"features":[]}`, "Idempotency-Key", "k-1"), http.StatusConflict)
}

func TestAnExportAnsweredEarly(t *testing.T) {
	w, _ := newShelf(t)
	got := w.Ask("POST", appExport, `{"features":[]}`, "Prefer", "respond-async")
	require.Equal(t, http.StatusAccepted, got.Status, got.Text)
	var answer struct{ JobID string }
	got.Decode(t, &answer)
	require.Equal(t, appExport+"/jobs/"+answer.JobID, got.Header.Get("Location"), "where it can be asked how far it is")
	require.Eventually(t, func() bool { return len(w.Events.Accepted()) > 0 }, resttest.WaitLong, resttest.WaitStep)
	require.Equal(t, answer.JobID, resttest.Only[exports.Requested](w, exports.Jobs.Category).JobID)
}

// The caller learns that nothing was written.
func TestAnExportThatTheLogDoesNotTake(t *testing.T) {
	w, _ := newShelf(t)
	w.Events.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("no leader") }})
	w.Refused(w.Ask("POST", appExport, `{"features":[]}`), http.StatusServiceUnavailable)
}

func TestAProjectWithoutAnIndexGetsAJobThatFailed(t *testing.T) {
	w, s := newShelf(t)
	delete(s.indexes, "acme/p-1")
	got := w.Ask("POST", appExport, `{"features":[]}`)
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.Contains(t, got.Text, `"status":"FAILED"`)
}

func TestAnExportThatIsRefused(t *testing.T) {
	w, s := newShelf(t)
	for body, field := range map[string]string{`{}`: "features", `{"features":["everything"]}`: "features[0]",
		`{"features":"all"}`:                         "features",
		`{"features":["chunkStages","chunkStages"]}`: "features"} {
		w.Refused(w.Ask("POST", appExport, body), http.StatusBadRequest, field)
	}
	w.Refused(w.Ask("POST", "/api/public/bot/p-2/search/app-export", `{"features":[]}`), http.StatusNotFound)
	s.down = fault.New(fault.Unavailable, "the read models catch up")
	w.Refused(w.Ask("POST", appExport, `{"features":[]}`), http.StatusServiceUnavailable)
	w.Refused(w.Ask("GET", appExport+"/jobs/fj-1", ""), http.StatusServiceUnavailable)
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeRouting})
	w.Refused(w.Ask("POST", appExport, `{"features":[]}`), http.StatusForbidden)
	w.Refused(w.Ask("GET", appExport+"/jobs/fj-1", ""), http.StatusForbidden)
}

func TestHowFarAnExportIs(t *testing.T) {
	w, s := newShelf(t)
	link := rest.FileLinks{MAC: w.Commands.MAC, Base: func() string { return "https://parley.example" }, Now: w.Commands.Now}.Link("file-1")
	done := models.ExportJob{ID: "fj-1", IndexID: "si-help", Status: exports.Success, RequestedAt: w.Now, FileID: "file-1", FileName: "si.zip",
		Blob: "b/1", Features: []exports.FeatureResult{{Feature: "answerConfig", Status: "success"}}}
	s.jobs["acme/p-1/fj-1"] = done
	queued := done
	queued.ID, queued.Status, queued.Features = "fj-2", exports.Queued, nil
	s.jobs["acme/p-1/fj-2"] = queued
	s.jobs["acme/p-1/fj-3"] = models.ExportJob{ID: "fj-3", Status: exports.Failure, RequestedAt: w.Now, Reason: "NO_INDEX"}
	s.jobs["acme/p-9/fj-4"], s.jobs["globex/p-1/fj-5"] = done, done
	for id, want := range map[string]string{
		"fj-1": `{"_id":"fj-1","status":"SUCCESS","createdOn":"2025-03-01T12:00:00.000Z","searchIndexId":"si-help",
			"fileInfo":{"fileId":"file-1","fileName":"si.zip","fileUrl":"blob:b/1","externalFileURL":"` + link + `"},
			"validation":[{"feature":"answerConfig","status":"success"}]}`,
		"fj-2": `{"_id":"fj-2","status":"QUEUED","createdOn":"2025-03-01T12:00:00.000Z","searchIndexId":"si-help","validation":[]}`,
		"fj-3": `{"_id":"fj-3","status":"FAILED","createdOn":"2025-03-01T12:00:00.000Z","validation":[],"reason":"NO_INDEX"}`,
	} {
		got := w.Ask("GET", appExport+"/jobs/"+id, "")
		require.Equal(t, http.StatusOK, got.Status, got.Text)
		require.JSONEq(t, want, got.Text)
	}
	for _, id := range []string{"fj-4", "fj-5", "fj-6"} {
		w.Refused(w.Ask("GET", appExport+"/jobs/"+id, ""), http.StatusNotFound)
	}
}
