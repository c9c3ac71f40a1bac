package webhook_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/deliveries"
)

const brief = 200 * time.Millisecond // a whole attempt, where the test waits for its end

// client is a development client: the receivers of these tests are on loopback.
func client(t *testing.T, o webhook.Options) *webhook.Client {
	o.Guard.AllowLoopback = true
	c := webhook.New(o)
	t.Cleanup(c.Close)
	return c
}

func request(url string) deliveries.Post {
	return deliveries.Post{URL: url, Body: []byte(`{"status":"Answered"}`), Secrets: [][]byte{[]byte("s1")}, DeliveryID: "n1", Attempt: 3}
}

// receiver answers with the handler and counts what it got.
func receiver(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	var got atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &got
}

func answering(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
	}
}

func TestAnAttemptIsASignedPost(t *testing.T) {
	type seen struct {
		method, path string
		header       http.Header
		body         []byte
	}
	got := make(chan seen, 2)
	s, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.URL.RequestURI(), r.Header, body}
		w.WriteHeader(http.StatusNoContent)
	})
	c := client(t, webhook.Options{Now: func() time.Time { return signedAt }})
	r := request(s.URL + "/hook?k=v")
	r.Headers = map[string]string{"X-Dialer": "d7", "authorization": "Bearer abc"}
	r.Secrets = [][]byte{[]byte("new"), []byte("old")}

	require.Equal(t, deliveries.Answer{Status: 204}, c.Send(t.Context(), r))
	first := <-got
	require.Equal(t, http.MethodPost, first.method)
	require.Equal(t, "/hook?k=v", first.path)
	require.Equal(t, string(r.Body), string(first.body))
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Delivery-Id": "n1", "X-Delivery-Attempt": "3",
		"X-Dialer": "d7", "Authorization": "Bearer abc", "User-Agent": "Parley-Webhook/1"} {
		require.Equal(t, value, first.header.Get(name), name)
	}
	for _, secret := range []string{"new", "old"} {
		require.NoError(t, webhook.Verify(first.header.Get("SAVG-Signature"), first.body, signedAt, time.Second, []byte(secret)), secret)
	}
}

// Names of headers compare without case, and receivers that compare letters look for this one.
func TestTheSignatureIsSpelledAsItIsDocumented(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	got := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			got <- err.Error()
			return
		}
		defer conn.Close()
		var head strings.Builder
		for r := bufio.NewReader(conn); !strings.HasSuffix(head.String(), "\r\n\r\n"); {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			head.WriteString(line)
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		got <- head.String()
	}()
	t.Cleanup(func() { l.Close() })
	require.Equal(t, 204, client(t, webhook.Options{}).Send(t.Context(), request("http://"+l.Addr().String())).Status)
	require.Contains(t, <-got, "\r\nSAVG-Signature: t=")
}

func TestTheSignatureIsFreshOnEveryAttempt(t *testing.T) {
	got := make(chan string, 2)
	s, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("SAVG-Signature") })
	now := signedAt
	c := client(t, webhook.Options{Now: func() time.Time { return now }})
	c.Send(t.Context(), request(s.URL))
	now = now.Add(time.Minute)
	c.Send(t.Context(), request(s.URL))
	require.Contains(t, <-got, "t=1767225600,")
	require.Contains(t, <-got, "t=1767225660,")
}

