package channelstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// fetching holds of adapters that get what people send.
var fetching = []check{
	{"a file comes as it is, asked for as the provider wants it", fetched},
	{"without credentials nobody is asked for a file", unpaid},
	{"no address that is not the provider's is asked", inward},
	{"who is led on shows no credentials there", led},
	{"a page is no file", page},
	{"what stays as it is is not worth another try", lasting},
	{"what is of a moment is worth another try", passing},
	{"a file that was given up is not asked for", forsaken},
	{"a file without an end is not read to its end", unending},
}

// content of a file is a picture of one dot.
const content = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"

// keeper is a provider that answers the request of the content so, and those before it as the
// fixture says.
func (s Suite) keeper(answer http.HandlerFunc) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Files.Before != nil {
			if before, is := s.Files.Before(r, p.URL+"/content"); is {
				before.writes(w, r, nil)
				return
			}
		}
		p.asked.Add(1)
		answer(w, r)
	}))
	return p
}

// fetch gets a file, and refuses an error that shows what must not be shown.
func (s Suite) fetch(t T, ctx context.Context, base string, c channels.Connection, f channels.File) (got channels.Fetched,
	why *channels.Unfetched) {
	adapter, err := s.New(base)
	require.NoError(t, err)
	fetcher, ok := adapter.(Fetcher)
	require.True(t, ok, "%T fetches nothing", adapter)
	lines := logged(func() { got, err = fetcher.Fetch(ctx, c, f) })
	s.silent(t, lines, err)
	if err == nil {
		require.NotNil(t, got.Body, "a file without a body")
		return got, nil
	}
	require.True(t, errors.As(err, &why), "the error of a fetch is a channels.Unfetched: %T", err)
	assert.NotEmpty(t, why.Code)
	assert.NotEmpty(t, why.Reason)
	assert.LessOrEqual(t, len(why.Reason), 200, "the reason is told to an agent")
	assert.False(t, strings.Contains(why.Reason, "://") || f.URL != "" && strings.Contains(why.Reason, f.URL), "the address is shown")
	return got, why
}

// gives answers with a file.
func gives(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Disposition", `attachment; filename="dot.png"`)
	_, _ = io.WriteString(w, content)
}

func fetched(t T, s Suite) {
	problem := ""
	p := s.keeper(func(w http.ResponseWriter, r *http.Request) {
		problem = s.Files.Problem(r)
		gives(w)
	})
	defer p.Close()
	got, why := s.fetch(t, t.Context(), p.URL, s.Connection, s.Files.File(p.URL+"/content"))
	if !assert.Nil(t, why) {
		return
	}
	data, err := io.ReadAll(got.Body)
	assert.NoError(t, err)
	assert.NoError(t, got.Body.Close())
	assert.Equal(t, content, string(data))
	assert.Equal(t, "image/png", got.ContentType)
	assert.Contains(t, []string{"", "dot.png"}, got.Name)
	assert.Empty(t, problem, "what the provider finds wrong")
	assert.EqualValues(t, 1, p.asked.Load(), "who repeats is not the adapter")
}

func unpaid(t T, s Suite) {
	p := s.keeper(func(w http.ResponseWriter, _ *http.Request) { gives(w) })
	defer p.Close()
	c := s.Connection
	c.Credentials = nil
	_, why := s.fetch(t, t.Context(), p.URL, c, s.Files.File(p.URL+"/content"))
	if assert.NotNil(t, why) {
		assert.False(t, why.Again, "nothing changes until there are credentials")
	}
	assert.Zero(t, p.asked.Load())
}

// inward addresses are nobody's business: what is asked there is asked by us, from within.
func inward(t T, s Suite) {
	if s.Files.Fixed != "" {
		return
	}
	within := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) { gives(w) })
	defer within.Close()
	for _, address := range []string{within.URL + "/content", strings.Replace(within.URL, "http:", "https:", 1),
		strings.Replace(within.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/latest/meta-data", "https://10.0.0.1/",
		"https://[::1]/", "https://2130706433/", "file:///etc/passwd", "gopher://127.0.0.1/", "https://user:password@127.0.0.1/",
		"//127.0.0.1/x", "/x", "%", ""} {
		p := serve(Reply{Status: http.StatusNotFound}.writes)
		if s.Files.Before != nil {
			p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if before, is := s.Files.Before(r, address); is {
					before.writes(w, r, nil)
				}
			})
		}
		_, why := s.fetch(t, t.Context(), p.URL, s.Connection, s.Files.File(address))
		p.Close()
		if assert.NotNil(t, why, address) && address != "" {
			assert.False(t, why.Again, "%s: it stays where it is", address)
		}
	}
	assert.Zero(t, within.asked.Load())
}

