package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

func parse(file string, data []byte) ([]manifest.Manifest, manifest.Faults) {
	manifests, err := manifest.Parse(file, data, apply.Kinds())
	var faults manifest.Faults
	if err != nil && !errors.As(err, &faults) {
		panic(err)
	}
	return manifests, faults
}

func TestAFileOfManifestsIsReadWithItsLines(t *testing.T) {
	yaml := `# a comment
kind: Project
metadata: {id: p-1, name: One}
spec:
  aliases:
    - a-1
    - a-2
---
# nothing here
---
- kind: Tenant
  metadata:
    id: acme
- kind: Trunk
`
	manifests, faults := parse("ws.yaml", []byte(yaml))
	require.Empty(t, faults)
	require.Len(t, manifests, 3)
	project := manifests[0]
	require.Equal(t, "Project", project.Kind)
	require.JSONEq(t, `{"id":"p-1","name":"One"}`, string(project.Metadata))
	require.JSONEq(t, `{"aliases":["a-1","a-2"]}`, string(project.Spec))
	require.Equal(t, 2, project.Line)
	for field, line := range map[string]int{
		"kind": 2, "metadata.id": 3, "spec": 4, "spec.aliases": 5, "spec.aliases[0]": 6, "spec.aliases[1]": 7,
		"spec.slug": 4, "spec.aliases[9]": 5, "other": 2, "": 2,
	} {
		require.Equal(t, line, project.LineOf(field), field)
	}
	require.Equal(t, 13, manifests[1].LineOf("metadata.id"))
	require.Equal(t, 14, manifests[2].Line)
}

func TestJSONIsReadAsJSON(t *testing.T) {
	text := "[\n\t{\"kind\": \"Tenant\",\n\t \"metadata\": {\"id\": \"acme\",\n\t\t\"name\": \"Smile \\ud83d\\ude00\"},\n\t \"spec\": " +
		"{\"n\": 12345678901234567890, \"ok\": true, \"none\": null}}\n]"
	manifests, faults := parse("ws.json", []byte(text))
	require.Empty(t, faults)
	require.Len(t, manifests, 1)
	require.JSONEq(t, `{"id":"acme","name":"Smile 😀"}`, string(manifests[0].Metadata))
	require.Equal(t, `{"n":12345678901234567890,"none":null,"ok":true}`, string(manifests[0].Spec))
	require.Equal(t, 2, manifests[0].Line)
	require.Equal(t, 4, manifests[0].LineOf("metadata.name"))

	for bad, want := range map[string]string{
		"{\n\"kind\":":     "bad.json:2: is not JSON: it ends too early",
		"{\n\"kind\": x}":  "bad.json:2: is not JSON: there is something that does not belong here",
		"{\"kind\": \"a\"": "bad.json:1: is not JSON: it ends too early",
		strings.Repeat("[", 500) + strings.Repeat("]", 500):    "bad.json:1: is not JSON: it is nested too deep",
		"{\"kind\":\"Tenant\",\n\"kind\":\"Project\"}":         "bad.json:2: kind is given twice",
		"{\"kind\":\"Tenant\",\n\"metadata\":{},\n\"spac\":1}": "bad.json:3: spac is not known: did you mean spec?",
	} {
		_, faults := parse("bad.json", []byte(bad))
		require.Len(t, faults, 1, bad)
		require.Equal(t, want, faults[0].String())
	}
}

func TestAFileThatIsWrongIsRefusedByLine(t *testing.T) {
	bomb := "kind: Tenant\nspec:\n  a: &a [x, x]\n  b: [*a, *a]\n"
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"not YAML":        {"kind: [", []string{"f.yaml:1: is not YAML: did not find expected node content"}},
		"no manifest":     {"just text", []string{"f.yaml:1: is not a manifest: it must be a map with kind, metadata and spec"}},
		"unknown key":     {"kind: Tenant\nmetadta:\n  id: a\n", []string{"f.yaml:2: metadta is not known: did you mean metadata?"}},
		"key given twice": {"kind: Tenant\nspec:\n  orgId: a\n  orgId: b\n", []string{"f.yaml:4: spec.orgId is given twice"}},
		"anchors": {bomb, []string{"f.yaml:3: spec.a uses an anchor or alias: write the value out",
			"f.yaml:4: spec.b[0] uses an anchor or alias: write the value out", "f.yaml:4: spec.b[1] uses an anchor or alias: write the value out"}},
		"merge key":          {"kind: Tenant\nspec:\n  <<: {a: b}\n", []string{"f.yaml:3: spec has a key that is no plain text"}},
		"kind of other type": {"kind: 5\n", []string{"f.yaml:1: kind must be a string: one of " + strings.Join(apply.Kinds(), ", ")}},
		"not a number": {"kind: Tenant\nspec: {a: .nan}\n",
			[]string{"f.yaml:2: spec.a has a value that cannot be read: put it in quotes if it is a text"}},
		"two documents": {"kind: T\nspac: 1\n---\nkind: T\nmeta: 1\n", []string{"f.yaml:2: spac is not known: did you mean spec?",
			"f.yaml:5: meta is not known: known are kind, metadata, spec"}},
		"too large": {"kind: Tenant\n---\nspec: " + strings.Repeat("x", manifest.MaxDocument),
			[]string{fmt.Sprintf("f.yaml:2: is a document of more than %d bytes: split it", manifest.MaxDocument)}},
		"file too large": {strings.Repeat("#\n", manifest.MaxFile/2+1), []string{fmt.Sprintf("f.yaml: is larger than %d bytes: split it",
			manifest.MaxFile)}},
		"nested too deep": {"kind: Tenant\nspec: " + strings.Repeat("[", 40) + strings.Repeat("]", 40),
			[]string{"f.yaml:2: spec" + strings.Repeat("[0]", 32) + " is nested deeper than 32"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := parse("f.yaml", []byte(c.file))
			var got []string
			for _, f := range faults {
				got = append(got, f.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestFieldNamesCanBeTakenApart(t *testing.T) {
	for _, c := range []struct {
		index int
		file  string
		line  int
		field string
		text  string
	}{
		{2, "ws.yaml", 40, "spec.slug", "manifests[2] (ws.yaml:40) spec.slug"},
		{0, "a (copy).yaml", 3, "spec.a", "manifests[0] (a (copy).yaml:3) spec.a"},
		{1, "ws.yaml", 4, "", "manifests[1] (ws.yaml:4)"},
		{11, "", 0, "kind", "manifests[11] kind"},
	} {
		require.Equal(t, c.text, apply.FieldOf(c.index, c.file, c.line, c.field))
		index, field, ok := apply.SplitField(c.text)
		require.True(t, ok)
		require.Equal(t, c.index, index)
		require.Equal(t, c.field, field)
	}
	_, _, ok := apply.SplitField("dryRun")
	require.False(t, ok)
}

func FuzzParse(f *testing.F) {
	f.Add("x.yaml", []byte("kind: Tenant\nmetadata: {id: a}\n---\n- kind: [x]\n"))
	f.Add("x.json", []byte(`{"kind":"Tenant","spec":{"a":[1,2.5,null]}}`))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		manifests, faults := parse(file, data)
		for _, m := range manifests {
			_ = m.LineOf("spec.a[1].b")
		}
		_ = faults.Error()
	})
}
