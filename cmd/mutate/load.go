package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir, Name, Export               string
	GoFiles, TestImports, XTestImports, Imports []string
	Module                                      struct{ Dir string }
}

func list(args ...string) (all []listed, err error) {
	const fields = "-json=ImportPath,Dir,Name,Export,GoFiles,Imports,TestImports,XTestImports,Module"
	cmd := exec.Command("go", append([]string{"list", fields}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of packages: %w", err)
		}
		all = append(all, p)
	}
}

// program is a package with a switch for each of its mutants, compiled with its tests.
type program struct {
	listed
	path    string // of the test binary
	mutants []*mutant
}

// weave finds the mutants of a package and compiles them. What the compiler refuses is
// no mutant: it is left out, and the rest compiled again.
func weave(p listed, work string) (*program, error) {
	disabled := map[string]bool{}
	for range 20 {
		mutants, overlay, err := mutantsOf(p, work, disabled)
		if err != nil {
			return nil, err
		}
		out := filepath.Join(work, "tests")
		message, err := exec.Command("go", "test", "-c", "-vet=off", "-gcflags="+p.ImportPath+"=-e", "-overlay", overlay,
			"-o", out, p.ImportPath).CombinedOutput()
		if err == nil {
			return &program{listed: p, path: out, mutants: mutants}, nil
		}
		before := len(disabled)
		for line := range strings.Lines(string(message)) {
			disable(disabled, mutants, line)
		}
		if len(disabled) == before {
			return nil, fmt.Errorf("compiling %s with its mutants: %w\n%s", p.ImportPath, err, message)
		}
	}
	return nil, fmt.Errorf("compiling %s: too many mutants do not compile", p.ImportPath)
}

// disable takes out the mutants of the line that the compiler names.
func disable(disabled map[string]bool, mutants []*mutant, message string) {
	parts := strings.SplitN(message, ":", 3)
	if len(parts) < 3 {
		return
	}
	line, err := strconv.Atoi(parts[1])
	for _, m := range mutants {
		if err == nil && m.line == line && filepath.Base(m.file) == filepath.Base(parts[0]) {
			disabled[m.key()] = true
		}
	}
}

func mutantsOf(p listed, work string, disabled map[string]bool) ([]*mutant, string, error) {
	set, files, info, err := check(p)
	if err != nil {
		return nil, "", err
	}
	var mutants []*mutant
	constants, replaced := map[types.Object]*mutant{}, map[string]string{}
	for i, file := range files {
		path := filepath.Join(p.Dir, p.GoFiles[i])
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, "", err
		}
		name, err := filepath.Rel(p.Module.Dir, path)
		if err != nil {
			return nil, "", err
		}
		f := &finder{set: set, info: info, source: source, name: filepath.ToSlash(name),
			imports: map[string]bool{}, disabled: disabled, constants: constants,
			mutants: &mutants, operands: map[ast.Expr]bool{}, messages: map[ast.Expr]bool{}}
		for _, s := range file.Imports {
			unquoted, _ := strconv.Unquote(s.Path.Value)
			f.imports[unquoted] = s.Name == nil
		}
		ast.Inspect(file, f.visit)
		replaced[path] = filepath.Join(work, p.GoFiles[i])
		if err := os.WriteFile(replaced[path], f.woven(), 0o600); err != nil {
			return nil, "", err
		}
	}
	beside := filepath.Join(work, "mutant_switch.go")
	replaced[filepath.Join(p.Dir, "mutant_switch.go")] = beside
	if err := os.WriteFile(beside, bytes.Replace(switches, []byte("PACKAGE"), []byte(p.Name), 1), 0o600); err != nil {
		return nil, "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, data, 0o600)
	}
	return mutants, overlay, err
}

// check parses a package and finds the types of its expressions.
func check(p listed) (*token.FileSet, []*ast.File, *types.Info, error) {
	deps, err := list("-export", "-deps", p.ImportPath)
	if err != nil {
		return nil, nil, nil, err
	}
	exports := map[string]string{}
	for _, d := range deps {
		exports[d.ImportPath] = d.Export
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	if _, err := conf.Check(p.ImportPath, set, files, info); err != nil {
		return nil, nil, nil, fmt.Errorf("checking the types of %s: %w", p.ImportPath, err)
	}
	return set, files, info, nil
}
