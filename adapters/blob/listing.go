package blob

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// mostListing is how many bytes a page of a listing may have: a thousand names of at most a kilobyte each, and what stands around them.
const mostListing = 4 << 20

// listing is a page of what a bucket lists.
type listing struct {
	Contents []struct {
		Key          string
		LastModified time.Time
	}
	IsTruncated           bool
	NextContinuationToken string
}

func (b *bucket) list(ctx context.Context, prefix string) (out []entry, err error) {
	asked := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		page, err := b.page(ctx, asked)
		if err != nil {
			return nil, err
		}
		for _, c := range page.Contents {
			out = append(out, entry{c.Key, c.LastModified})
		}
		if !page.IsTruncated {
			return out, nil
		}
		if page.NextContinuationToken == "" || page.NextContinuationToken == asked.Get("continuation-token") {
			return nil, errors.New("the bucket does not say where its listing goes on")
		}
		asked.Set("continuation-token", page.NextContinuationToken)
	}
}

func (b *bucket) page(ctx context.Context, asked url.Values) (page listing, err error) {
	res, err := b.ask(ctx, http.MethodGet, "?"+asked.Encode(), nil, nil)
	if err != nil {
		return page, err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(res.Body, mostListing))
	if err == nil {
		err = xml.Unmarshal(content, &page)
	}
	if err != nil {
		return page, fmt.Errorf("reading what the bucket lists: %w", err)
	}
	return page, nil
}
