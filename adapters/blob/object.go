package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// open asks for an object from its beginning; its length comes with the answer.
func (b *bucket) open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	res, err := b.ask(ctx, http.MethodGet, name, nil, nil)
	if err != nil {
		return nil, err
	}
	if res.ContentLength < 0 {
		return nil, errors.Join(errors.New("the bucket does not say how long it is"), res.Body.Close())
	}
	return &object{ctx: ctx, from: b, name: name, size: res.ContentLength, body: res.Body}, nil
}

// object is read from where the reader wants. It is asked for anew only when that is
// not where the answer at hand goes on.
type object struct {
	ctx  context.Context
	from *bucket
	name string
	size int64

	body io.ReadCloser // nil: ask
	at   int64         // where body goes on
	want int64         // where the reader goes on
}

func (o *object) Read(p []byte) (int, error) {
	if o.want >= o.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := o.ctx.Err(); err != nil { // what is here already would be read all the same
		return 0, err
	}
	if err := o.reach(); err != nil {
		return 0, err
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	o.want = o.at
	if err == io.EOF && o.at < o.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// reach makes the answer at hand go on where the reader wants.
func (o *object) reach() error {
	if o.body != nil && o.at == o.want {
		return nil
	}
	if err := o.Close(); err != nil {
		return fmt.Errorf("leaving a place in a blob: %w", err)
	}
	res, err := o.from.ask(o.ctx, http.MethodGet, o.name, nil, http.Header{"Range": {fmt.Sprintf("bytes=%d-", o.want)}})
	if err != nil {
		return fmt.Errorf("going on in a blob: %w", err)
	}
	if res.StatusCode != http.StatusPartialContent && o.want > 0 {
		return errors.Join(errors.New("going on in a blob: the bucket gives no part of it"), res.Body.Close())
	}
	o.body, o.at = res.Body, o.want
	return nil
}

// Seek implements io.Seeker; it asks nobody.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.want
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("there is nothing before the beginning of a blob")
	}
	o.want = offset
	return offset, nil
}

func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	err := o.body.Close()
	o.body = nil
	return err
}
