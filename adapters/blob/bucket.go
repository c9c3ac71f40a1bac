package blob

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/aws"
	"github.com/parley-platform/parley/adapters/outgoing"
)

// bucket is a storage that speaks the S3 protocol: it writes objects that are not there
// yet, reads them from any place, lists and deletes them, and asks whether the bucket answers.
type bucket struct {
	base   url.URL // with the bucket; the path ends with a slash
	scope  aws.Scope
	who    *aws.Source
	client *http.Client
}

const (
	tries      = 3
	firstPause = 100 * time.Millisecond // between two tries; doubles
	mostError  = 16 << 10               // bytes of an error that are read
	silence    = 30 * time.Second       // before the first byte of an answer
)

func newBucket(base url.URL, region string, who *aws.Source) *bucket {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = silence
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &bucket{base: base, scope: aws.Scope{Region: region, Service: "s3"}, who: who,
		client: &http.Client{Transport: outgoing.To(outgoing.Storage, transport), CheckRedirect: stay}}
}

func (b *bucket) close() { b.client.CloseIdleConnections() }

// put asks the bucket to keep what is there: what has this name has this content.
func (b *bucket) put(ctx context.Context, name, contentType string, content []byte) error {
	err := b.write(ctx, name, content, http.Header{"Content-Type": {contentType}, "If-None-Match": {"*"}})
	var refused *s3Error
	if errors.As(err, &refused) && refused.status == http.StatusPreconditionFailed {
		return nil
	}
	return err
}

func (b *bucket) note(ctx context.Context, name string, content []byte) error {
	return b.write(ctx, name, content, http.Header{"Content-Type": {"text/plain"}})
}

func (b *bucket) write(ctx context.Context, name string, content []byte, header http.Header) error {
	sum := md5.Sum(content) // what a bucket with locked objects wants, and every storage checks
	header.Set("Content-Md5", base64.StdEncoding.EncodeToString(sum[:]))
	res, err := b.ask(ctx, http.MethodPut, name, content, header)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func (b *bucket) delete(ctx context.Context, name string) error {
	res, err := b.ask(ctx, http.MethodDelete, name, nil, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// ping lists one name: that needs the bucket to be there, and the right to read it.
func (b *bucket) ping(ctx context.Context) error {
	res, err := b.ask(ctx, http.MethodGet, "?list-type=2&max-keys=1", nil, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// ask sends a request, again when the storage or the way to it was at fault: all that is
// asked may be asked twice. An answer that is no error is the caller's to close.
func (b *bucket) ask(ctx context.Context, method, name string, content []byte, header http.Header) (*http.Response, error) {
	pause := firstPause
	for try := 1; ; try++ {
		res, err := b.once(ctx, method, name, content, header)
		if err == nil || try == tries || ctx.Err() != nil || !transient(err) {
			return res, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause *= 2
	}
}

func (b *bucket) once(ctx context.Context, method, name string, content []byte, header http.Header) (*http.Response, error) {
	who, err := b.who.Credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCredentials, err)
	}
	at := b.base
	name, at.RawQuery, _ = strings.Cut(name, "?")
	at.Path, at.RawPath = at.Path+name, at.EscapedPath()+aws.EscapePath(name)
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("the address of a blob cannot be made")
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("User-Agent", "parley")
	r.Header.Set("Accept-Encoding", "identity") // parts of it are asked for by their place
	aws.Sign(r, Sum(content), who, b.scope, time.Now())
	res, err := b.client.Do(r)
	if err != nil {
		var named *url.Error
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, fmt.Errorf("asking the bucket: %w", err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, refusal(res)
}

var errCredentials = errors.New("getting credentials")

// s3Error is the bucket's no.
type s3Error struct {
	status int
	code   string // such as NoSuchKey; empty when it said none
	region string // where the bucket is, when it is another one
}

func (e *s3Error) Error() string {
	said := fmt.Sprintf("the bucket answered with status %d", e.status)
	if e.code != "" {
		said += " " + e.code
	}
	if e.region != "" {
		said += "; it is in region " + e.region
	}
	return said
}

var (
	errorCode  = regexp.MustCompile(`^[A-Za-z0-9.]{1,64}$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
)

func refusal(res *http.Response) error {
	e := &s3Error{status: res.StatusCode}
	var body struct{ Code string }
	content, _ := io.ReadAll(io.LimitReader(res.Body, mostError))
	if xml.Unmarshal(content, &body) == nil && errorCode.MatchString(body.Code) {
		e.code = body.Code
	}
	if region := res.Header.Get("X-Amz-Bucket-Region"); res.StatusCode/100 == 3 && regionName.MatchString(region) {
		e.region = region
	}
	if e.status == http.StatusNotFound && e.code != "NoSuchBucket" {
		return ErrNotFound
	}
	return e
}

// transient says that the same request may do better a moment later.
func transient(err error) bool {
	var e *s3Error
	switch {
	case errors.Is(err, ErrNotFound) || errors.Is(err, errCredentials):
		return false
	case !errors.As(err, &e):
		return true // the way to it
	}
	switch e.code {
	case "RequestTimeout", "ConditionalRequestConflict", "OperationAborted":
		return true
	}
	return e.status >= 500 && e.status != http.StatusNotImplemented || e.status == http.StatusTooManyRequests
}
