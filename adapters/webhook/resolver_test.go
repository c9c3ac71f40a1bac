package webhook_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/parley-platform/parley/adapters/webhook"
)

// names is a DNS server: every name has the addresses it was made with, and one
// that lies answers the next query with the next list.
type names struct {
	resolver *net.Resolver
	queries  atomic.Int32
}

// resolver starts it; each answer is a list of addresses with spaces between.
func resolver(t *testing.T, answers ...string) *names {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	n := &names{}
	n.resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
	go func() {
		packet := make([]byte, 1500)
		for {
			size, from, err := socket.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := n.answer(packet[:size], answers); reply != nil {
				_, _ = socket.WriteTo(reply, from)
			}
		}
	}()
	return n
}

func (n *names) answer(packet []byte, answers []string) []byte {
	var query dnsmessage.Message
	if query.Unpack(packet) != nil || len(query.Questions) != 1 {
		return nil
	}
	q := query.Questions[0]
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true}, Questions: query.Questions}
	if q.Type == dnsmessage.TypeA { // asked once for each look-up, beside AAAA
		list := answers[min(int(n.queries.Add(1))-1, len(answers)-1)]
		for _, a := range strings.Fields(list) {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
			})
		}
	}
	out, err := reply.Pack()
	if err != nil {
		return nil
	}
	return out
}

func TestANameThatResolvesToAPrivateAddressIsFinal(t *testing.T) {
	for _, address := range []string{"10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1 10.1.1.1"} {
		c := webhook.New(webhook.Options{Resolver: resolver(t, address).resolver})
		o := c.Send(t.Context(), request("http://receiver.example:1/hook"))
		require.ErrorIs(t, o.Err, webhook.ErrRefusedAddress, address)
		require.False(t, o.Retryable, address)
		require.NotContains(t, o.Err.Error(), address)
	}
}

// The name leads to the receiver the first time and inward the second: each
// connection is judged for itself.
func TestANameThatChangesItsMindGainsNothing(t *testing.T) {
	s, got := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	dns := resolver(t, "127.0.0.1", "10.0.0.1")
	c := client(t, webhook.Options{Resolver: dns.resolver})

	require.NoError(t, c.Send(t.Context(), request("http://receiver.example:"+port)).Err)
	require.ErrorIs(t, c.Send(t.Context(), request("http://receiver.example:"+port)).Err, webhook.ErrRefusedAddress)
	require.EqualValues(t, 1, got.Load())
	require.EqualValues(t, 2, dns.queries.Load())
}

func TestAmongSeveralAddressesOnlyAllowedOnesAreDialled(t *testing.T) {
	s, got := receiver(t, answering(200))
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	c := client(t, webhook.Options{Resolver: resolver(t, "10.0.0.1 127.0.0.1").resolver})
	require.NoError(t, c.Send(t.Context(), request("http://receiver.example:"+port)).Err)
	require.EqualValues(t, 1, got.Load())
}

func TestANameThatDoesNotExistMayBeTriedAgain(t *testing.T) {
	o := client(t, webhook.Options{Resolver: resolver(t, "").resolver}).Send(t.Context(), request("http://nowhere.example/"))
	require.EqualError(t, o.Err, "the host name does not resolve")
	require.True(t, o.Retryable)
}
