package house

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A topic in the list of docs/events.md, which is generated: its category and its streams.
var topic = regexp.MustCompile("(?m)^\\| \\[`parley\\.([a-z]+)`\\].*\\| `([a-z]+-)<id>` \\|")

// A category without a word for what its streams are would be named anew by everybody.
func TestGlossaryKnowsEveryCategory(t *testing.T) {
	glossary := document(t, "docs/glossary.md")
	categories := topic.FindAllStringSubmatch(document(t, "docs/events.md"), -1)
	require.NotEmpty(t, categories)
	for _, c := range categories {
		require.True(t, strings.Contains(glossary, "`"+c[1]+"`, `"+c[2]),
			"docs/glossary.md has no row for the category %s: say what a stream of it is, which id it has and which operations show it", c[1])
	}
}

var (
	cell      = regexp.MustCompile(`(?m)^\|(?:[^|\n]*\|){4}([^|\n]*)\|$`) // the fifth: shown by
	operation = regexp.MustCompile("`([a-z]+(?:-[a-z]+)+)`")
)

// Words of the API that look like the id of an operation and are none.
var noOperation = []string{"x-api-key", "x-extension", "x-requirement", "respond-async"}

func TestPagesNameOperationsThatThereAre(t *testing.T) {
	var shown strings.Builder
	for _, m := range cell.FindAllStringSubmatch(document(t, "docs/glossary.md"), -1) {
		shown.WriteString(m[1])
	}
	known := append(operationIDs(t), noOperation...)
	for page, text := range map[string]string{"docs/glossary.md": shown.String(), "docs/api-rules.md": document(t, "docs/api-rules.md")} {
		named := operation.FindAllStringSubmatch(text, -1)
		require.NotEmpty(t, named, page)
		for _, m := range named {
			require.True(t, slices.Contains(known, m[1]), "%s names %s, and there is no such operation", page, m[1])
		}
	}
}

var (
	hyperlink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inline    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// A link leads to a file, and behind # to a heading of it. What stands in code is no link.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range hyperlink.FindAllStringSubmatch(inline.ReplaceAllString(document(t, page), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			_, err := os.Stat(root(to))
			require.NoError(t, err, "%s links to %s", page, m[1])
			if anchor != "" && filepath.Ext(to) == ".md" {
				require.True(t, slices.Contains(anchors(t, to), anchor),
					"%s links to %s, and that page has no such heading", page, m[1])
			}
		}
	}
}

// pages lists the documents for people, from the root of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(root(pattern))
		require.NoError(t, err)
		for _, f := range found {
			rel, err := filepath.Rel(root("."), f)
			require.NoError(t, err)
			out = append(out, rel)
		}
	}
	return out
}

// The documents that are kept elsewhere, as comments once named them.
var elsewhere = regexp.MustCompile(`\bspec/[1-9]\b|\bDESIG[N]\b|\bDECISION[S]\b|\bshare[d]/\w|\b[Ii]ssu[e] #?[0-9]`)

// A cited page, with the headings that are named of it: docs/api-rules.md "Ids", "Times" and "Paging".
var (
	cited   = regexp.MustCompile(`docs/[a-zA-Z0-9/_-]+\.md(?: "[^"]+"(?:(?:, | and )"[^"]+")*)?`)
	quoted  = regexp.MustCompile(`"([^"]+)"`)
	carried = regexp.MustCompile(`\n[ \t]*(?://|--|#)[ \t]?`) // a comment that goes on in the next line
)

