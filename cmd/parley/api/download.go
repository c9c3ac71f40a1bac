package api

import (
	"context"
	"fmt"
	"io"
)

// Download asks for a file, again while the node says that it is worth trying, and copies it.
// It takes as long as it takes; a file that breaks off is an error.
func (c *Client) Download(ctx context.Context, call Call, to io.Writer) (bytes int64, err error) {
	err = again(ctx, call, func(call Call, body []byte) (err error) {
		bytes, err = c.copied(ctx, call, body, to)
		return err
	})
	return bytes, err
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
