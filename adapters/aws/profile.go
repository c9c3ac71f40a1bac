package aws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// profile is what the files of S3's tools say under one name.
type profile struct {
	name   string
	values map[string]string
}

// readProfile reads ~/.aws/config and ~/.aws/credentials, or the files that the
// environment names; the second goes before the first. A name that was given must be in
// one of them.
func readProfile(name string) (profile, error) {
	given := name != ""
	if !given {
		name = "default"
	}
	p := profile{name: name, values: map[string]string{}}
	found := false
	for _, file := range []struct{ variable, usual, section string }{
		{"AWS_CONFIG_FILE", "config", "profile " + name},
		{"AWS_SHARED_CREDENTIALS_FILE", "credentials", name},
	} {
		path := os.Getenv(file.variable)
		if path == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				continue // a process without a home has no profiles
			}
			path = filepath.Join(home, ".aws", file.usual)
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return p, fmt.Errorf("reading profiles: %w", err)
		}
		found = p.read(string(content), file.section) || found
	}
	if given && !found {
		return p, fmt.Errorf("there is no profile %s in the files of AWS's tools", name)
	}
	return p, nil
}

// read takes the settings of one section; the default one has no prefix anywhere.
func (p *profile) read(content, section string) (found bool) {
	inside := false
	for line := range strings.Lines(content) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
		case text[0] == '[':
			name := strings.Join(strings.Fields(strings.Trim(text, "[]")), " ")
			inside = name == section || p.name == "default" && name == "default"
			found = found || inside
		case inside && line[0] != ' ' && line[0] != '\t': // what is indented belongs to a setting that Parley does not use
			name, value, _ := strings.Cut(text, "=")
			p.values[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	return found
}

// source is what the profile says about credentials; nil when it says nothing.
func (p profile) source() (*Source, error) {
	v := p.values
	switch {
	case v["web_identity_token_file"] != "":
		return webIdentity(v["web_identity_token_file"], v["role_arn"], v["role_session_name"], v["region"])
	case v["role_arn"] != "" || v["sso_session"] != "" || v["sso_start_url"] != "":
		return nil, fmt.Errorf("profile %s signs in or changes roles by AWS's own tools: give it the line "+
			"credential_process = aws configure export-credentials --profile NAME --format process in a profile of its own", p.name)
	case v["aws_access_key_id"] != "" && v["aws_secret_access_key"] != "":
		return fixed(Credentials{KeyID: v["aws_access_key_id"], Secret: v["aws_secret_access_key"], Token: v["aws_session_token"]}), nil
	case v["aws_access_key_id"] != "" || v["aws_secret_access_key"] != "":
		return nil, fmt.Errorf("profile %s has only one of aws_access_key_id and aws_secret_access_key", p.name)
	case v["credential_process"] != "":
		return process(v["credential_process"]), nil
	}
	return nil, nil
}

const processTimeout = time.Minute

// process asks a program of the operator's, in the form that AWS documents.
func process(command string) *Source {
	return &Source{ask: func(ctx context.Context) (Credentials, error) {
		ctx, cancel := context.WithTimeout(ctx, processTimeout)
		defer cancel()
		var out bytes.Buffer
		program := exec.CommandContext(ctx, "sh", "-c", command)
		program.Stdout = &out
		if err := program.Run(); err != nil {
			return Credentials{}, fmt.Errorf("running credential_process: %w", err)
		}
		var a struct {
			Version         int
			AccessKeyID     string `json:"AccessKeyId"`
			SecretAccessKey string
			SessionToken    string
			Expiration      time.Time
		}
		if err := json.Unmarshal(out.Bytes(), &a); err != nil || a.Version != 1 {
			return Credentials{}, errors.New("credential_process printed no JSON of version 1")
		}
		return Credentials{a.AccessKeyID, a.SecretAccessKey, a.SessionToken, a.Expiration}, nil
	}}
}