func TestTheCallersHeadersCannotReplaceOurs(t *testing.T) {
	got := make(chan *http.Request, 1)
	s, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) { got <- r })
	r := request(s.URL)
	r.Headers = map[string]string{"savg-signature": "t=1,v1=00", "HOST": "evil.example", "content-length": "3", "Transfer-Encoding": "chunked",
		"Connection": "close, X-Delivery-Id", "Content-Type": "text/plain", "x-delivery-id": "other", "X-Delivery-Attempt": "9",
		"Expect": "100-continue"}
	require.NoError(t, client(t, webhook.Options{}).Send(t.Context(), r).Err)

	seen := <-got
	require.NoError(t, webhook.Verify(seen.Header.Get("SAVG-Signature"), r.Body, time.Now(), time.Minute, []byte("s1")))
	require.Len(t, seen.Header.Values("SAVG-Signature"), 1)
	require.Equal(t, strings.TrimPrefix(s.URL, "http://"), seen.Host)
	require.Equal(t, int64(len(r.Body)), seen.ContentLength)
	require.Empty(t, seen.TransferEncoding)
	require.Equal(t, "application/json", seen.Header.Get("Content-Type"))
	require.Equal(t, "n1", seen.Header.Get("X-Delivery-Id"))
	require.Equal(t, "3", seen.Header.Get("X-Delivery-Attempt"))
	require.Empty(t, seen.Header.Get("Connection"))
	require.Empty(t, seen.Header.Get("Expect"))
}

func TestHeadersThatBreakOutOfTheirLineAreNeverSent(t *testing.T) {
	s, got := receiver(t, answering(200))
	for name, value := range map[string]string{"X-A": "b\r\nSAVG-Signature: t=1", "X-B": "b\nc", "X-C\r\nX-D": "e", "X E": "f", "": "g",
		"X-Nul": "\x00"} {
		r := request(s.URL)
		r.Headers = map[string]string{name: value}
		require.Error(t, webhook.CheckHeaders(r.Headers), "%q", name)
		o := client(t, webhook.Options{}).Send(t.Context(), r)
		require.Error(t, o.Err, "%q", name)
		require.False(t, o.Retryable, "%q", name)
	}
	require.Zero(t, got.Load())
	require.NoError(t, webhook.CheckHeaders(map[string]string{"Authorization": "Bearer x", "Host": "passed over"}))
}

func TestWhatAnAnswerMeans(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name       string
		status     int
		retryAfter string
		retryable  bool
		pause      time.Duration
	}{
		{"no content", 204, "", false, 0},
		{"not modified", 304, "", false, 0},
		{"bad request", 400, "", false, 0},
		{"not found, whatever it asks for", 404, "5", false, 0},
		{"gone", 410, "", false, 0},
		{"request timeout", 408, "", true, 0},
		{"too many, in seconds", 429, "17", true, 17 * time.Second},
		{"too many, at a date", 429, in(90 * time.Second), true, 90 * time.Second},
		{"too many, at a past date", 429, in(-time.Hour), true, 0},
		{"too many, far beyond reason", 429, "99999999999", true, time.Hour},
		{"too many, a year from now", 429, in(365 * 24 * time.Hour), true, time.Hour},
		{"too many, negative", 429, "-5", true, 0},
		{"too many, nonsense", 429, "soon", true, 0},
		{"unavailable", 503, "2", true, 2 * time.Second},
		{"server error", 500, "", true, 0},
		{"unknown server error", 599, "", true, 0},
	} {
		s, _ := receiver(t, answering(c.status, "Retry-After", c.retryAfter))
		o := client(t, webhook.Options{Now: func() time.Time { return now }}).Send(t.Context(), request(s.URL))
		require.Equal(t, c.status, o.Status, c.name)
		require.Equal(t, c.retryable, o.Retryable, c.name)
		require.Equal(t, c.pause, o.RetryAfter, c.name)
		require.Equal(t, c.status/100 == 2, o.Err == nil, c.name)
	}
}

func TestARedirectIsAnAnswerAndNeverFollowed(t *testing.T) {
	inward, reached := receiver(t, answering(200))
	for _, status := range []int{301, 302, 303, 307, 308} {
		s, _ := receiver(t, answering(status, "Location", inward.URL))
		o := client(t, webhook.Options{}).Send(t.Context(), request(s.URL))
		require.Equal(t, status, o.Status)
		require.Error(t, o.Err)
		require.False(t, o.Retryable)
	}
	require.Zero(t, reached.Load())
}

func TestTheProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	proxy, reached := receiver(t, answering(200))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	names := resolver(t, "203.0.113.1")
	o := webhook.New(webhook.Options{Resolver: names.resolver}).Send(t.Context(), request("http://receiver.example/"))
	require.ErrorIs(t, o.Err, webhook.ErrRefusedAddress)
	require.Zero(t, reached.Load())
}

