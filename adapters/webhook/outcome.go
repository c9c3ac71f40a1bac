package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/parley-platform/parley/domain/deliveries"
)

// maxRetryAfter bounds what a receiver may ask for; those who record it may
// bound it further.
const maxRetryAfter = time.Hour

// judge says what an answer means (docs/api-rules.md "Notifications"): 2xx delivered;
// 408, 429 and 5xx worth another attempt; anything else, a redirect included, final.
func judge(res *http.Response, now time.Time) deliveries.Answer {
	o := deliveries.Answer{Status: res.StatusCode}
	switch {
	case res.StatusCode/100 == 2:
		return o
	case res.StatusCode == http.StatusRequestTimeout, res.StatusCode == http.StatusTooManyRequests, res.StatusCode/100 == 5:
		o.Retryable = true
		o.RetryAfter = RetryAfter(res.Header.Get("Retry-After"), now)
	}
	o.Err = fmt.Errorf("status %d", res.StatusCode)
	return o
}

// RetryAfter reads the header of that name: seconds or a date; what is neither, or past, asks for nothing.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	var d time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 63); err == nil {
		d = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

const unresolved = "the host name does not resolve"

// NeverConnects says in words why another try would not reach the other side either; empty: it might.
func NeverConnects(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var alert *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound && !dns.Temporary():
		return unresolved
	case errors.As(err, &cert):
		return "the certificate is not trusted"
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return "the host does not speak TLS"
	case errors.As(err, &alert) && (alert.Op == "remote error" || alert.Op == "local error"): // as crypto/tls names alerts
		return "the host and we have no way to speak TLS"
	}
	return ""
}

// plain says what went wrong in words that hold no URL (its query may be a
// credential) and no address of our network.
func (c *Client) plain(err error) error {
	var dns *net.DNSError
	var timeout net.Error
	var wrapped *url.Error
	switch {
	case errors.Is(err, ErrRefusedAddress):
		return ErrRefusedAddress
	case errors.Is(err, context.Canceled):
		return errors.New("the attempt was cancelled")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("no answer within %s", c.timeout)
	case NeverConnects(err) != "":
		return errors.New(NeverConnects(err))
	case errors.As(err, &dns):
		return errors.New(unresolved)
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("connection refused")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed before an answer")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return errors.New("the host cannot be reached")
	case errors.As(err, &wrapped) && strings.Contains(wrapped.Err.Error(), "response header"):
		return errors.New("the answer's header is too large")
	default:
		return errors.New("the connection failed or the answer was not HTTP")
	}
}
