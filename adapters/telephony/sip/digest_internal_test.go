package sip

import (
	"crypto/md5"
	"fmt"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
	"github.com/stretchr/testify/require"
)

// sum is H of RFC 2617.
func sum(parts ...string) string { return fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(parts, ":")))) }

// asking is the answer of who wants proofs: lines of WWW-Authenticate and Proxy-Authenticate.
func asking(code int, challenges ...string) *sip.Response {
	res := sip.NewResponse(code, "Who are you?")
	for _, c := range challenges {
		name, value, _ := strings.Cut(c, ": ")
		res.AppendHeader(sip.NewHeader(name, value))
	}
	return res
}

// shown are the proofs of a request, each as who checks it sees it: header, realm, nonce, count, protection, and whether it is right.
func shown(t *testing.T, req *sip.Request) []string {
	var out []string
	for _, name := range []string{"Proxy-Authorization", "Authorization"} {
		for _, h := range req.GetHeaders(name) {
			c, err := digest.ParseCredentials(h.Value())
			require.NoError(t, err)
			a1, a2 := sum("acme", c.Realm, "secret"), sum("INVITE", req.Recipient.String())
			if c.QOP == "auth-int" {
				a2 = sum("INVITE", req.Recipient.String(), sum(string(req.Body())))
			}
			right := sum(a1, c.Nonce, a2)
			if c.QOP != "" {
				right = sum(a1, c.Nonce, fmt.Sprintf("%08x", c.Nc), c.Cnonce, c.QOP, a2)
			}
			out = append(out, fmt.Sprintf("%s %s %s %d %s %t", name, c.Realm, c.Nonce, c.Nc, c.QOP, c.Response == right))
		}
	}
	return out
}

// Given whoever asks for a password, and however, then each gets a proof that is right, and none that was refused is given again.
func TestWhoAsksForAPasswordGetsAProof(t *testing.T) {
	const proxy, server = `Proxy-Authenticate: Digest realm="p", nonce="%s", qop="auth"`, `WWW-Authenticate: Digest realm="s", nonce="%s"%s`
	p := func(nonce string) string { return fmt.Sprintf(proxy, nonce) }
	s := func(nonce, more string) string { return fmt.Sprintf(server, nonce, more) }
	stale := `, qop="auth", stale=TRUE`
	for name, c := range map[string]struct {
		asked   []*sip.Response
		proofs  []string
		refused bool
	}{
		"a form of before": {[]*sip.Response{asking(401, s("n", ""))}, []string{"Authorization s n 0  true"}, false},
		"the usual one":    {[]*sip.Response{asking(401, s("n", `, qop="auth"`))}, []string{"Authorization s n 1 auth true"}, false},
		"with the body":    {[]*sip.Response{asking(401, s("n", `, qop="auth-int"`))}, []string{"Authorization s n 1 auth-int true"}, false},
		"either, with the body first": {[]*sip.Response{asking(401, s("n", `, qop="auth-int, auth"`))},
			[]string{"Authorization s n 1 auth true"}, false},
		"either, in another spelling": {[]*sip.Response{asking(401, s("n", `, qop=" AUTH ,AUTH-INT"`))},
			[]string{"Authorization s n 1 auth true"}, false},
		"names in another spelling": {[]*sip.Response{asking(401, `WWW-Authenticate: digest Realm=S,	NONCE="n=\"A\",b", Qop="auth"`)},
			[]string{`Authorization S n="A",b 1 auth true`}, false},
		"by what nobody knows as well": {[]*sip.Response{asking(401, s("m", `, algorithm=NEW`), s("n", ""))},
			[]string{"Authorization s n 0  true"}, false},
		"a proxy, then the server": {[]*sip.Response{asking(407, p("n")), asking(401, s("m", ""))},
			[]string{"Proxy-Authorization p n 2 auth true", "Authorization s m 0  true"}, false},
		"both at once": {[]*sip.Response{asking(401, p("n"), s("m", ""))},
			[]string{"Proxy-Authorization p n 1 auth true", "Authorization s m 0  true"}, false},
		"two proxies at once": {[]*sip.Response{asking(407, p("n"), strings.Replace(p("m"), `"p"`, `"q"`, 1))},
			[]string{"Proxy-Authorization p n 1 auth true", "Proxy-Authorization q m 1 auth true"}, false},
		"each twice, as it was stale": {[]*sip.Response{asking(407, p("n")), asking(401, s("m", "")), asking(407, p("n2")),
			asking(401, s("m2", stale))}, []string{"Proxy-Authorization p n2 2 auth true", "Authorization s m2 1 auth true"}, false},
		"stale with the same words": {[]*sip.Response{asking(401, s("n", "")), asking(401, s("n", stale))},
			[]string{"Authorization s n 1 auth true"}, false},
		"refused":  {[]*sip.Response{asking(401, s("n", "")), asking(401, s("n", ""))}, nil, true},
		"for ever": {[]*sip.Response{asking(401, s("n", "")), asking(401, s("n2", stale)), asking(401, s("n3", stale))}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			var to sip.Uri
			require.NoError(t, sip.ParseUri("sip:+15550000001@trunk.example;user=phone", &to))
			req := sip.NewRequest(sip.INVITE, to)
			req.AppendHeader(&sip.CSeqHeader{SeqNo: 1, MethodName: sip.INVITE})
			req.SetBody([]byte("v=0\r\n"))
			given := proofs{}
			for i, asked := range c.asked {
				again, err := given.give(req, asked, Trunk{Username: "acme", Password: "secret"})
				require.NoError(t, err)
				last := i == len(c.asked)-1
				require.Equal(t, !last || !c.refused, again)
			}
			if !c.refused {
				require.Equal(t, c.proofs, shown(t, req))
				require.EqualValues(t, 1+len(c.asked), req.CSeq().SeqNo)
			}
		})
	}
}
