package blob_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	official "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
)

// peer is a bucket called parley that answers as S3 does, with conditional writes and
// ranges. It takes only requests that Amazon's own signer would have signed the same.
type peer struct {
	url string

	mu      sync.Mutex
	objects map[string][]byte
	written map[string]time.Time
	asked   []string           // method, path and range
	answer  []http.HandlerFunc // to the next requests, in place of its own
}

const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

// startOf2026 is when the first object of the bucket was stored; each other is a second later.
var startOf2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{objects: map[string][]byte{}, written: map[string]time.Time{}}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// bucketOf is the storage under test.
func bucketOf(t *testing.T, p *peer) *blob.Store {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_SESSION_TOKEN", "")
	return open(t, "s3://parley?region=eu-central-1&use_path_style=true&endpoint="+url.QueryEscape(p.url))
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(400, "IncompleteBody")(w, r)
		return
	}
	p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Range")))
	if len(p.answer) > 0 {
		answer := p.answer[0]
		p.answer = p.answer[1:]
		answer(w, r)
		return
	}
	object, there := p.objects[r.URL.Path]
	sum := md5.Sum(body)
	switch {
	case !signed(r, body):
		refuse(403, "SignatureDoesNotMatch")(w, r)
	case r.URL.Path == "/parley/" && r.URL.Query().Get("list-type") == "2":
		p.list(w, r.URL.Query())
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		refuse(412, "PreconditionFailed")(w, r)
	case r.Method == http.MethodPut && r.Header.Get("Content-Md5") != base64.StdEncoding.EncodeToString(sum[:]):
		refuse(400, "BadDigest")(w, r)
	case r.Method == http.MethodPut:
		p.objects[r.URL.Path], p.written[r.URL.Path] = body, startOf2026.Add(time.Duration(len(p.asked))*time.Second)
		w.Header().Set("ETag", `"e"`)
	case r.Method == http.MethodDelete:
		delete(p.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		refuse(404, "NoSuchKey")(w, r)
	default:
		http.ServeContent(w, r, "", p.written[r.URL.Path], bytes.NewReader(object))
	}
}

// list shows two objects a page, with a token that has to be escaped.
func (p *peer) list(w io.Writer, asked url.Values) {
	names := slices.Sorted(maps.Keys(p.objects))
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, "/parley/"+asked.Get("prefix")) || name+"+/=" <= asked.Get("continuation-token")
	})
	_, _ = io.WriteString(w, `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>parley</Name>`)
	for _, name := range names[:min(2, len(names))] {
		_, _ = fmt.Fprintf(w, "<Contents><Key>%s</Key><LastModified>%s</LastModified></Contents>", strings.TrimPrefix(name, "/parley/"),
			p.written[name].Format("2006-01-02T15:04:05.000Z"))
	}
	if len(names) > 2 {
		_, _ = fmt.Fprintf(w, "<IsTruncated>true</IsTruncated><NextContinuationToken>%s+/=</NextContinuationToken>", names[1])
	}
	_, _ = io.WriteString(w, "</ListBucketResult>")
}