// led is a provider that answers with another address: of its own, and of somebody else.
func led(t T, s Suite) {
	elsewhere := serve(func(w http.ResponseWriter, _ *http.Request, _ []byte) { gives(w) })
	defer elsewhere.Close()
	for _, to := range []string{"/moved", elsewhere.URL + "/moved", "http://169.254.169.254/", "%zz"} {
		p := s.keeper(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/moved" {
				for _, secret := range s.secrets() {
					shown := r.URL.String() + strings.Join(r.Header.Values("Authorization"), " ") + r.Referer()
					assert.False(t, strings.Contains(shown, secret), "a secret is shown where an answer led")
				}
				assert.Empty(t, r.Header.Get("Authorization"), "credentials are shown where an answer led")
				gives(w)
				return
			}
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		got, why := s.fetch(t, t.Context(), p.URL, s.Connection, s.Files.File(p.URL+"/content"))
		p.Close()
		if why == nil {
			assert.Equal(t, "/moved", to, "it followed to %s", to)
			_ = got.Body.Close()
		}
	}
	assert.Zero(t, elsewhere.asked.Load())
	round := s.keeper(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	defer round.Close()
	_, why := s.fetch(t, t.Context(), round.URL, s.Connection, s.Files.File(round.URL+"/content"))
	assert.NotNil(t, why, "it goes round in a ring")
	assert.Less(t, round.asked.Load(), int32(10), "it goes round in a ring")
}

// answered is why a file does not come when its provider answers so.
func (s Suite) answered(t T, answer http.HandlerFunc) *channels.Unfetched {
	p := s.keeper(answer)
	defer p.Close()
	_, why := s.fetch(t, t.Context(), p.URL, s.Connection, s.Files.File(p.URL+"/content"))
	return why
}

func page(t T, s Suite) {
	why := s.answered(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title>")
	})
	if assert.NotNil(t, why, "a page to sign in at was taken for the file") {
		assert.False(t, why.Again)
	}
}

func lasting(t T, s Suite) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest,
		http.StatusRequestEntityTooLarge, http.StatusNoContent} {
		why := s.answered(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if assert.NotNil(t, why, "%d", status) {
			assert.False(t, why.Again, "%d", status)
		}
	}
}

func passing(t T, s Suite) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable} {
		why := s.answered(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		})
		if assert.NotNil(t, why, "%d", status) {
			assert.True(t, why.Again, "%d", status)
			assert.Equal(t, 7*time.Second, why.RetryAfter, "%d", status)
		}
	}
	why := s.answered(t, func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
	})
	if assert.NotNil(t, why, "it hangs up") {
		assert.True(t, why.Again, "it hangs up")
	}
	away := serve(nil)
	away.Close()
	_, why = s.fetch(t, t.Context(), away.URL, s.Connection, s.Files.File(away.URL+"/content"))
	if assert.NotNil(t, why, "it is away") {
		assert.True(t, why.Again, "it is away")
	}
}

func forsaken(t T, s Suite) {
	p := s.keeper(func(w http.ResponseWriter, _ *http.Request) { gives(w) })
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, why := s.fetch(t, ctx, p.URL, s.Connection, s.Files.File(p.URL+"/content"))
	assert.NotNil(t, why)
	assert.Zero(t, p.asked.Load())
}

func unending(t T, s Suite) {
	const far = 256 << 20
	written := 0
	p := s.keeper(func(w http.ResponseWriter, _ *http.Request) {
		for piece := bytes.Repeat([]byte("a"), 64<<10); written < far; written += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	got, why := s.fetch(t, t.Context(), p.URL, s.Connection, s.Files.File(p.URL+"/content"))
	if assert.Nil(t, why) {
		_, _ = io.CopyN(io.Discard, got.Body, 1<<20)
		_ = got.Body.Close()
	}
	p.Close()
	assert.Less(t, written, far, "the adapter reads all that it is given")
}
