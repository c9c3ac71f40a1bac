package email_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// Given what the domain of a sender says of itself, then a mail is held against it: by the host that
// brings it, by its signature, and by what the domain wants.
func TestWhereAMailIsFrom(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	key := "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
	sign := func(text, domain string) string {
		var out bytes.Buffer
		require.NoError(t, dkim.Sign(&out, strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), &dkim.SignOptions{Domain: domain,
			Selector: "s", Signer: private, HeaderKeys: []string{"From", "To"}}))
		return strings.ReplaceAll(out.String(), "\r\n", "\n")
	}
	plain := mail("Message-ID: <1@x>\nReply-To: <other@customer.example>\n", "Hi\n")
	ofHost, ofNobody := "v=spf1 ip4:127.0.0.1 -all", "v=spf1 -all"
	for name, c := range map[string]struct {
		spf, dmarc, key string
		mail            string
		want            string // spf, dkim, dmarc
		code            int
	}{
		"nothing is said":            {"", "", "", plain, "none none none", 0},
		"its host":                   {ofHost, "v=DMARC1; p=reject", "", plain, "pass none pass", 0},
		"not its host":               {ofNobody, "v=DMARC1; p=none", "", plain, "fail none fail", 0},
		"not its host, quarantined":  {ofNobody, "v=DMARC1; p=quarantine", "", plain, "fail none fail", 0},
		"not its host, refused":      {ofNobody, "v=DMARC1; p=reject", "", plain, "", 550},
		"not its host, tried out":    {ofNobody, "v=DMARC1; p=reject; pct=0", "", plain, "fail none fail", 0},
		"and wants odd reports":      {ofNobody, "v=DMARC1; p=Reject; rf=afrf:other; fo=x; ri=0; pct=all; oops; p2", "", plain, "", 550},
		"not its host, all of them":  {ofNobody, "v=DMARC1; p=reject; pct=100", "", plain, "", 550},
		"signed":                     {ofNobody, "v=DMARC1; p=reject", key, sign(plain, "customer.example"), "fail pass pass", 0},
		"signed, and altered":        {"", "", key, strings.Replace(sign(plain, "customer.example"), "Hi", "Ho", 1), "none fail none", 0},
		"signed, and no key":         {"", "", "", sign(plain, "customer.example"), "none fail none", 0},
		"signed by somebody else":    {"", "v=DMARC1; p=none", key, sign(plain, "evil.example"), "none pass fail", 0},
		"signed by a part of it":     {"", "v=DMARC1; p=none", key, sign(plain, "mail.customer.example"), "none pass pass", 0},
		"what is said is not a rule": {"v=spf1 what", "v=DMARC1; p=what", "", plain, "permerror none permerror", 0},
	} {
		of := names{txt: map[string]string{}}
		for name, text := range map[string]string{"customer.example": c.spf, "_dmarc.customer.example": c.dmarc,
			"s._domainkey.customer.example": c.key, "s._domainkey.evil.example": c.key, "s._domainkey.mail.customer.example": c.key} {
			if text != "" {
				of.txt[name] = text
			}
		}
		p := newPost(t, of)
		require.Equal(t, c.code, p.brings(ann, "shop@acme.example", c.mail), name)
		if c.code != 0 {
			require.Empty(t, p.all, name)
			continue
		}
		e := p.last()
		require.Equal(t, c.want, strings.Join([]string{e.About[0].Value, e.About[1].Value, e.About[2].Value}, " "), name)
		to := `"to":"ann@customer.example"`
		if strings.HasSuffix(c.want, " pass") {
			to = `"to":"other@customer.example"`
		}
		require.Contains(t, e.ReplyTo, to, "%s: only who is believed chooses where the answer goes", name)
	}
	p := newPost(t, names{txt: map[string]string{"_dmarc.customer.example": "v=DMARC1; p=reject", "s._domainkey.evil.example": key},
		gone: "s._domainkey.customer.example"})
	twice := sign(sign(plain, "evil.example"), "customer.example")
	for _, mail := range []string{twice, strings.Replace(twice, "Hi", "Ho", 1)} {
		require.Zero(t, p.brings(ann, "shop@acme.example", mail), "the signature that cannot be looked up may be good, whatever the other is")
		require.Equal(t, "temperror", p.last().About[2].Value)
	}
	p = newPost(t, names{txt: map[string]string{"_dmarc.xn--exmple-cua.example": "v=DMARC1; p=reject"}})
	for _, domain := range []string{"ex\u00e4mple.example", "xn--exmple-cua.example"} {
		require.Equal(t, 550, p.brings(ann, "shop@acme.example", strings.Replace(plain, "Ann@customer.example", "ann@"+domain, 1)), domain)
	}
	p = newPost(t, names{away: true})
	require.Zero(t, p.brings(ann, "shop@acme.example", plain), "nobody says who it is: that is noted, and it is taken")
	require.Equal(t, []channels.About{{Name: "spf", Value: "temperror"}, {Name: "dkim", Value: "none"}, {Name: "dmarc", Value: "temperror"}},
		p.last().About)
}
