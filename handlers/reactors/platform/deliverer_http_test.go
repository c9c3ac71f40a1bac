package platform_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/deliveries"
)

// The sender with the client that production gives it, and a receiver that
// verifies what it gets.
func TestAReceiverCanVerifyAndRecogniseEveryAttempt(t *testing.T) {
	w := newWorld(t)
	var verified []string
	receiver := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err == nil {
			err = webhook.Verify(req.Header.Get(webhook.SignatureHeader), body, w.clock(), time.Second, []byte("s1"))
		}
		if err != nil {
			res.WriteHeader(http.StatusUnauthorized)
			return
		}
		verified = append(verified, req.Header.Get(webhook.DeliveryHeader)+"/"+req.Header.Get(webhook.AttemptHeader)+" "+string(body))
		if len(verified) < 3 {
			res.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	client := webhook.New(webhook.Options{Guard: webhook.Guard{AllowLoopback: true}, Now: w.clock})
	t.Cleanup(client.Close)

	w.client = func(ctx context.Context, p deliveries.Post) deliveries.Answer {
		p.URL = receiver.URL // where the notice's host name would lead
		return client.Send(ctx, p)
	}
	w.enqueue(t, "n1", "n2")
	w.settle(t, w.sender())
	require.Equal(t, []string{`n1/1 {"notice":"n1"}`, `n1/2 {"notice":"n1"}`, `n1/3 {"notice":"n1"}`, `n2/1 {"notice":"n2"}`}, verified)
	require.Equal(t, []string{"n1 delivered 3", "n2 delivered 1"}, w.outcomes())
}
