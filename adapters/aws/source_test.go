package aws_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/aws"
)

// nothing is an environment that gives no credentials, and a folder for its files.
func nothing(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION", "DEFAULT_REGION", "ROLE_ARN",
		"ROLE_SESSION_NAME", "WEB_IDENTITY_TOKEN_FILE", "CONTAINER_CREDENTIALS_RELATIVE_URI", "CONTAINER_CREDENTIALS_FULL_URI",
		"CONTAINER_AUTHORIZATION_TOKEN", "CONTAINER_AUTHORIZATION_TOKEN_FILE", "ENDPOINT_URL", "ENDPOINT_URL_STS",
		"EC2_METADATA_SERVICE_ENDPOINT"} {
		t.Setenv("AWS_"+name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(folder, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(folder, "credentials"))
	return folder
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func credentials(t *testing.T, profile string) (aws.Credentials, error) {
	t.Helper()
	s, err := aws.Environment(profile)
	if err != nil {
		return aws.Credentials{}, err
	}
	return s.Credentials(t.Context())
}

// peer answers every request, and says what the last one was.
func peer(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func TestKeysOfTheEnvironment(t *testing.T) {
	nothing(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIA1")
	_, err := credentials(t, "")
	require.ErrorContains(t, err, "together")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	t.Setenv("AWS_SESSION_TOKEN", "token")
	t.Setenv("AWS_PROFILE", "nobody")
	got, err := credentials(t, "")
	require.NoError(t, err, "keys go before a profile of the environment")
	require.Equal(t, aws.Credentials{KeyID: "AKIA1", Secret: "s3cret", Token: "token"}, got)
	_, err = credentials(t, "nobody")
	require.ErrorContains(t, err, "no profile nobody", "a profile that is asked for goes before keys")
}

func TestProfiles(t *testing.T) {
	folder := nothing(t)
	write(t, filepath.Join(folder, "credentials"), "# keys\n[default]\naws_access_key_id = AKIA0\naws_secret_access_key=zero=\n\n"+
		"[half]\naws_access_key_id = AKIA9\n[work]\naws_access_key_id = AKIA2\naws_secret_access_key = two\n")
	write(t, filepath.Join(folder, "config"), "[profile work]\nregion = eu-west-1\ns3 =\n  region = nowhere\naws_access_key_id = AKIA8\n"+
		"[profile tool]\ncredential_process = printf '{\"Version\":1,\"AccessKeyId\":\"AKIA3\",\"SecretAccessKey\":\"three\","+
		"\"SessionToken\":\"t\",\"Expiration\":\"2199-01-01T00:00:00Z\"}'\n[profile broken]\ncredential_process = echo s3cret; exit 3\n"+
		"[profile words]\ncredential_process = echo s3cret\n[profile person]\nsso_session = x\n"+
		"[profile chain]\nrole_arn = arn:x\nsource_profile = work\n")
	for name, want := range map[string]aws.Credentials{
		"":     {KeyID: "AKIA0", Secret: "zero="},
		"work": {KeyID: "AKIA2", Secret: "two"},
		"tool": {KeyID: "AKIA3", Secret: "three", Token: "t", Expires: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		got, err := credentials(t, name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for name, says := range map[string]string{"half": "only one of", "broken": "running credential_process", "words": "no JSON of version 1",
		"person": "credential_process = aws configure export-credentials", "chain": "credential_process = aws configure export-credentials",
		"none": "no profile none"} {
		_, err := credentials(t, name)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "s3cret")
	}
	require.Equal(t, "eu-west-1", aws.Region("work"))
	t.Setenv("AWS_PROFILE", "work")
	require.Equal(t, "eu-west-1", aws.Region(""))
	got, err := credentials(t, "")
	require.NoError(t, err)
	require.Equal(t, "AKIA2", got.KeyID)
	t.Setenv("AWS_REGION", "us-east-1")
	require.Equal(t, "us-east-1", aws.Region("work"))
}

// The answer is that of AWS's reference of AssumeRoleWithWebIdentity.
func TestTheRoleOfAWebIdentity(t *testing.T) {
	folder := nothing(t)
	write(t, filepath.Join(folder, "token"), "jwt-1\n")
	status := http.StatusOK
	t.Setenv("AWS_ENDPOINT_URL_STS", peer(t, func(w http.ResponseWriter, r *http.Request) {
		for name, want := range map[string]string{"Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": "arn:role",
			"RoleSessionName": "parley", "WebIdentityToken": "jwt-1"} {
			if r.FormValue(name) != want {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult><SubjectFromWebIdentityToken>amzn1</SubjectFromWebIdentityToken><Audience>client</Audience>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/x/parley</Arn><AssumedRoleId>AROA:parley</AssumedRoleId></AssumedRoleUser>
    <Credentials><SessionToken>AQoDYXdzEE0a8ANXXXXXXXXNO1ewxE5TijQyp+IEXAMPLE</SessionToken><SecretAccessKey>wJalr</SecretAccessKey>
      <Expiration>2199-10-24T23:00:23Z</Expiration><AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId></Credentials>
  </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
	}))
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", filepath.Join(folder, "token"))
	_, err := credentials(t, "")
	require.ErrorContains(t, err, "AWS_ROLE_ARN")
	t.Setenv("AWS_ROLE_ARN", "arn:role")
	got, err := credentials(t, "")
	require.NoError(t, err)
	require.Equal(t, aws.Credentials{KeyID: "ASgeIAIOSFODNN7EXAMPLE", Secret: "wJalr",
		Token: "AQoDYXdzEE0a8ANXXXXXXXXNO1ewxE5TijQyp+IEXAMPLE", Expires: time.Date(2199, 10, 24, 23, 0, 23, 0, time.UTC)}, got)
	status = http.StatusForbidden
	_, err = credentials(t, "")
	require.ErrorContains(t, err, "arn:role: status 403")
	require.NotContains(t, err.Error(), "wJalr")
}

func TestTheRoleOfAContainer(t *testing.T) {
	folder := nothing(t)
	write(t, filepath.Join(folder, "token"), "agent-1\n")
	at := peer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "agent-1" || r.URL.Path != "/v1/credentials" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"AccessKeyId":"ASIA4","SecretAccessKey":"four","Token":"t4",
"Expiration":"2199-01-01T00:00:00Z","AccountId":"1"}`)
	})
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", at+"/v1/credentials")
	_, err := credentials(t, "")
	require.ErrorContains(t, err, "the container's role: status 401")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", filepath.Join(folder, "token"))
	got, err := credentials(t, "")
	require.NoError(t, err)
	require.Equal(t, []string{"ASIA4", "four", "t4"}, []string{got.KeyID, got.Secret, got.Token})
	for _, elsewhere := range []string{"http://example.com/x", "http://169.254.170.3/x", "ftp://127.0.0.1/x", "x"} {
		t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", elsewhere)
		_, err = credentials(t, "")
		require.ErrorContains(t, err, "must be https, or an agent of this machine", elsewhere)
	}
}

// machineRole is the metadata service of EC2, whose answers last so long.
func machineRole(t *testing.T, lasting func(n int) time.Duration) (asked *atomic.Int64) {
	t.Helper()
	nothing(t)
	asked = new(atomic.Int64)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", peer(t, func(w http.ResponseWriter, r *http.Request) {
		const of = "/latest/meta-data/iam/security-credentials/"
		session := r.Header.Get("X-aws-ec2-metadata-token") == "session"
		switch {
		case r.Method == "PUT" && r.URL.Path == "/latest/api/token" && r.Header.Get("X-aws-ec2-metadata-token-ttl-seconds") != "":
			_, _ = io.WriteString(w, "session")
		case r.Method == "GET" && session && r.URL.Path == of:
			_, _ = io.WriteString(w, "parley-node")
		case r.Method == "GET" && session && r.URL.Path == of+"parley-node":
			n := asked.Add(1)
			until := time.Now().Add(lasting(int(n))).UTC().Format(time.RFC3339)
			_, _ = fmt.Fprintf(w, `{"Code":"Success","LastUpdated":"2012-04-26T16:39:16Z","Type":"AWS-HMAC","AccessKeyId":"ASIA%d",
"SecretAccessKey":"five","Token":"t5","Expiration":"%s"}`, n, until)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	return asked
}

func TestTheRoleOfAMachine(t *testing.T) {
	asked := machineRole(t, func(int) time.Duration { return time.Hour })
	s, err := aws.Environment("")
	require.NoError(t, err)
	for range 2 {
		got, err := s.Credentials(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"ASIA1", "five", "t5"}, []string{got.KeyID, got.Secret, got.Token})
	}
	require.EqualValues(t, 1, asked.Load(), "what is good is kept")
}

func TestCredentialsAreAskedForBeforeTheyExpire(t *testing.T) {
	asked := machineRole(t, func(n int) time.Duration { return time.Duration(n) * 4 * time.Minute })
	s, err := aws.Environment("")
	require.NoError(t, err)
	for _, want := range []string{"ASIA1", "ASIA2", "ASIA2"} { // the first is good for four minutes, the second for eight
		got, err := s.Credentials(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got.KeyID)
	}
	require.EqualValues(t, 2, asked.Load())
}

func TestCredentialsThatAreStillGoodBridgeAServiceThatFails(t *testing.T) {
	var fails atomic.Bool
	machineRole(t, func(n int) time.Duration {
		if n > 1 {
			fails.Store(true)
			panic(http.ErrAbortHandler)
		}
		return time.Minute
	})
	s, err := aws.Environment("")
	require.NoError(t, err)
	for range 2 {
		got, err := s.Credentials(t.Context())
		require.NoError(t, err)
		require.Equal(t, "ASIA1", got.KeyID)
	}
	require.True(t, fails.Load())
}

func TestAMachineWithoutARole(t *testing.T) {
	nothing(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1")
	_, err := credentials(t, "")
	require.ErrorIs(t, err, aws.ErrNone)
}

func TestNobodyGivesCredentials(t *testing.T) {
	nothing(t)
	_, err := credentials(t, "")
	require.ErrorIs(t, err, aws.ErrNone)
	require.ErrorContains(t, err, "AWS_ACCESS_KEY_ID")
}
