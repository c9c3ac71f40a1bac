package reactors

import (
	"context"
	"io"
)

// Blobs is where files are kept.
type Blobs interface {
	// Put stores the content durably and gives its name: the same for the same content
	// below the same prefix.
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	// Open reads what has a name.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}
