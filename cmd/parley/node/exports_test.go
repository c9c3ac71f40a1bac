package node_test

import (
	"archive/zip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const exportPath = "/api/public/bot/" + mainApp + "/search/app-export"

// indexSpec is a search index with everything but answerRetrievals.
var indexSpec = map[string]any{"projectId": mainApp, "chunkStages": []any{map[string]any{"size": 512.0}}, "advancedConfig": map[string]any{
	"<b>": "é & ü"}, "businessRules": []any{},
	"searchResultsConfig": map[string]any{"rows": 10.0}, "answerConfig": "short"}

// exportJob is what get-search-export answers.
type exportJob struct {
	ID            string `json:"_id"`
	Status        string
	CreatedOn     time.Time
	SearchIndexID string
	Reason        string
	FileInfo      *struct{ FileID, FileName, FileURL, ExternalFileURL string }
	Validation    []struct{ Feature, Status string }
}

// exporting is a tenant with a search index, and one who may export it.
type exporting struct {
	*tenant
	auth string
}

func newExporting(t *testing.T, on *server) exporting {
	t.Helper()
	w := exporting{tenant: newTenant(t, on, "t-"+strings.ReplaceAll(uuid.NewString(), "-", "")[:12])}
	w.apply(t, "SearchIndex", "si-main", "Help", indexSpec)
	w.auth = w.token(t, func(g *tokens.Grant) {
		g.Scopes, g.Permissions = []access.ClientScope{access.ScopeSearchExport}, nil
	})
	return w
}

func (w exporting) export(t *testing.T, bot string, features ...string) (jobID string) {
	t.Helper()
	if features == nil {
		features = []string{}
	}
	var out struct{ Status, JobID string }
	w.on.do(t, "POST", "/api/public/bot/"+bot+"/search/app-export", fields{"features": features}, "auth", w.auth).must(t, 200).into(t, &out)
	require.True(t, strings.HasPrefix(out.JobID, "fj-"), out.JobID)
	return out.JobID
}

func (w exporting) job(t *testing.T, on *server, jobID string) (j exportJob) {
	t.Helper()
	on.do(t, "GET", exportPath+"/jobs/"+jobID, nil, "auth", w.auth).must(t, 200).into(t, &j)
	require.Equal(t, jobID, j.ID)
	return j
}

func (w exporting) ended(t *testing.T, on *server, jobID string) (j exportJob) {
	t.Helper()
	until(t, "the end of the export", func() bool {
		j = w.job(t, on, jobID)
		return j.Status == "SUCCESS" || j.Status == "FAILED"
	})
	return j
}

// download follows an address as anybody would, without a credential.
func download(t *testing.T, url string, headers ...string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return &answer{Status: res.StatusCode, Header: res.Header, Text: string(body)}
}

// unzip reads every file of an export.
func unzip(t *testing.T, archive string) map[string]any {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	out := map[string]any{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal(data, &v), f.Name)
		require.NotContains(t, out, f.Name)
		out[f.Name] = v
	}
	return out
}

