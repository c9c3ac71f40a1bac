package blob

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/aws"
)

// options are what an s3:// URL may say.
var options = []string{"region", "endpoint", "use_path_style", "profile"}

var bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$`)

func openBucket(u *url.URL) (storage, error) {
	name, q := u.Host, u.Query()
	if name == "" {
		return nil, errors.New("it names no bucket; wanted is s3://bucket?region=REGION")
	}
	if !bucketName.MatchString(name) || u.Path != "" && u.Path != "/" || u.User != nil {
		return nil, errors.New("a bucket is given as s3://bucket?region=REGION")
	}
	for option := range q {
		if !slices.Contains(options, option) {
			return nil, fmt.Errorf("the option %q is unknown; known are %s", option, strings.Join(options, ", "))
		}
	}
	region := q.Get("region")
	if region == "" {
		region = aws.Region(q.Get("profile"))
	}
	if region == "" {
		return nil, errors.New("it names no region; wanted is s3://bucket?region=REGION")
	}
	base, err := address(name, region, q)
	if err != nil {
		return nil, err
	}
	who, err := aws.Environment(q.Get("profile"))
	if err != nil {
		return nil, fmt.Errorf("looking for the credentials of bucket %s: %w", name, err)
	}
	return newBucket(base, region, who), nil
}

// address is where a bucket is: as a host of its own, or below one. A name with a dot is
// in no certificate, and before an IP address it is no host: it stands in the path then.
func address(name, region string, q url.Values) (url.URL, error) {
	inPath := false
	if v := q.Get("use_path_style"); v != "" {
		var err error
		if inPath, err = strconv.ParseBool(v); err != nil {
			return url.URL{}, errors.New("use_path_style must be true or false")
		}
	}
	endpoint := q.Get("endpoint")
	if endpoint == "" {
		endpoint = aws.Endpoint("S3")
	}
	if endpoint == "" {
		endpoint = "https://s3." + region + "." + aws.Domain(region)
	}
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil || base.RawQuery != "" {
		return url.URL{}, errors.New("endpoint must be an absolute http or https URL without a user and without a query")
	}
	at := url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/") + "/"}
	_, notIP := netip.ParseAddr(base.Hostname())
	if inPath || notIP == nil || base.Scheme == "https" && strings.Contains(name, ".") {
		at.Path += name + "/"
	} else {
		at.Host = name + "." + at.Host
	}
	return at, nil
}
