package sip

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
)

const (
	mostProofs = 2 // for one who asks: one, and another when what was asked for had become stale. Who goes on asking has refused it
	mostAskers = 4 // of one request
)

var errNoPassword = errors.New("the peer wants a password, and the trunk has none")

// asker is how somebody asks for a password, and where the answer is looked for.
type asker struct{ asks, proof string }

var (
	server = asker{"WWW-Authenticate", "Authorization"}
	proxy  = asker{"Proxy-Authenticate", "Proxy-Authorization"}
)

// proofs counts those that were given for one request and its repeats, by who asked: the server and each proxy on the way
// ask for themselves.
type proofs map[string]int

// give answers all who ask in an answer: the request gets their proofs, and is another one of its dialog. Those whom it has
// convinced before get theirs with the next count, for they take none twice. again is false where the password was refused, and
// when there is no answer to what was asked.
func (p proofs) give(req *sip.Request, res *sip.Response, t Trunk) (again bool, err error) {
	if t.Password == "" {
		return false, errNoPassword
	}
	var shown []sip.Header
	for _, by := range []asker{server, proxy} {
		before := credentials(req.GetHeaders(by.proof))
		for _, c := range challenges(res.GetHeaders(by.asks)) {
			if had := before[c.Realm]; had != nil && had.Nonce == c.Nonce && !c.Stale || !p.counts(by.proof+" "+c.Realm) {
				return false, nil
			}
			again = true
			before[c.Realm] = &digest.Credentials{Realm: c.Realm, Nonce: c.Nonce, Opaque: c.Opaque, Algorithm: c.Algorithm,
				QOP: protection(c), Userhash: c.Userhash}
		}
		for _, realm := range slices.Sorted(maps.Keys(before)) {
			cred, err := proven(before[realm], req, t)
			if err != nil {
				return false, fmt.Errorf("proving that we know the password: %w", err)
			}
			shown = append(shown, sip.NewHeader(by.proof, cred.String()))
		}
	}
	if !again {
		return false, fmt.Errorf("the peer wants a proof that this node cannot give: %d", res.StatusCode)
	}
	for _, name := range []string{server.proof, proxy.proof, "Via"} {
		for req.RemoveHeader(name) {
		}
	}
	for _, h := range shown {
		req.AppendHeader(h)
	}
	req.CSeq().SeqNo++
	return true, nil
}

// counts one more proof for somebody, unless there were enough.
func (p proofs) counts(by string) bool {
	p[by]++
	return p[by] <= mostProofs && len(p) <= mostAskers
}

// credentials are the proofs that a request has, by realm.
func credentials(proofs []sip.Header) map[string]*digest.Credentials {
	out := map[string]*digest.Credentials{}
	for _, h := range proofs {
		if c, err := digest.ParseCredentials(h.Value()); err == nil {
			out[c.Realm] = c
		}
	}
	return out
}

// challenges are those of an answer that can be met: of each realm the first one, which its server likes best.
func challenges(asked []sip.Header) []*digest.Challenge {
	var out []*digest.Challenge
	for _, h := range asked {
		c, err := digest.ParseChallenge(named(h.Value()))
		if err != nil || slices.ContainsFunc(out, func(o *digest.Challenge) bool { return o.Realm == c.Realm }) {
			continue
		}
		c.Algorithm = strings.ToUpper(c.Algorithm)
		for i, qop := range c.QOP {
			c.QOP[i] = strings.ToLower(strings.TrimSpace(qop))
		}
		if digest.CanDigest(c) {
			out = append(out, c)
		}
	}
	return out
}

// named is a challenge as the library reads it, which knows names in small letters and takes no other space than a blank. What they
// stand for stays as it is.
func named(challenge string) string {
	quoted, escaped, value := false, false, false
	return strings.Map(func(r rune) rune {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quoted:
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case unicode.IsSpace(r):
			return ' '
		case r == '=' || r == ',':
			value = r == '='
		case !value:
			return unicode.ToLower(r)
		}
		return r
	}, challenge)
}

// protection is what a proof covers: no body where the peer leaves that to us.
func protection(c *digest.Challenge) string {
	switch {
	case c.SupportsQOP("auth"):
		return "auth"
	case c.SupportsQOP("auth-int"):
		return "auth-int"
	}
	return ""
}

// proven is the next proof by the same challenge, for a request as it is now.
func proven(by *digest.Credentials, req *sip.Request, t Trunk) (*digest.Credentials, error) {
	c := &digest.Challenge{Realm: by.Realm, Nonce: by.Nonce, Opaque: by.Opaque, Algorithm: by.Algorithm, Userhash: by.Userhash}
	if by.QOP != "" {
		c.QOP = []string{by.QOP}
	}
	return digest.Digest(c, digest.Options{Method: req.Method.String(), URI: req.Recipient.String(), Count: by.Nc + 1,
		GetBody:  func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(req.Body())), nil },
		Username: t.Username, Password: t.Password})
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
	for given := (proofs{}); ; {
		res, err := s.once(ctx, req)
		if err != nil || !challenged(res) {
			return res, err
		}
		if again, err := given.give(req, res, t); !again {
			return res, err
		}
		if counted != nil {
			req.CSeq().SeqNo = counted()
		}
	}
}
