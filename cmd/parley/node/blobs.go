package node

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/handlers/rest"
)

// openBlobs opens the blob storage: the one that is named, else a folder of this node.
func (n *Node) openBlobs(ctx context.Context) error {
	url, err := n.cfg.files()
	if err != nil {
		return err
	}
	if n.cfg.BlobURL == "" && len(n.cfg.KafkaBrokers) > 0 && n.cfg.DatabaseURL != "" {
		n.log.Warn("files are kept in a folder of this node: with several nodes, give all of them one --blob-url")
	}
	n.blobs, err = blob.Open(ctx, url)
	if notMade := new(fs.PathError); err != nil && !errors.As(err, &notMade) {
		return exit.Wrongf("%s", err)
	} else if err != nil {
		return err
	}
	n.closing(func(context.Context) {
		if err := n.blobs.Close(); err != nil {
			n.log.Warn("the blob storage was not closed cleanly", "error", err)
		}
	})
	look, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	if err := n.blobs.Ping(look); err != nil { // it may come back, and most of what is asked of a node needs no file
		n.log.Error("files cannot be kept: exports, recordings and attachments fail until this is mended (--blob-url)", "error", err)
	}
	n.tidyBlobs(ctx)
	return nil
}

// tidyBlobs removes what killed processes left of blobs. The start does not wait for it: a
// folder of many files on a mount is long to search.
func (n *Node) tidyBlobs(ctx context.Context) {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.blobs.Tidy(run, n.log)
	}()
	n.closing(func(ctx context.Context) {
		stop()
		select {
		case <-done:
		case <-ctx.Done(): // a mount that does not answer
		}
	})
}

// blobsPart is what /readyz says. A storage that is away degrades the node only: what
// needs no file is still served. So does a folder of this node that others cannot read.
func (n *Node) blobsPart(ctx context.Context) rest.Part {
	part := rest.Part{Name: "blobs", Ready: true}
	switch err := n.blobs.Ping(ctx); {
	case errors.Is(err, blob.ErrReadOnly):
		part.Degraded, part.Detail = true, "the blob storage cannot be written to"
	case err != nil:
		part.Degraded, part.Detail = true, "the blob storage does not answer"
	case n.cfg.BlobURL == "" && n.projector.Live() > 1:
		part.Degraded, part.Detail = true, "files are kept in a folder of this node, and there are several: give all of them one --blob-url"
	}
	return part
}
