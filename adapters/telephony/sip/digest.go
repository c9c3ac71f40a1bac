package sip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
)

// mostChallenges is how often a request is answered for by a password: once, and again when what was asked for had
// become stale. A peer that goes on asking has refused it.
const mostChallenges = 2

var errNoPassword = errors.New("the peer wants a password, and the trunk has none")

// prove answers a challenge: the request gets the proof, and is another one of its dialog. ok is false when
// there is no answer to what was asked.
func prove(req *sip.Request, res *sip.Response, t Trunk) (ok bool, err error) {
	asked, proof := "WWW-Authenticate", "Authorization"
	if res.StatusCode == sip.StatusProxyAuthRequired {
		asked, proof = "Proxy-Authenticate", "Proxy-Authorization"
	}
	if t.Password == "" {
		return false, errNoPassword
	}
	for _, h := range res.GetHeaders(asked) {
		c, err := digest.ParseChallenge(h.Value())
		if err != nil {
			continue
		}
		c.Algorithm = strings.ToUpper(c.Algorithm)
		if !digest.CanDigest(c) {
			continue
		}
		cred, err := digest.Digest(c, digest.Options{Method: req.Method.String(), URI: req.Recipient.String(), Count: 1,
			Username: t.Username, Password: t.Password})
		if err != nil {
			continue
		}
		req.RemoveHeader(proof)
		req.AppendHeader(sip.NewHeader(proof, cred.String()))
		req.RemoveHeader("Via")
		req.CSeq().SeqNo++
		return true, nil
	}
	return false, fmt.Errorf("the peer wants a proof that this node cannot give: %d", res.StatusCode)
}

func challenged(res *sip.Response) bool {
	return res.StatusCode == sip.StatusUnauthorized || res.StatusCode == sip.StatusProxyAuthRequired
}

// prepared gives a request the way that its answer takes, and the socket that it leaves by.
func (s sender) prepared(c *sipgo.Client, r *sip.Request) error {
	if r.Via() == nil {
		if err := sipgo.ClientRequestAddVia(c, r); err != nil {
			return err
		}
	}
	if s.from != nil {
		s.from.Copy(&r.Laddr)
	}
	if r.Body() == nil {
		r.SetBody(nil)
	}
	if s.from != nil && !s.long && len(r.String()) > longDatagram {
		return errLong
	}
	return nil
}

var errLong = errors.New("the request is too long for a datagram")

const tcpWithin = time.Second // for a connection to who may listen to datagrams only

// begin sends a request, whose answers come by the transaction. One that is too long for a datagram goes by TCP, and as a datagram
// to who does not take it so.
func (s sender) begin(ctx context.Context, req *sip.Request) (sip.ClientTransaction, error) {
	known(req)
	tx, err := s.TransactionRequest(ctx, req, s.prepared)
	if !errors.Is(err, errLong) {
		return tx, err
	}
	req.RemoveHeader("Via")
	req.SetTransport("TCP")
	req.Laddr = sip.Addr{}
	connecting, cancel := context.WithTimeout(ctx, tcpWithin)
	defer cancel()
	if tx, err = (sender{Client: s.Client}).begin(connecting, req); err == nil {
		return tx, nil
	}
	req.RemoveHeader("Via")
	req.SetTransport("UDP")
	s.long = true
	return s.begin(ctx, req)
}

// known has the library read what names a request before others may ask for it: it reads a header when it is first asked for, and
// notes that in the request, while its own transaction asks, too.
func known(req *sip.Request) {
	_, _, _, _ = req.From(), req.To(), req.CallID(), req.CSeq()
}

// write sends a request that has no answer.
func (s sender) write(req *sip.Request) error {
	s.long = true
	return s.WriteRequest(req, s.prepared)
}

// once sends a request, and waits for its last answer.
func (s sender) once(ctx context.Context, req *sip.Request) (*sip.Response, error) {
	tx, err := s.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	defer tx.Terminate()
	for {
		select {
		case res := <-tx.Responses():
			if !res.IsProvisional() {
				return res, nil
			}
		case <-tx.Done():
			return nil, cmp.Or(tx.Err(), errNoAnswer)
		case <-ctx.Done():
			return nil, errNoAnswer
		}
	}
}

var errNoAnswer = errors.New("the peer does not answer")

// ask sends a request that is no INVITE of a new call, and answers challenges. counted is told the number of each
// further try, which is the next of the dialog.
func (s sender) ask(ctx context.Context, t Trunk, req *sip.Request, counted func() uint32) (*sip.Response, error) {
	for tries := 0; ; tries++ {
		res, err := s.once(ctx, req)
		if err != nil {
			return nil, err
		}
		if !challenged(res) || tries == mostChallenges {
			return res, nil
		}
		ok, err := prove(req, res, t)
		if !ok {
			return res, err
		}
		if counted != nil {
			req.CSeq().SeqNo = counted()
		}
	}
}
