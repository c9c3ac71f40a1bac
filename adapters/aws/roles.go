package aws

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
)

// Where roles are asked for, when the environment names no other place.
const (
	containerHost = "http://169.254.170.2"
	machineHost   = "http://169.254.169.254"
	roleTimeout   = 5 * time.Second
	mostAnswer    = 64 << 10
)

// nearby asks services of the machine itself, never through a proxy, and follows nothing.
var nearby = &http.Client{Timeout: roleTimeout, CheckRedirect: stay,
	Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext}}

var remote = &http.Client{Timeout: 2 * roleTimeout, CheckRedirect: stay}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// roleAnswer is what the services of containers and of machines say.
type roleAnswer struct {
	Code            string // of machines: Success
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	Token           string
	Expiration      time.Time
}

func (a roleAnswer) credentials() Credentials {
	return Credentials{a.AccessKeyID, a.SecretAccessKey, a.Token, a.Expiration}
}

// webIdentity changes a token of the cluster, which is read anew each time, into
// credentials of a role.
func webIdentity(file, role, session, region string) (*Source, error) {
	if role == "" {
		return nil, errors.New("a web identity needs AWS_ROLE_ARN")
	}
	if session == "" {
		session = "parley"
	}
	endpoint := Endpoint("STS")
	switch {
	case endpoint != "":
	case region == "":
		endpoint = "https://sts.amazonaws.com"
	default:
		endpoint = "https://sts." + region + "." + Domain(region)
	}
	return &Source{ask: func(ctx context.Context) (Credentials, error) {
		token, err := os.ReadFile(file)
		if err != nil {
			return Credentials{}, fmt.Errorf("reading the web identity: %w", err)
		}
		form := url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {role},
			"RoleSessionName": {session}, "WebIdentityToken": {strings.TrimSpace(string(token))}}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
		if err != nil {
			return Credentials{}, errors.New("AWS_ENDPOINT_URL_STS is not a URL")
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		content, err := answer(remote, r)
		if err != nil {
			return Credentials{}, fmt.Errorf("asking for the role %s: %w", role, err)
		}
		var a struct {
			KeyID   string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>AccessKeyId"`
			Secret  string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>SecretAccessKey"`
			Token   string    `xml:"AssumeRoleWithWebIdentityResult>Credentials>SessionToken"`
			Expires time.Time `xml:"AssumeRoleWithWebIdentityResult>Credentials>Expiration"`
		}
		if xml.Unmarshal(content, &a) != nil {
			return Credentials{}, errors.New("the answer about a role cannot be read")
		}
		return Credentials{a.KeyID, a.Secret, a.Token, a.Expires}, nil
	}}, nil
}

// container asks the agent of ECS or EKS.
func container(relative, full string) (*Source, error) {
	at := containerHost + relative
	if relative == "" {
		u, err := url.Parse(full)
		if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && trusted(u.Hostname())) {
			return nil, errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an agent of this machine")
		}
		at = full
	}
	return &Source{ask: func(ctx context.Context) (Credentials, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return Credentials{}, errors.New("the address of the container's role is not a URL")
		}
		token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
		if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" { // changes now and then
			content, err := os.ReadFile(file)
			if err != nil {
				return Credentials{}, fmt.Errorf("reading the token of the container's role: %w", err)
			}
			token = strings.TrimSpace(string(content))
		}
		if strings.ContainsAny(token, "\r\n") {
			return Credentials{}, errors.New("the token of the container's role holds the end of a line")
		}
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		return role(r, "the container's role")
	}}, nil
}

// trusted says whether a host may be asked without encryption: this machine, or the
// addresses that ECS and EKS give their agents.
func trusted(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || host == "169.254.170.2" || host == "169.254.170.23" || ip == netip.MustParseAddr("fd00:ec2::23"))
}

// machine asks the metadata service of EC2, in its version 2.
func machine() *Source {
	host := strings.TrimRight(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "/")
	if host == "" {
		host = machineHost
	}
	const of = "/latest/meta-data/iam/security-credentials/"
	return &Source{ask: func(ctx context.Context) (Credentials, error) {
		session, err := metadata(ctx, http.MethodPut, host+"/latest/api/token", "X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "300")
		if err != nil {
			return Credentials{}, fmt.Errorf("%w (the machine's role: %w)", ErrNone, err)
		}
		names, err := metadata(ctx, http.MethodGet, host+of, "X-Aws-Ec2-Metadata-Token", session)
		if err != nil {
			return Credentials{}, fmt.Errorf("%w (the machine's role: %w)", ErrNone, err)
		}
		name, _, _ := strings.Cut(strings.TrimSpace(names), "\n")
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, host+of+url.PathEscape(name), nil)
		if err != nil {
			return Credentials{}, errors.New("the name of the machine's role cannot be asked for")
		}
		r.Header.Set("X-Aws-Ec2-Metadata-Token", session)
		return role(r, "the machine's role")
	}}
}

func metadata(ctx context.Context, method, at, header, value string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return "", errors.New("AWS_EC2_METADATA_SERVICE_ENDPOINT is not a URL")
	}
	r.Header.Set(header, value)
	content, err := answer(nearby, r)
	return string(content), err
}

func role(r *http.Request, what string) (Credentials, error) {
	content, err := answer(nearby, r)
	if err != nil {
		return Credentials{}, fmt.Errorf("asking for %s: %w", what, err)
	}
	var a roleAnswer
	if json.Unmarshal(content, &a) != nil || a.Code != "" && a.Code != "Success" {
		return Credentials{}, fmt.Errorf("the answer about %s cannot be read", what)
	}
	return a.credentials(), nil
}

// answer sends one request; an error never quotes the answer, nor an address.
func answer(c *http.Client, r *http.Request) ([]byte, error) {
	res, err := c.Do(r)
	if err != nil {
		var named *url.Error
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	return content, err
}

// Endpoint is the address of a service that the environment names; empty: Amazon's own.
func Endpoint(service string) string {
	if own := os.Getenv("AWS_ENDPOINT_URL_" + service); own != "" {
		return own
	}
	return os.Getenv("AWS_ENDPOINT_URL")
}

// Domain is that of a region's services.
func Domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}
