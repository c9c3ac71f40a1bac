// Package manifest reads files of manifests, YAML or JSON, and knows the line of each
// field. It owns the form of a manifest; what one says is checked, and done, by the
// package apply.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The sizes that a file of manifests may have, in bytes.
const (
	MaxDocument = 1 << 20
	MaxFile     = 8 << 20
)

// maxDepth is how deep maps and lists may be nested.
const maxDepth = 32

// Manifest says what one thing is: `kind`, `metadata` (id, name, tenant) and `spec`
// in the API's own field names.
type Manifest struct {
	File     string // where it was read from; empty: unknown
	Line     int    // where it begins there; 0: unknown
	Kind     string
	Metadata json.RawMessage // JSON objects
	Spec     json.RawMessage

	// Lines are the lines of its fields by name (spec.aliases[1]), as Parse knows
	// them. They do not travel over the API.
	Lines map[string]int `json:"-"`
}

// LineOf is the line of a field, or of what is around it where the field itself is
// not there or not known.
func (m *Manifest) LineOf(field string) int {
	for field != "" {
		if line, ok := m.Lines[field]; ok {
			return line
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return m.Line
}

// Parse reads the manifests of a file: YAML with any number of documents, or JSON. A
// document is one manifest or a list of them; empty ones are skipped. It finds what
// is wrong with the form: what manifests say is checked where they are applied. kinds are
// those that there are, for the words of a fault.
//
// The error is Faults.
//
// Anchors and aliases are refused, so that a small file cannot stand for a large one.
func Parse(file string, data []byte, kinds []string) ([]Manifest, error) {
	p := &parser{file: file, kinds: kinds}
	if len(data) > MaxFile {
		p.fault(0, "", "is larger than %d bytes: split it", MaxFile)
	} else if roots, ok := p.documents(data); ok {
		for _, root := range roots {
			p.document(root)
		}
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return p.manifests, nil
}

type parser struct {
	file      string
	kinds     []string
	manifests []Manifest
	faults    Faults
}

func (p *parser) fault(line int, field, format string, args ...any) {
	p.faults = append(p.faults, Fault{File: p.file, Line: line, Field: field, Problem: fmt.Sprintf(format, args...)})
}

// documents gives the roots of all documents. JSON has escapes that YAML reads
// otherwise, so a JSON file is read as what it is.
func (p *parser) documents(data []byte) ([]*yaml.Node, bool) {
	if strings.EqualFold(filepath.Ext(p.file), ".json") {
		if len(data) > MaxDocument {
			p.fault(1, "", "is a document of more than %d bytes", MaxDocument)
			return nil, false
		}
		roots, line, err := jsonNodes(data)
		if err != nil {
			p.fault(line, "", "is not JSON: %s", err)
		}
		return roots, err == nil
	}
	if line := largeDocument(data); line > 0 {
		p.fault(line, "", "is a document of more than %d bytes: split it", MaxDocument)
		return nil, false
	}
	var roots []*yaml.Node
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return roots, true
		case err != nil:
			line, problem := yamlProblem(err)
			p.fault(line, "", "is not YAML: %s", problem)
			return nil, false
		}
		roots = append(roots, doc.Content...)
	}
}

// largeDocument is the line where a document begins that is too large, before
// anything is parsed; 0 when there is none.
func largeDocument(data []byte) int {
	start, size := 1, 0
	for line := 1; len(data) > 0; line++ {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			end = len(data)
		}
		if bytes.HasPrefix(data, []byte("---")) {
			start, size = line, 0
		}
		if size += end; size > MaxDocument {
			return start
		}
		data = data[end:]
	}
	return 0
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

func yamlProblem(err error) (line int, problem string) {
	problem = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(problem); m != nil {
		line, _ = strconv.Atoi(m[1])
		problem = problem[len(m[0]):]
	}
	return line, problem
}

func (p *parser) document(root *yaml.Node) {
	switch {
	case root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null":
	case root.Kind == yaml.SequenceNode && root.Anchor == "":
		for _, item := range root.Content {
			p.manifest(item)
		}
	default:
		p.manifest(root)
	}
}

// members of a manifest.
var members = []string{"kind", "metadata", "spec"}

func (p *parser) manifest(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		p.fault(root.Line, "", "is not a manifest: it must be a map with kind, metadata and spec")
		return
	}
	before := len(p.faults)
	m := Manifest{File: p.file, Line: root.Line, Lines: map[string]int{}}
	r := &reader{parser: p, lines: m.Lines}
	whole, _ := r.value(root, "", 0).(map[string]any)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; !slices.Contains(members, key.Value) {
			p.fault(key.Line, key.Value, "is not known: %s", Hint(key.Value, members))
		}
	}
	kind, isText := whole["kind"].(string)
	if _, given := whole["kind"]; given && !isText {
		p.fault(m.LineOf("kind"), "kind", "must be a string: one of %s", strings.Join(p.kinds, ", "))
	}
	if len(p.faults) > before {
		return
	}
	m.Kind = kind
	m.Metadata, m.Spec = raw(whole, "metadata"), raw(whole, "spec")
	p.manifests = append(p.manifests, m)
}

// raw is a member as JSON; one that is absent or empty is nothing.
func raw(whole map[string]any, name string) json.RawMessage {
	if whole[name] == nil {
		return nil
	}
	data, _ := json.Marshal(whole[name]) // values of the reader always have a JSON form
	return data
}