// A reader of a comment has this repository, and finds in it what the comment cites.
func TestCitationsAreInTheRepository(t *testing.T) {
	found := 0
	for _, file := range texts(t) {
		text := carried.ReplaceAllString(document(t, file), " ")
		if m := elsewhere.FindString(text); m != "" {
			t.Errorf("%s cites %s, which is not in the repository: cite docs/architecture.md, docs/api-rules.md, "+
				"a file of docs/decisions or an operation by its id, or say plainly what is meant", file, m)
		}
		for _, citation := range cited.FindAllString(text, -1) {
			page, _, _ := strings.Cut(citation, " ")
			if _, err := os.Stat(root(page)); err != nil {
				if filepath.Ext(file) != ".md" { // links of pages have a test of their own
					t.Errorf("%s cites %s, and there is no such page", file, page)
				}
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(citation, -1) {
				found++
				require.True(t, slices.Contains(headings(t, page), m[1]), "%s cites %s, which has no heading %q", file, page, m[1])
			}
		}
	}
	require.NotZero(t, found)
}

var (
	ourOwn = regexp.MustCompile(`(?:^|[^\w./@*-])((?:domain|eventstore|projections|handlers|adapters|consumer|cmd|house|docs|scripts|` +
		`migrations|examples|interop|deploy|clients)/[\w./*-]*\w)`)
	aTest = regexp.MustCompile(`\bTest[A-Z][a-z0-9]+[A-Z]\w*`)
)

// Tests of the suite that Watermill brings: adapters/watermill runs them.
var watermills = []string{"TestNewSubscriberReceivesOldMessages", "TestPublishSubscribeInOrder", "TestNoAck"}

// A comment that sends its reader to a file or a test that was moved since leaves them there.
func TestCommentsNameFilesAndTestsThatThereAre(t *testing.T) {
	inCode := map[string]bool{}
	for _, file := range tracked(t, "*.go") {
		for line := range strings.Lines(document(t, file)) {
			if code, _ := remark(line); strings.Contains(code, "Test") {
				for _, name := range aTest.FindAllString(code, -1) {
					inCode[name] = true
				}
			}
		}
	}
	seen := 0
	for _, file := range tracked(t, "*.go", "*.sql", "*.sh", "Makefile") {
		n := 0
		for line := range strings.Lines(document(t, file)) {
			n++
			_, said := remark(line)
			if !strings.ContainsAny(said, "/T") {
				continue
			}
			for _, m := range ourOwn.FindAllStringSubmatch(said, -1) {
				seen++
				assert.True(t, isThere(m[1]), "%s:%d names %s, and there is no such file or folder", file, n, m[1])
			}
			for _, name := range aTest.FindAllString(said, -1) {
				assert.True(t, inCode[name] || slices.Contains(watermills, name), "%s:%d names the test %s, and there is none", file, n, name)
			}
		}
	}
	require.NotZero(t, seen)
}

// remark is the comment of a line, and the code before it.
func remark(line string) (code, said string) {
	if begun := strings.TrimSpace(line); strings.HasPrefix(begun, "--") || strings.HasPrefix(begun, "#") {
		return "", begun
	}
	if at := strings.Index(line, "//"); at >= 0 {
		return line[:at], line[at+2:]
	}
	return line, ""
}

// isThere finds a file or a folder, which may be named with a pattern, without its .go, or with
// something of it behind a dot: domain/calls.Requested.
func isThere(name string) bool {
	of, _, _ := strings.Cut(path.Base(name), ".")
	for _, place := range []string{name, name + ".go", path.Join(path.Dir(name), of)} {
		if found, err := filepath.Glob(root(place)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

func TestWhatACommentNamesIsFound(t *testing.T) {
	for name, want := range map[string]bool{"house/house.go": true, "house/house": true, "docs/how-to/*.md": true,
		"domain/calls.Requested": true, "domain/cals.Requested": false, "house/none.go": false, "docs/none": false} {
		require.Equal(t, want, isThere(name), name)
	}
}

// texts lists what people write: code, SQL, settings and pages.
func texts(t *testing.T) []string {
	return tracked(t, "*.go", "*.sql", "*.md", "*.yaml", "*.yml")
}

// A test that a page names.
var namedTest = regexp.MustCompile("`(Test[A-Z][a-z0-9]*[A-Z][A-Za-z0-9]*)`")

// A page that says which test shows something is right only as long as there is that test.
func TestTheTestsThatPagesNameAreThere(t *testing.T) {
	there := map[string]bool{}
	for _, file := range tracked(t, "*_test.go") {
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(document(t, file), -1) {
			there[m[1]] = true
		}
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/decisions/") { // these are of their day, and of others' tests
			continue
		}
		for _, m := range namedTest.FindAllStringSubmatch(document(t, page), -1) {
			require.True(t, there[m[1]], "%s names the test %s, and there is none", page, m[1])
		}
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// read is the headings of the pages that were looked into: many links and comments lead to the same page.
var read = map[string][]string{}

// headings lists the headings of a page as they are read, without marks and links.
func headings(t *testing.T, page string) []string {
	t.Helper()
	if known, ok := read[page]; ok {
		return known
	}
	var out []string
	for _, m := range heading.FindAllStringSubmatch(fences.ReplaceAllString(document(t, page), ""), -1) {
		out = append(out, strings.NewReplacer("`", "", "*", "").Replace(linked.ReplaceAllString(m[1], "$1")))
	}
	read[page] = out
	return out
}

var (
	fences  = regexp.MustCompile("(?s)```.*?```")
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors are the headings of a page as links name them.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, h := range headings(t, page) {
		out = append(out, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(h), ""), " ", "-"))
	}
	return out
}

// operationIDs are those of the committed docs/openapi.json.
func operationIDs(t *testing.T) []string {
	t.Helper()
	var api struct {
		Paths map[string]map[string]struct {
			ID string `json:"operationId"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal([]byte(document(t, "docs/openapi.json")), &api))
	var out []string
	for _, methods := range api.Paths {
		for _, op := range methods {
			out = append(out, op.ID)
		}
	}
	require.NotEmpty(t, out)
	return out
}
