//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// lastDocument is that of the newest version under clients/released.
func lastDocument(t *testing.T) string {
	t.Helper()
	all := strings.Fields(job{}.run(t, "sh", "-c", "ls clients/released | sort -V"))
	require.NotEmpty(t, all)
	return filepath.Join(repository, "clients", "released", all[len(all)-1])
}

// Given a program of the last released version, when today's server answers it, then it
// goes through, and each answer is what the last version's document says.
func TestClientOfTheLastVersionWorks(t *testing.T) {
	t.Parallel()
	s, client := server(t), lastClient(t)
	answers := watched(t, s, nil)
	out, err := client.calls(s, answers.url)
	require.NoError(t, err, out)
	require.Contains(t, out, "answers were right")
	require.Empty(t, answers.wrong)
	require.Greater(t, len(answers.operations), 15)

	// The test can fail: a server that left something out, or called it otherwise, is noticed.
	for change, alter := range map[string]func(text string) string{
		"a required member is gone": func(text string) string { return strings.ReplaceAll(text, `"requestedAt"`, `"askedAt"`) },
		"a number became a text":    func(text string) string { return strings.ReplaceAll(text, `"limit":2`, `"limit":"2"`) },
	} {
		t.Run(change, func(t *testing.T) {
			changed := watched(t, s, alter)
			_, err := client.calls(s, changed.url)
			require.True(t, err != nil || len(changed.wrong) > 0)
			require.NotEmpty(t, changed.wrong)
		})
	}
	t.Run("an operation is gone", func(t *testing.T) {
		gone := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(gone.Close)
		out, err := client.calls(s, gone.URL)
		require.Error(t, err)
		require.Contains(t, out, "dial-out")
	})
}

// The same in Python, with what is generated of the last version's document.
func TestPythonClientOfTheLastVersionWorks(t *testing.T) {
	t.Parallel()
	s, dir, tools := server(t), t.TempDir(), toolsOfClients(t)
	job{}.run(t, "scripts/clients.sh", "--document", lastDocument(t), "--into", dir)
	answers := watched(t, s, nil)
	out := job{dir: filepath.Join(dir, "python"), env: s.environ("PARLEY_URL="+answers.url, "PYTHONPATH=.")}.
		run(t, filepath.Join(tools, "venv", "bin", "python"), filepath.Join(repository, "interop", "lastclient", "calls.py"))
	require.Contains(t, out, "all answers were right")
	require.Empty(t, answers.wrong)
	require.Greater(t, len(answers.operations), 10)
}

// program is the compiled program of the last version.
type program struct{ dir string }

// lastClient generates the types of the last version's document and compiles the program with them.
func lastClient(t *testing.T) program {
	t.Helper()
	dir, modules := t.TempDir(), filepath.Join(toolsOfClients(t), "npm", "node_modules")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(repository, "interop", "lastclient"))))
	require.NoError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	write(t, dir, "package.json", `{"type":"module"}`)
	write(t, dir, "tsconfig.json", `{"compilerOptions":{"target":"es2022","lib":["es2022","dom","dom.iterable"],"module":"nodenext",
		"strict":true,"noUncheckedIndexedAccess":true,"types":["node"],"outDir":"out"},"files":["calls.ts"]}`)
	job{dir: dir}.run(t, filepath.Join(modules, ".bin", "openapi-typescript"), lastDocument(t), "--output", "schema.ts")
	job{dir: dir}.run(t, filepath.Join(modules, ".bin", "tsc"))
	return program{dir}
}

func (p program) calls(s Server, url string) (string, error) {
	return job{dir: p.dir, env: s.environ("PARLEY_URL=" + url)}.try("node", "out/calls.js")
}

// answersWatched is a way to a server on which each answer is held against a document.
type answersWatched struct {
	url        string
	mu         sync.Mutex
	operations map[string]bool // that were answered
	wrong      []string
}

// watched opens such a way. What alter gives is passed on instead of the answer.
func watched(t *testing.T, s Server, alter func(string) string) *answersWatched {
	t.Helper()
	to, err := url.Parse(s.URL)
	require.NoError(t, err)
	promised := readPromises(t, lastDocument(t))
	a := &answersWatched{operations: map[string]bool{}}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(res *http.Response) error {
			text, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			if alter != nil {
				text = []byte(alter(string(text)))
			}
			res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
			res.Header.Del("Content-Length")
			operation, err := promised.hold(res, text)
			a.mu.Lock()
			defer a.mu.Unlock()
			a.operations[operation] = true
			if err != nil {
				a.wrong = append(a.wrong, err.Error())
			}
			return nil
		},
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	a.url = front.URL
	return a
}

// promises is what a document says of answers.
type promises struct {
	Paths map[string]map[string]struct {
		ID        string `json:"operationId"`
		Responses map[string]struct {
			Content map[string]json.RawMessage `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	schemas *jsonschema.Compiler
	mu      sync.Mutex
}

const released = "urn:released"

func readPromises(t *testing.T, file string) *promises {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	p := &promises{schemas: jsonschema.NewCompiler()}
	require.NoError(t, json.Unmarshal(text, p))
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	open(whole)
	p.schemas.DefaultDraft(jsonschema.Draft2020)
	p.schemas.AssertFormat()
	require.NoError(t, p.schemas.AddResource(released, whole))
	return p
}

// open takes the bounds off: an answer may take values that it did not take before
// (docs/decisions/2026-11-22-oasdiff.md), as a new status.
func open(document any) {
	switch d := document.(type) {
	case []any:
		for _, item := range d {
			open(item)
		}
	case map[string]any:
		if _, listed := d["enum"].([]any); listed {
			delete(d, "enum")
		}
		for _, bound := range []string{"maxLength", "maxItems", "maximum", "pattern"} {
			if _, member := d[bound].(map[string]any); !member {
				delete(d, bound)
			}
		}
		for _, item := range d {
			open(item)
		}
	}
}

// hold tells the operation that was answered, and what of the answer was not promised.
func (p *promises) hold(res *http.Response, text []byte) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path, methods := range p.Paths {
		operation, ok := methods[strings.ToLower(res.Request.Method)]
		if !ok || !fits(path, res.Request.URL.Path) {
			continue
		}
		status := fmt.Sprint(res.StatusCode)
		if _, told := operation.Responses[status].Content["application/json"]; !told {
			return operation.ID, fmt.Errorf("%s answered %s, which the last version does not know as JSON", operation.ID, status)
		}
		at := released + "#/paths/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(path)) + "/" +
			strings.ToLower(res.Request.Method) + "/responses/" + status + "/content/application~1json/schema"
		schema, err := p.schemas.Compile(at)
		if err != nil {
			return operation.ID, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			return operation.ID, fmt.Errorf("%s answered %s: %w", operation.ID, status, err)
		}
		return operation.ID, nil
	}
	return "", fmt.Errorf("the last version has no %s %s", res.Request.Method, res.Request.URL.Path)
}

// fits tells whether a path is one of a template.
func fits(template, path string) bool {
	return slices.EqualFunc(strings.Split(template, "/"), strings.Split(path, "/"), func(want, got string) bool {
		return want == got || strings.HasPrefix(want, "{") && got != ""
	})
}