func TestASearchExport(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newExporting(t, c.a)

	t.Run("of everything", func(t *testing.T) {
		j := w.ended(t, c.b, w.export(t, mainApp))
		require.Equal(t, "SUCCESS", j.Status)
		require.Equal(t, "si-main", j.SearchIndexID)
		require.WithinDuration(t, time.Now(), j.CreatedOn, 2*patience)
		require.Len(t, j.Validation, 6)
		for i, feature := range searchindexes.Features() {
			require.Equal(t, struct{ Feature, Status string }{string(feature), "success"}, j.Validation[i])
		}
		require.True(t, strings.HasPrefix(j.FileInfo.FileID, "file-"))
		require.True(t, strings.HasPrefix(j.FileInfo.FileURL, "blob:exports/"+w.id+"/"+j.ID+"/"))
		require.Regexp(t, `^si-main-\d{8}-\d{6}\.zip$`, j.FileInfo.FileName)

		got := download(t, j.FileInfo.ExternalFileURL).must(t, 200)
		require.Equal(t, "application/zip", got.Header.Get("Content-Type"))
		require.Equal(t, "attachment; filename="+j.FileInfo.FileName, got.Header.Get("Content-Disposition"))
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		want := map[string]any{"answerRetrievals.json": nil}
		for _, feature := range searchindexes.Features() {
			want[string(feature)+".json"] = indexSpec[string(feature)]
		}
		require.Equal(t, want, unzip(t, got.Text))
	})
	t.Run("of some features, in the order of the spec", func(t *testing.T) {
		j := w.ended(t, c.a, w.export(t, mainAlias, "answerConfig", "chunkStages"))
		require.Equal(t, []struct{ Feature, Status string }{{"chunkStages", "success"}, {"answerConfig", "success"}}, j.Validation)
		require.Equal(t, map[string]any{"chunkStages.json": indexSpec["chunkStages"], "answerConfig.json": "short"},
			unzip(t, download(t, j.FileInfo.ExternalFileURL).must(t, 200).Text))
	})
	t.Run("of nothing: a project without a search index", func(t *testing.T) {
		var out struct{ Status, JobID string }
		c.a.do(t, "POST", "/api/public/bot/"+otherApp+"/search/app-export", fields{"features": []string{}}, "auth", w.auth).must(t, 200).into(t,
			&out)
		require.Equal(t, "FAILED", out.Status)
		got := c.b.do(t, "GET", "/api/public/bot/"+otherApp+"/search/app-export/jobs/"+out.JobID, nil, "auth", w.auth).must(t, 200)
		var j exportJob
		got.into(t, &j)
		require.Equal(t, "the project has no search index", j.Reason)
		require.Nil(t, j.FileInfo)
		require.NotContains(t, got.Text, "searchIndexId")
		require.Contains(t, got.Text, `"validation":[]`)
	})
	t.Run("the index as it stood at the request", func(t *testing.T) {
		id := "fj-" + uuid.NewString()
		w.history(t, c.a, id, exports.Request{JobID: id, TenantID: w.id, ProjectID: mainApp, IndexID: "si-main", IndexVersion: 1,
			Features: []string{"answerConfig"}, At: time.Now().Add(-time.Minute)}.Decide,
			exports.Start{At: time.Now().Add(-time.Minute), LeaseUntil: time.Now().Add(2 * time.Second)}.Decide)
		changed := map[string]any{"projectId": mainApp, "answerConfig": "long"}
		w.apply(t, "SearchIndex", "si-main", "Help", changed)
		defer w.apply(t, "SearchIndex", "si-main", "Help", indexSpec)
		j := w.ended(t, c.a, id)
		require.Equal(t, map[string]any{"answerConfig.json": "short"}, unzip(t, download(t, j.FileInfo.ExternalFileURL).must(t, 200).Text))
	})
	t.Run("asked for twice with one Idempotency-Key", func(t *testing.T) {
		body := fields{"features": []string{"chunkStages"}}
		first := c.a.do(t, "POST", exportPath, body, "auth", w.auth, "Idempotency-Key", "k1").must(t, 200)
		again := c.b.do(t, "POST", exportPath, body, "auth", w.auth, "Idempotency-Key", "k1").must(t, 200)
		require.Equal(t, first.Text, again.Text)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		c.a.do(t, "POST", exportPath, fields{"features": []string{}}, "auth", w.auth, "Idempotency-Key", "k1").refused(t, 409, fault.Conflict)
	})
	t.Run("faults", func(t *testing.T) {
		for _, one := range []struct {
			body  any
			field string
		}{
			{fields{}, "features"}, {fields{"features": nil}, "features"}, {fields{"features": "chunkStages"}, "features"},
			{fields{"features": []string{"chunkstages"}}, "features[0]"},
			{fields{"features": []string{"answerConfig", "x"}}, "features[1]"}, {fields{"features": []string{"answerConfig", "answerConfig"}},
				"features"},
		} {
			c.a.do(t, "POST", exportPath, one.body, "auth", w.auth).refused(t, 400, fault.Validation, one.field)
		}
	})
	t.Run("who may", func(t *testing.T) {
		id, theirs := w.export(t, mainApp), newExporting(t, c.a)
		for _, one := range []struct{ method, path string }{{"POST", exportPath}, {"GET", exportPath + "/jobs/" + id}} {
			var body any
			if one.method == "POST" {
				body = fields{"features": []string{}}
			}
			c.a.do(t, one.method, one.path, body).refused(t, 401, fault.Unauthorized)
			c.a.do(t, one.method, one.path, body, "x-api-key", w.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
			c.a.do(t, one.method, one.path, body, "auth",
				w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeAssistVoicemail} })).refused(t, 403, fault.Forbidden)
		}
		c.a.do(t, "GET", exportPath+"/jobs/"+id, nil, "auth", theirs.auth).refused(t, 404, fault.NotFound)
		c.a.do(t, "GET", "/api/public/bot/"+otherApp+"/search/app-export/jobs/"+id, nil, "auth", w.auth).refused(t, 404, fault.NotFound)
		c.a.do(t, "GET", exportPath+"/jobs/fj-%00", nil, "auth", w.auth).refused(t, 404, fault.NotFound)
		c.a.do(t, "POST", "/api/public/bot/no-such/search/app-export", fields{"features": []string{}}, "auth", w.auth).refused(t, 404,
			fault.NotFound)
	})
}

