package aws_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	official "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/adapters/aws"
)

func sum(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

func request(t interface{ Fatal(...any) }, method, at string, header http.Header) *http.Request {
	r, err := http.NewRequest(method, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	return r
}

// The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's
// reference of S3.
func TestAmazonsExamples(t *testing.T) {
	example := aws.Credentials{KeyID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		method, path string
		header       http.Header
		body         string
		signed       string
		signature    string
	}{
		"a part of an object": {"GET", "/test.txt", http.Header{"Range": {"bytes=0-9"}}, "", "host;range;x-amz-content-sha256;x-amz-date",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		"an upload": {"PUT", "/" + aws.EscapePath("test$file.text"),
			http.Header{"Date": {"Fri, 24 May 2013 00:00:00 GMT"}, "X-Amz-Storage-Class": {"REDUCED_REDUNDANCY"}},
			"Welcome to Amazon S3.", "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		"a query without a value": {"GET", "/?lifecycle", nil, "", "host;x-amz-content-sha256;x-amz-date",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		"a listing": {"GET", "/?max-keys=2&prefix=J", nil, "", "host;x-amz-content-sha256;x-amz-date",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, c.method, "https://examplebucket.s3.amazonaws.com"+c.path, c.header)
			aws.Sign(r, sum(c.body), example, aws.Scope{Region: "us-east-1", Service: "s3"}, at)
			require.Equal(t, "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="+
				c.signed+", Signature="+c.signature, r.Header.Get("Authorization"))
		})
	}
}

// Whatever is asked, Amazon's own signer signs it the same.
func TestAmazonsSignerAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~äñ€]{0,12}`)
		word := rapid.StringMatching(`[a-z0-9]{1,8}`)
		made := aws.Credentials{KeyID: word.Draw(t, "key"), Secret: text.Draw(t, "secret"),
			Token: rapid.SampledFrom([]string{"", "a/b+c=="}).Draw(t, "token")}
		scope := aws.Scope{Region: word.Draw(t, "region"), Service: "s3"}
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0)
		query := url.Values{}
		for _, name := range rapid.SliceOfN(word, 0, 3).Draw(t, "names") {
			query.Add(name, text.Draw(t, "value"))
		}
		hosts := []string{"http://b.host", "http://host:80", "http://host:9000", "https://host:443", "https://host:80"}
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		address := host + "/" + aws.EscapePath(text.Draw(t, "path")) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
		header := http.Header{"Content-Type": {"text/plain"}, "Range": {"bytes=0- " + word.Draw(t, "range")}}
		method := rapid.SampledFrom([]string{"GET", "PUT", "DELETE"}).Draw(t, "method")
		payload := sum(text.Draw(t, "body"))

		ours, theirs := request(t, method, address, header.Clone()), request(t, method, address, header.Clone())
		aws.Sign(ours, payload, made, scope, at)
		theirs.Header.Set("X-Amz-Content-Sha256", payload) // which the SDK's client sets before it signs
		keys := official.Credentials{AccessKeyID: made.KeyID, SecretAccessKey: made.Secret, SessionToken: made.Token}
		err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).
			SignHTTP(t.Context(), keys, theirs, payload, "s3", scope.Region, at)
		if err != nil {
			t.Fatal(err)
		}
		if ours.Header.Get("Authorization") != theirs.Header.Get("Authorization") {
			t.Fatalf("%s %s\nours   %s\ntheirs %s", method, address, ours.Header.Get("Authorization"), theirs.Header.Get("Authorization"))
		}
	})
}
