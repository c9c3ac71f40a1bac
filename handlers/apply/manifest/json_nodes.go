package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// jsonNumber marks the numbers of a JSON file, whose digits are kept.
const jsonNumber = yaml.FlowStyle

var errTooDeep = errors.New("it is nested too deep")

// jsonNodes reads a file of JSON values into the nodes that YAML is read into, with
// the line of each. An error comes with the line where it was met.
func jsonNodes(data []byte) (roots []*yaml.Node, line int, err error) {
	w := &jsonWalk{data: data, line: 1, dec: json.NewDecoder(bytes.NewReader(data))}
	w.dec.UseNumber()
	for {
		n, err := w.next(0)
		if errors.Is(err, io.EOF) {
			return roots, w.here(), nil
		}
		if err != nil {
			return nil, w.here(), plainJSON(err)
		}
		roots = append(roots, n)
	}
}

// plainJSON leaves out what the decoder quotes of the file.
func plainJSON(err error) error {
	switch {
	case errors.Is(err, errTooDeep):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return errors.New("there is something that does not belong here")
}

type jsonWalk struct {
	data []byte
	dec  *json.Decoder
	seen int64 // up to where lines were counted
	line int
}

// here is the line that the decoder has reached.
func (w *jsonWalk) here() int {
	now := min(w.dec.InputOffset(), int64(len(w.data)))
	w.line += bytes.Count(w.data[w.seen:now], []byte("\n"))
	w.seen = now
	return w.line
}

func (w *jsonWalk) next(depth int) (*yaml.Node, error) {
	token, err := w.dec.Token()
	if err != nil {
		if depth > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if depth > 2*maxDepth {
		return nil, errTooDeep
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: w.here()}
	switch t := token.(type) {
	case json.Delim:
		return n, w.fill(n, t, depth)
	case string:
		n.Tag, n.Value = "!!str", t
	case json.Number:
		n.Tag, n.Value, n.Style = "!!float", t.String(), jsonNumber
	case bool:
		n.Tag, n.Value = "!!bool", map[bool]string{true: "true", false: "false"}[t]
	case nil:
		n.Tag = "!!null"
	}
	return n, nil
}

// fill reads the content of an object or array.
func (w *jsonWalk) fill(n *yaml.Node, open json.Delim, depth int) error {
	n.Kind = yaml.MappingNode
	if open == '[' {
		n.Kind = yaml.SequenceNode
	}
	for w.dec.More() {
		child, err := w.next(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := w.dec.Token() // the end of it
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
