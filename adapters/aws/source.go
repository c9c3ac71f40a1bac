package aws

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// Source gives the credentials of this process, new ones in time. It is safe for
// concurrent use.
type Source struct {
	ask func(context.Context) (Credentials, error)

	mu   sync.Mutex
	have Credentials
}

// early is how long before they expire credentials are asked for anew.
const early = 5 * time.Minute

// ErrNone is the error of a process that nobody gave credentials to.
var ErrNone = errors.New("there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine")

// Environment looks where S3's tools look, in their order: keys in the environment, a
// web identity (EKS), a profile, the container's role (ECS, EKS), the machine's role
// (EC2). A profile that is named comes before all others. Nobody is asked yet, but what
// is wrong with the settings is said.
func Environment(profile string) (*Source, error) {
	named := profile
	if named == "" {
		named = os.Getenv("AWS_PROFILE")
	}
	keys := Credentials{KeyID: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Token: os.Getenv("AWS_SESSION_TOKEN")}
	if profile == "" && (keys.KeyID != "" || keys.Secret != "") {
		if keys.KeyID == "" || keys.Secret == "" {
			return nil, errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed together")
		}
		return fixed(keys), nil
	}
	if file := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"); profile == "" && file != "" {
		return webIdentity(file, os.Getenv("AWS_ROLE_ARN"), os.Getenv("AWS_ROLE_SESSION_NAME"), os.Getenv("AWS_REGION"))
	}
	p, err := readProfile(named)
	if err != nil {
		return nil, err
	}
	if found, err := p.source(); found != nil || err != nil {
		return found, err
	}
	relative, full := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative != "" || full != "" {
		return container(relative, full)
	}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") == "true" {
		return &Source{ask: func(context.Context) (Credentials, error) { return Credentials{}, ErrNone }}, nil
	}
	return machine(), nil
}

// Region is the one that the environment or the profile names; empty: none.
func Region(profile string) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := os.Getenv(name); region != "" {
			return region
		}
	}
	if profile == "" {
		profile = os.Getenv("AWS_PROFILE")
	}
	p, err := readProfile(profile)
	if err != nil {
		return "" // said where credentials are looked for
	}
	return p.values["region"]
}

func fixed(c Credentials) *Source {
	return &Source{ask: func(context.Context) (Credentials, error) { return c, nil }}
}

// Credentials are good for some minutes at least, or their source cannot give better.
func (s *Source) Credentials(ctx context.Context) (Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.have.KeyID != "" && (s.have.Expires.IsZero() || now.Before(s.have.Expires.Add(-early))) {
		return s.have, nil
	}
	fresh, err := s.ask(ctx)
	if err == nil && (fresh.KeyID == "" || fresh.Secret == "") {
		err = errors.New("the answer holds no keys")
	}
	if err != nil {
		if s.have.KeyID != "" && now.Before(s.have.Expires) {
			return s.have, nil // still good
		}
		return Credentials{}, err
	}
	s.have = fresh
	return fresh, nil
}
