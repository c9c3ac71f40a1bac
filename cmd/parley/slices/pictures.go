package slices

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/domain/fault"
)

// keptFiles are those of which is known why one may be gone.
type keptFiles struct{ *blob.Store }

// Open implements what the packages of the operations ask for.
func (k keptFiles) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	return opened(ctx, k.Store, name)
}

// opened tells what is gone in the domain's words.
func opened(ctx context.Context, from *blob.Store, name string) (io.ReadSeekCloser, error) {
	file, err := from.Open(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fault.New(fault.NotFound, "the file is not there any more").Because(err)
	}
	return file, err
}

// givenFiles reads what users have given to sessions, for models.
type givenFiles struct{ *blob.Store }

// Read implements what package acts asks for.
func (f givenFiles) Read(ctx context.Context, name string, most int64) ([]byte, error) {
	file, err := opened(ctx, f.Store, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading a file of a session: %w", err)
	case int64(len(content)) > most:
		return nil, fault.New(fault.TooLarge, "the file has more than %d bytes", most)
	}
	return content, nil
}
