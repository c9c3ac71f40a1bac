package eventstream

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/plainjson"
)

// Event writes an event, whose name may be empty, with a value as JSON.
func (o *Writer) Event(name string, data any) error {
	encoded, err := plainjson.Of(data)
	if err != nil {
		return err
	}
	return o.Send(Of("", name, encoded))
}

// Of is an event as it is written: where a reader goes on by its id, what it is called, each if there is one, and
// its data, which are a line.
func Of(id, name string, data []byte) (out []byte) {
	if id != "" {
		out = append(out, "id: "+id+"\n"...)
	}
	if name != "" {
		out = append(out, "event: "+name+"\n"...)
	}
	return slices.Concat(out, []byte("data: "), data, []byte("\n\n"))
}

// Line writes an event without a name, whose data are a line of text.
func (o *Writer) Line(line string) error { return o.Send([]byte("data: " + line + "\n\n")) }

// Remark writes what no reader takes for an event.
func (o *Writer) Remark(words string) error { return o.Send([]byte(": " + words + "\n\n")) }

// Standing is who the reader of a stream is now, and tells one whose credential does not hold any more.
func Standing[P any](ctx context.Context, o *Writer, now func(context.Context) (P, error)) (P, error) {
	who, err := now(ctx)
	if err != nil {
		_ = o.Remark("the credential does not hold any more")
	}
	return who, err
}

// Beat is a sign of life.
func (o *Writer) Beat() error { return o.Remark("heartbeat") }