func TestSignedAddressesOfFiles(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newExporting(t, c.a)
	first, second := w.ended(t, c.a, w.export(t, mainApp)), w.ended(t, c.a, w.export(t, mainApp, "answerConfig"))
	url := first.FileInfo.ExternalFileURL
	whole := download(t, url).must(t, 200)

	t.Run("parts of a file", func(t *testing.T) {
		got := download(t, url, "Range", "bytes=2-5").must(t, 206)
		require.Equal(t, whole.Text[2:6], got.Text)
		require.Equal(t, fmt.Sprintf("bytes 2-5/%d", len(whole.Text)), got.Header.Get("Content-Range"))
		download(t, url, "Range", "bytes=999999-").must(t, 416)
		require.Empty(t, download(t, url, "If-None-Match", whole.Header.Get("ETag")).must(t, 304).Text)
	})
	t.Run("on any node", func(t *testing.T) {
		require.Equal(t, whole.Text, download(t, c.b.URL()+strings.TrimPrefix(url, c.a.URL())).must(t, 200).Text)
	})
	signed := func(file string, expires int64) string {
		at := strconv.FormatInt(expires, 10)
		return c.a.URL() + "/api/v1/files/" + file + "?expires=" + at + "&signature=" + hex.EncodeToString(c.a.Vault().MAC(rest.PurposeFileURL,
			file, at))
	}
	now := time.Now().Unix()
	t.Run("expired", func(t *testing.T) {
		download(t, signed(first.FileInfo.FileID, now+3600)).must(t, 200)
		download(t, signed(first.FileInfo.FileID, now-1)).refused(t, 410, fault.Gone)
	})
	t.Run("forged and altered", func(t *testing.T) {
		_, query, _ := strings.Cut(url, "?")
		bare, signature, _ := strings.Cut(url, "&signature=")
		for name, forged := range map[string]string{
			"another file":      c.a.URL() + "/api/v1/files/" + second.FileInfo.FileID + "?" + query,
			"a later end":       strings.Replace(url, "expires=1", "expires=2", 1),
			"another signature": bare + "&signature=" + strings.Repeat("0", 64),
			"a guessed file":    c.a.URL() + "/api/v1/files/file-1?" + query,
		} {
			require.NotEqual(t, url, forged, name)
			download(t, forged).refused(t, 403, fault.Forbidden)
		}
		download(t, bare).refused(t, 400, fault.Validation, "signature")
		download(t, bare+"&signature="+strings.ToUpper(signature)[:63]).refused(t, 400, fault.Validation, "signature")
		download(t, strings.Replace(url, "expires=", "expires=x", 1)).refused(t, 400, fault.Validation, "expires")
		download(t, signed("file-unknown", now+3600)).refused(t, 404, fault.NotFound)
	})
}