func TestASlowReceiverTakesOneAttemptAndNoMore(t *testing.T) {
	stop := make(chan struct{})
	wait := func(r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	header, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) { wait(r) })
	body := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			w.(http.Flusher).Flush()
			wait(r)
		}
	}
	taken, _ := receiver(t, body(200))
	failing, _ := receiver(t, body(500))
	defer close(stop)
	c := client(t, webhook.Options{Timeout: brief})

	o := c.Send(t.Context(), request(header.URL))
	require.EqualError(t, o.Err, "no answer within 200ms")
	require.True(t, o.Retryable)
	require.Equal(t, deliveries.Answer{Status: 200}, c.Send(t.Context(), request(taken.URL)), "its status was the answer")
	o = c.Send(t.Context(), request(failing.URL))
	require.Equal(t, 500, o.Status)
	require.True(t, o.Retryable)
}

func TestAHugeAnswerIsNotRead(t *testing.T) {
	written := make(chan int, 1)
	endless, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		total, block := 0, make([]byte, 64<<10)
		for total < 1<<30 {
			n, err := w.Write(block)
			total += n
			if err != nil {
				break
			}
		}
		written <- total
	})
	require.Equal(t, deliveries.Answer{Status: 200}, client(t, webhook.Options{}).Send(t.Context(), request(endless.URL)))
	require.Less(t, <-written, 1<<30)

	wide, _ := receiver(t, answering(200, "X-Wide", strings.Repeat("x", 200<<10)))
	o := client(t, webhook.Options{}).Send(t.Context(), request(wide.URL))
	require.ErrorContains(t, o.Err, "header is too large")
	require.Zero(t, o.Status)
}

func TestNetworkErrorsMayBeTriedAgain(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, nobody.Close())
	reset := speaking(t, func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) })
	noise := speaking(t, func(c net.Conn) { _, _ = c.Write([]byte("220 mail.example ESMTP\r\n")) })
	selfSigned := httptest.NewTLSServer(answering(200))
	t.Cleanup(selfSigned.Close)

	for url, text := range map[string]string{
		"http://" + nobody.Addr().String(): "connection refused",
		reset:                              "closed before an answer",
		noise:                              "not HTTP",
		selfSigned.URL:                     "certificate is not trusted",
	} {
		o := client(t, webhook.Options{}).Send(t.Context(), request(url+"/?token=hidden"))
		require.ErrorContains(t, o.Err, text)
		require.NotContains(t, o.Err.Error(), "hidden")
		require.True(t, o.Retryable, text)
		require.Zero(t, o.Status, text)
	}
}

func TestATrustedCertificateIsFine(t *testing.T) {
	s := httptest.NewTLSServer(answering(200))
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	require.NoError(t, client(t, webhook.Options{RootCAs: pool}).Send(t.Context(), request(s.URL)).Err)
}

func TestASwitchOfProtocolsHoldsNobody(t *testing.T) {
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	s := speaking(t, func(c net.Conn) {
		_, _ = c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"))
		<-stop
	})
	o := client(t, webhook.Options{}).Send(t.Context(), request(s))
	require.Equal(t, 101, o.Status)
	require.False(t, o.Retryable)
}

func TestAnAttemptNeedsASecret(t *testing.T) {
	s, got := receiver(t, answering(200))
	for _, secrets := range [][][]byte{nil, {{}}, {[]byte("s"), nil}} {
		r := request(s.URL)
		r.Secrets = secrets
		require.ErrorContains(t, client(t, webhook.Options{}).Send(t.Context(), r).Err, "no webhook secret")
	}
	require.Zero(t, got.Load())
}

func TestACancelledAttemptSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
		cancel()
		<-r.Context().Done()
	})
	require.EqualError(t, client(t, webhook.Options{}).Send(ctx, request(s.URL)).Err, "the attempt was cancelled")
}

// speaking is a server below HTTP: it reads the request and says what it wants.
func speaking(t *testing.T, say func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 4096))
				say(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}
