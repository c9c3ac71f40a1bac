package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/event"
)

// eventSources is what is read of the events from the project's folder: comments
// beside their types, and the golden file of each.
type eventSources struct {
	dir      string
	comments map[string]string // <import path>.<Type> and <import path>.<Type>.<Field>
}

// readSources reads the comments of every package that declares events, and of the
// packages whose types they use.
func readSources(dir string) (*eventSources, error) {
	files, err := filepath.Glob(filepath.Join(dir, "domain", "*", "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no sources under %s: run this in the project's folder, or say where it is with --dir",
			filepath.Join(dir, "domain"))
	}
	s := &eventSources{dir: dir, comments: map[string]string{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		pkg := "github.com/parley-platform/parley/domain/" + filepath.Base(filepath.Dir(file))
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				s.note(pkg, g)
			}
		}
	}
	return s, nil
}

func (s *eventSources) note(pkg string, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t := spec.(*ast.TypeSpec)
		doc := t.Doc
		if doc == nil {
			doc = g.Doc
		}
		name := pkg + "." + t.Name.Name
		s.comments[name] = oneLine(doc)
		fields, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			text := oneLine(f.Doc)
			if text == "" {
				text = oneLine(f.Comment)
			}
			for _, n := range f.Names {
				s.comments[name+"."+n.Name] = text
			}
		}
	}
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// about is the doc comment of an event's type.
func (s *eventSources) about(k *event.Kind) (string, error) {
	text, ok := s.comments[k.Go.PkgPath()+"."+k.Go.Name()]
	if !ok {
		return "", fmt.Errorf("the declaration of %s was not found under domain/", k.Go)
	}
	return text, nil
}

// golden is the example of an event as it stands on the log, indented.
func (s *eventSources) golden(k *event.Kind) (json.RawMessage, error) {
	_, pkg, _ := strings.Cut(k.Go.PkgPath(), "/domain/")
	name := k.Name + ".v" + strconv.Itoa(k.Version) + ".json"
	testdata := filepath.Join(s.dir, "domain", pkg, "testdata")
	data, err := []byte(nil), os.ErrNotExist
	// the first two are of packages with several categories
	for _, folder := range []string{filepath.Join("events", k.Category.Name), k.Category.Name, "events"} {
		if errors.Is(err, os.ErrNotExist) {
			data, err = os.ReadFile(filepath.Join(testdata, folder, name))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s has no golden file: run UPDATE_GOLDEN=1 go test ./domain/%s: %w", k.Type(), pkg, err)
	}
	return bytes.TrimSpace(data), nil
}

// unitOf is the unit that a member's name states.
func unitOf(name string) string {
	for suffix, unit := range map[string]string{"Ms": "milliseconds", "InMS": "milliseconds", "Seconds": "seconds", "Bytes": "bytes"} {
		if strings.HasSuffix(name, suffix) {
			return unit
		}
	}
	return ""
}

// jsonName is a field's name in JSON; empty when it is not written. inline is an
// embedded struct whose members stand among the others.
func jsonName(f reflect.StructField) (name string, mayBeAbsent, inline bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case f.Anonymous && name == "":
		return "", false, true
	case name == "-" || !f.IsExported():
		return "", false, false
	case name == "":
		name = f.Name
	}
	return name, strings.Contains(options, "omit"), false
}
