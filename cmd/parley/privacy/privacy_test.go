package privacy

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/fault"
)

const done = `{"erasureId":"er-1","status":"done","forgotten":{"calls":2,"messages":1},"requestedAt":"2020-03-01T12:00:00Z",
	"endedAt":"2020-03-01T12:00:01Z","more":1}`

const keeping = `{"projectId":"bot","days":{"calls":90,"recordings":1},"nextAt":"2020-03-01T13:00:00Z","erasureId":"er-1","more":1}`

// node is one whose job is done when it was asked for the third time.
type node struct {
	*httptest.Server
	asked []string // method and path
	body  map[string]any
	looks int

	breaks bool // what is exported breaks off
	parts  int  // that it comes in; 0: one
}

func newNode(t *testing.T, listed ...string) *node {
	t.Helper()
	n := &node{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+erasures, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&n.body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"erasure":{"erasureId":"er-1","status":"queued","forgotten":{},"requestedAt":"2020-03-01T12:00:00Z"}}`)
	})
	mux.HandleFunc("GET "+erasures+"/er-1", func(w http.ResponseWriter, _ *http.Request) {
		if n.looks++; n.looks < 3 {
			_, _ = io.WriteString(w, `{"erasure":{"erasureId":"er-1","status":"running"}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"erasure":%s}`, done)
	})
	mux.HandleFunc("POST "+exports, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&n.body)
		if n.looks++; n.looks == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"success":false,"error":{"code":"UNAVAILABLE","message":"wait","retryAfterMs":1}}`)
			return
		}
		packed := map[string]string{"about.json": fmt.Sprint(n.body["after"])}
		if n.parts--; n.parts > 0 {
			packed["more.json"] = fmt.Sprintf(`{"after":"call-%d"}`, n.parts)
		}
		_, _ = w.Write(zipped(packed))
		if n.breaks {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	mux.HandleFunc("GET "+erasures, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"erasures":[%s]}`, strings.Join(listed, ","))
	})
	mux.HandleFunc("PUT "+retention+"/bot", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&n.body)
		_, _ = fmt.Fprintf(w, `{"retention":%s}`, keeping)
	})
	mux.HandleFunc("GET "+retention+"/bot", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"retention":%s}`, keeping)
	})
	mux.HandleFunc("GET "+retention, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"retention":[%s]}`, strings.Join(listed, ","))
	})
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.asked = append(n.asked, r.Method+" "+r.URL.RequestURI())
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

func zipped(files map[string]string) []byte {
	out := &bytes.Buffer{}
	z := zip.NewWriter(out)
	for name, content := range files {
		if f, err := z.Create(name); err == nil {
			_, _ = io.WriteString(f, content)
		}
	}
	_ = z.Close()
	return out.Bytes()
}

// packed is the text of a file in a ZIP.
func packed(t *testing.T, zipFile, name string) string {
	t.Helper()
	z, err := zip.OpenReader(zipFile)
	require.NoError(t, err)
	defer z.Close()
	f, err := z.Open(name)
	require.NoError(t, err)
	content, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(content)
}

func (n *node) at(t *testing.T, form string) (desk, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	a := asking{Flags: api.Flags{Server: api.Server{URL: n.URL}, Token: api.Token{Token: "x.e30.y"}}, Form: show.Flags{Output: form}}
	d, err := a.open(out)
	require.NoError(t, err)
	return d, out
}

func TestAPersonIsErasedAndWaitedFor(t *testing.T) {
	n := newNode(t)
	d, out := n.at(t, show.Table)
	c := EraseCmd{who: who{Telephone: []string{"+1 555 0001", "+1 555 0002"}, Email: []string{"ann@example.com"}, SIP: []string{"sip:a@b"},
		External: []string{"C-1"}}}
	require.NoError(t, d.erase(t.Context(), c.identities(), false))
	require.Equal(t, map[string]any{"identities": []any{map[string]any{"kind": "telephone", "value": "+1 555 0001"},
		map[string]any{"kind": "telephone", "value": "+1 555 0002"}, map[string]any{"kind": "email", "value": "ann@example.com"},
		map[string]any{"kind": "sip", "value": "sip:a@b"}, map[string]any{"kind": "external", "value": "C-1"}}}, n.body)
	require.Equal(t, 3, n.looks)
	for _, part := range []string{"er-1", "done", "calls", "2", "messages", "ended"} {
		require.Contains(t, out.String(), part)
	}
	n = newNode(t)
	d, out = n.at(t, show.JSON)
	require.NoError(t, d.erase(t.Context(), c.identities(), true))
	require.Zero(t, n.looks)
	require.Contains(t, out.String(), `"queued"`)
}

func TestWhoIsErasedHasToBeSaid(t *testing.T) {
	require.ErrorContains(t, (&EraseCmd{}).Run(), "--telephone")
}

// What spells nobody is named by its flag.
func TestWhoIsNobodyIsNamedByTheFlag(t *testing.T) {
	c := who{Telephone: []string{"nope", "+1 555 0001", "neither"}, Email: []string{"ann"}}
	refused := &api.Refusal{Status: http.StatusBadRequest}
	refused.Fault.Code, refused.Fault.Message = fault.Validation, "identities[0].value must be a number (and 2 more)"
	refused.Fault.Details = []fault.Detail{{Field: "identities[0].value", Problem: "must be a number"},
		{Field: "identities[2].value", Problem: "must be a number"}, {Field: "identities[3].value", Problem: "must be an address"}}
	require.EqualError(t, c.named(refused), "--telephone \"nope\" must be a number (and 2 more) "+
		"(VALIDATION_ERROR)\n  --telephone \"neither\" must be a number\n  --email \"ann\" must be an address")
	require.NoError(t, c.named(nil))
}

func TestErasuresAreListed(t *testing.T) {
	asked := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC).Local().Format("2006-01-02")
	n := newNode(t, done)
	d, out := n.at(t, show.Table)
	require.NoError(t, d.list(t.Context(), 50))
	require.Equal(t, []string{"ERASURE", "STATUS", "STREAMS", "ASKED", "FOR", "er-1", "done", "3", asked}, strings.Fields(out.String()))
	require.Equal(t, []string{"GET " + erasures + "?limit=50&offset=0"}, n.asked)
	d, out = n.at(t, show.JSON)
	require.NoError(t, d.list(t.Context(), 50))
	require.JSONEq(t, done, out.String(), "as the API says it")
	d, out = newNode(t).at(t, show.Table)
	require.NoError(t, d.list(t.Context(), 50))
	require.Contains(t, out.String(), "no erasures")
}

// Given a node that is busy at first, when a person's data is asked for, then the file has it
// once it is whole, for nobody else to read; one that breaks off leaves none.
func TestAPersonIsExported(t *testing.T) {
	n, name := newNode(t), filepath.Join(t.TempDir(), "ann.zip")
	d, out := n.at(t, show.Table)
	c := ExportCmd{who: who{Telephone: []string{"+1 555 0001"}}}
	require.NoError(t, d.export(t.Context(), c.identities(), name))
	require.Equal(t, map[string]any{"identities": []any{map[string]any{"kind": "telephone", "value": "+1 555 0001"}}, "after": ""}, n.body)
	require.Contains(t, out.String(), name+" has what is known")
	require.Empty(t, packed(t, name, "about.json"))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())

	require.ErrorContains(t, d.export(t.Context(), c.identities(), name), "is there already")
	n.breaks = true
	require.ErrorContains(t, d.export(t.Context(), c.identities(), name+"2"), "broke off")
	left, err := filepath.Glob(name + "*")
	require.NoError(t, err)
	require.Equal(t, []string{name}, left)
	require.ErrorContains(t, (&ExportCmd{}).Run(), "--telephone")
}

func of(days int) *int { return &days }

// Given a project, when it is said for how long it keeps calls, then all else is kept for
// ever, which is said, too; without a word on days it is shown, and without a project all are.
func TestForHowLongAProjectKeepsThings(t *testing.T) {
	n := newNode(t, keeping)
	d, out := n.at(t, show.Table)
	require.NoError(t, d.keep(t.Context(), "bot", days{Calls: of(90)}, true))
	require.Equal(t, map[string]any{"days": map[string]any{"calls": 90.0}}, n.body)
	for _, part := range []string{"bot", "90 days", "1 day ", "for ever", "er-1"} {
		require.Contains(t, out.String(), part)
	}
	d, out = n.at(t, show.JSON)
	require.NoError(t, d.keep(t.Context(), "bot", days{}, true))
	require.Equal(t, map[string]any{"days": map[string]any{}}, n.body, "for ever")
	require.JSONEq(t, keeping, out.String())
	n.asked = nil
	require.NoError(t, d.keep(t.Context(), "bot", days{}, false))
	require.NoError(t, d.kept(t.Context()))
	require.Equal(t, []string{"GET " + retention + "/bot", "GET " + retention + "?limit=200&offset=0"}, n.asked)
	d, out = newNode(t).at(t, show.Table)
	require.NoError(t, d.kept(t.Context()))
	require.Contains(t, out.String(), "for ever")
	require.ErrorContains(t, (&KeepCmd{Calls: of(1)}).Run(), "which project")
	require.ErrorContains(t, (&KeepCmd{Project: "bot", Calls: of(1), Forever: true}).Run(), "--forever")
	require.ErrorContains(t, (&KeepCmd{Project: "bot", Calls: of(0), Forever: true}).Run(), "--forever", "0 days were said")

	d, _ = n.at(t, show.Table)
	require.NoError(t, d.keep(t.Context(), "bot", days{Calls: of(0), Recordings: of(30)}, true))
	require.Equal(t, map[string]any{"days": map[string]any{"calls": 0.0, "recordings": 30.0}}, n.body,
		"the node refuses 0 days; left out, calls would be kept for ever")
}

// Given a person of whom one ZIP does not hold all, when the data is asked for, then the parts
// stand beside one another, each asked for behind the one before; without one of them that is
// said.
func TestAPersonIsExportedInParts(t *testing.T) {
	n, dir := newNode(t), t.TempDir()
	n.looks, n.parts = 1, 3
	d, out := n.at(t, show.Table)
	c := ExportCmd{who: who{External: []string{"C-1"}}}
	require.NoError(t, d.export(t.Context(), c.identities(), filepath.Join(dir, "ann.zip")))
	for file, after := range map[string]string{"ann.zip": "", "ann-2.zip": "call-2", "ann-3.zip": "call-1"} {
		require.Equal(t, after, packed(t, filepath.Join(dir, file), "about.json"), file)
	}
	require.Contains(t, out.String(), "ann-2.zip has a part")
	require.Contains(t, out.String(), "ann-3.zip has what is known")

	n.parts = 3
	require.NoError(t, os.Remove(filepath.Join(dir, "ann.zip")))
	require.NoError(t, os.Remove(filepath.Join(dir, "ann-2.zip")))
	err := d.export(t.Context(), c.identities(), filepath.Join(dir, "ann.zip"))
	require.ErrorContains(t, err, "not whole without what comes behind call-1")
	require.ErrorContains(t, err, "ann-3.zip is there already")
}
