package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// Download asks for a file, again while the node says that it is worth trying, and copies it.
// It takes as long as it takes; a file that breaks off is an error.
func (c *Client) Download(ctx context.Context, call Call, to io.Writer) (bytes int64, err error) {
	body, err := json.Marshal(call.Body)
	if err != nil {
		return 0, fmt.Errorf("encoding the request: %w", err)
	}
	call.Key = cmp.Or(call.Key, uuid.NewString()) // of all tries: they make one change
	for try := 1; ; try++ {
		bytes, err = c.copied(ctx, call, body, to)
		var refusal *Refusal
		switch {
		case err == nil:
			return bytes, nil
		case ctx.Err() != nil:
			return bytes, interrupted(call)
		case !errors.As(err, &refusal) || !refusal.Passing() || try == tries:
			return bytes, err
		}
		_ = wait(ctx, refusal.pause())
	}
}

func (c *Client) copied(ctx context.Context, call Call, body []byte, to io.Writer) (int64, error) {
	res, err := c.send(ctx, call, body)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	n, err := io.Copy(to, res.Body)
	if err != nil {
		return n, fmt.Errorf("the file broke off after %d bytes: %w\nAsk again; the log of the node may say why", n, err)
	}
	return n, nil
}