// history runs decisions as ONE commit, as if they had happened on a node that is gone.
func (w exporting) history(t *testing.T, on *server, jobID string, decisions ...func(exports.State) ([]event.Payload, error)) {
	t.Helper()
	_, err := eventstore.Execute(context.Background(), on.Store(), exports.Jobs, exports.Jobs.Stream(jobID), eventstore.Command{Tenant: w.id,
		Actor: "user:test"},
		func(s exports.State) (all []event.Payload, err error) {
			for _, decide := range decisions {
				events, err := decide(s)
				if err != nil {
					return nil, err
				}
				for _, e := range events {
					exports.Jobs.Fold(&s, e)
				}
				all = append(all, events...)
			}
			return all, nil
		})
	require.NoError(t, err)
}

// types counts the events of a job by their kind.
func (w exporting) types(t *testing.T, on *server, jobID string) map[string]int {
	t.Helper()
	var page struct{ Events []struct{ Type string } }
	on.do(t, "GET", "/api/v1/events?stream="+exports.Jobs.Stream(jobID), nil, "auth", w.token(t)).must(t, 200).into(t, &page)
	out := map[string]int{}
	for _, e := range page.Events {
		out[strings.TrimSuffix(strings.TrimPrefix(e.Type, "parley.exports."), ".v1")]++
	}
	return out
}

// A node died while it built a file: another begins again when the lease has run out.
func TestAnExportWhoseNodeDied(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := newExporting(t, c.a)
	request := func(id string) func(exports.State) ([]event.Payload, error) {
		return exports.Request{JobID: id, TenantID: w.id, ProjectID: mainApp, IndexID: "si-main", IndexVersion: 1,
			At: time.Now().Add(-time.Hour)}.Decide
	}
	start := func(lease time.Duration) func(exports.State) ([]event.Payload, error) {
		return exports.Start{At: time.Now().Add(-time.Minute), LeaseUntil: time.Now().Add(lease)}.Decide
	}
	lost, held := "fj-"+uuid.NewString(), "fj-"+uuid.NewString()
	w.history(t, c.a, held, request(held), start(time.Hour))
	w.history(t, c.a, lost, request(lost), start(-time.Second))

	require.Equal(t, "SUCCESS", w.ended(t, c.b, lost).Status)
	of := w.types(t, c.a, lost)
	require.Equal(t, []int{1, 1}, []int{of["requested"], of["succeeded"]})
	require.GreaterOrEqual(t, of["started"], 2, "by another one")
	require.GreaterOrEqual(t, of["requeued"], 1)
	require.Equal(t, "INPROGRESS", w.job(t, c.b, held).Status, "its lease holds")
}

// A node is stopped before it has built the file; the storage is away when the next
// comes up, and back a moment later.
func TestAnExportOverAStopAndAStorageThatIsAway(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	c := newCluster(t)
	asking := c.start(t, func(cfg *node.Config) { cfg.Roles = []node.Role{node.RoleAPI, node.RoleProjector} })
	w := newExporting(t, asking)
	id := w.export(t, mainApp)
	require.Equal(t, "QUEUED", w.job(t, asking, id).Status)
	asking.stop()
	require.NoError(t, os.RemoveAll(c.blobs))
	building := c.start(t)
	w.on = building
	require.NoError(t, os.RemoveAll(c.blobs))
	require.NoError(t, os.WriteFile(c.blobs, []byte("not a folder"), 0o600))
	second := w.export(t, mainApp)
	until(t, "a failed attempt", func() bool { return w.types(t, building, second)["attempt-failed"] > 0 })
	require.NoError(t, os.Remove(c.blobs))
	require.NoError(t, os.Mkdir(c.blobs, 0o700))

	for _, id := range []string{id, second} {
		j := w.ended(t, building, id)
		require.Equal(t, "SUCCESS", j.Status)
		require.Equal(t, 1, w.types(t, building, id)["succeeded"])
	}
	require.Len(t, unzip(t, download(t, w.job(t, building, second).FileInfo.ExternalFileURL).must(t, 200).Text), 6)
}