func refuse(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>%s</Code><Message>key test</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>`, code)
	}
}

// signed asks Amazon's signer for the signature of what came.
func signed(r *http.Request, body []byte) bool {
	again := r.Clone(r.Context())
	again.URL.Scheme, again.URL.Host, again.ContentLength = "http", r.Host, 0
	for _, name := range []string{"Authorization", "Accept-Encoding", "Content-Length"} {
		again.Header.Del(name)
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 15*time.Minute {
		return false
	}
	payload := blob.Sum(body)
	err = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).SignHTTP(r.Context(),
		official.Credentials{AccessKeyID: "test", SecretAccessKey: secret}, again, payload, "s3", "eu-central-1", at)
	return err == nil && r.Header.Get("X-Amz-Content-Sha256") == payload && again.Header.Get("Authorization") == r.Header.Get("Authorization")
}

func (p *peer) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func TestABucket(t *testing.T) { checkStore(t, bucketOf(t, newPeer(t))) }

func TestNamesAreWrittenAsS3SignsThem(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	name, err := s.Put(t.Context(), "acme é+%20 &=$", "text/plain", []byte("x"))
	require.NoError(t, err)
	require.Equal(t, "x", read(t, s, name))
	require.Contains(t, p.requests()[1], "/parley/acme%20%C3%A9%2B%2520%20%26%3D%24/")
}

// Who seeks before reading costs no request, and who goes on elsewhere one.
func TestOnlyWhatIsReadIsAskedFor(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	name, err := s.Put(t.Context(), "p", "text/plain", []byte("0123456789"))
	require.NoError(t, err)
	r, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	for _, whence := range []int{io.SeekEnd, io.SeekStart} { // what net/http does to know the length
		_, err = r.Seek(0, whence)
		require.NoError(t, err)
	}
	two := make([]byte, 2)
	_, err = io.ReadFull(r, two)
	require.NoError(t, err)
	_, err = r.Seek(5, io.SeekCurrent)
	require.NoError(t, err)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "01 789", string(two)+" "+string(rest))
	_, err = r.Seek(-1, io.SeekStart)
	require.Error(t, err)
	require.NoError(t, r.Close())
	object := "/parley/" + name
	require.Equal(t, []string{"PUT " + object, "GET " + object, "GET " + object + " bytes=7-"}, p.requests()[1:])
}

func TestWhatTheBucketRefuses(t *testing.T) {
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amz-Bucket-Region", "us-west-2")
		w.Header().Set("Location", "http://127.0.0.1:1/")
		refuse(301, "PermanentRedirect")(w, r)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
		tries  int
	}{
		"no right":          {refuse(403, "AccessDenied"), "status 403 AccessDenied", 1},
		"wrong key":         {refuse(403, "InvalidAccessKeyId"), "status 403 InvalidAccessKeyId", 1},
		"no bucket":         {refuse(404, "NoSuchBucket"), "status 404 NoSuchBucket", 1},
		"another region":    {elsewhere, "status 301 PermanentRedirect; it is in region us-west-2", 1},
		"not offered":       {refuse(501, "NotImplemented"), "status 501 NotImplemented", 1},
		"too fast":          {refuse(503, "SlowDown"), "status 503 SlowDown", 3},
		"too slow":          {refuse(400, "RequestTimeout"), "status 400 RequestTimeout", 3},
		"its own fault":     {refuse(500, "InternalError"), "status 500 InternalError", 3},
		"not S3":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, "status 502", 3},
		"hung up":           {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF", 3},
		"a hostile message": {refuse(400, "<b>sk-\n</b>"), "status 400", 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			p.answer = []http.HandlerFunc{c.answer, c.answer, c.answer}
			s := bucketOf(t, p)
			err := s.Ping(t.Context())
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "key test")
			require.Len(t, p.requests(), c.tries)
		})
	}
}

func TestAMomentOfTroubleIsBridged(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	p.answer = []http.HandlerFunc{refuse(503, "SlowDown"), refuse(409, "ConditionalRequestConflict")}
	name, err := s.Put(t.Context(), "p", "text/plain", []byte("content"))
	require.NoError(t, err)
	require.Len(t, p.requests(), 4, "the note of its name comes before it")
	require.Equal(t, "content", read(t, s, name))
}

func TestABlobThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	p := newPeer(t)
	s := bucketOf(t, p)
	name, err := s.Put(t.Context(), "p", "text/plain", []byte("0123456789"))
	require.NoError(t, err)
	p.answer = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "01234")
	}}
	r, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	_, err = io.ReadAll(r)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, r.Close())
}

func TestWrongBuckets(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	for wrong, says := range map[string]string{
		"s3://":                            "names no bucket",
		"s3://b":                           "a bucket is given as",
		"s3://bucket":                      "names no region",
		"s3://bucket/folder?region=x":      "a bucket is given as",
		"s3://user:secret@bucket?region=x": "a bucket is given as",
		"s3://bucket?region=x&kms=1":       `the option "kms" is unknown; known are region, endpoint, use_path_style, profile`,
		"s3://bucket?region=x&use_path_style=maybe":  "use_path_style must be true or false",
		"s3://bucket?region=x&endpoint=minio":        "endpoint must be an absolute",
		"s3://bucket?region=x&endpoint=http://u:p@h": "endpoint must be an absolute",
		"s3://bucket?region=x&profile=nobody":        "there is no profile nobody",
	} {
		_, err := blob.Open(t.Context(), wrong)
		require.ErrorContains(t, err, "--blob-url: ", wrong)
		require.ErrorContains(t, err, says, wrong)
		require.NotContains(t, err.Error(), "secret")
	}
}

// Where a request for a bucket goes.
func TestAddressesOfBuckets(t *testing.T) {
	for given, want := range map[string]string{
		"parley?region=eu-central-1":                                        "https://parley.s3.eu-central-1.amazonaws.com/",
		"parley?region=cn-north-1":                                          "https://parley.s3.cn-north-1.amazonaws.com.cn/",
		"parley.files?region=us-east-1":                                     "https://s3.us-east-1.amazonaws.com/parley.files/",
		"parley?region=us-east-1&use_path_style=true":                       "https://s3.us-east-1.amazonaws.com/parley/",
		"parley?region=x&endpoint=http://minio:9000":                        "http://parley.minio:9000/",
		"parley?region=x&endpoint=http://minio:9000/&use_path_style=true":   "http://minio:9000/parley/",
		"parley?region=x&endpoint=http://10.0.0.1:9000":                     "http://10.0.0.1:9000/parley/",
		"parley?region=x&endpoint=https://store/s3&use_path_style=true":     "https://store/s3/parley/",
		"parley?region=auto&endpoint=https://acc.r2.cloudflarestorage.com/": "https://parley.acc.r2.cloudflarestorage.com/",
	} {
		u, err := url.Parse("s3://" + given)
		require.NoError(t, err)
		got, err := blob.Address(u.Host, u.Query().Get("region"), u.Query())
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(&got), given)
	}
}
