package email

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"blitiri.com.ar/go/spf"
	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/publicsuffix"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
)

// Resolver asks the names of the Internet. *net.Resolver is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

const (
	asksWithin     = 10 * time.Second // for all names
	mostSignatures = 5
)

// checks are what is known of where a mail is from: pass, fail, none and such, as RFC 8601 has them.
// They say it; nothing but a wish of the sender's own domain follows.
type checks struct {
	spf, dkim, dmarc string
	refuse           bool   // the domain of the sender wants such a mail refused
	form             string // whom they are about, where that is no person: what it says of who filled it in nobody vouches for
}

// vouched is whether the domain of the sender says that the mail is of it.
func (c checks) vouched() bool { return c.dmarc == "pass" && c.form == "" }

func (c checks) about() []channels.About {
	all := []channels.About{{Name: "spf", Value: c.spf}, {Name: "dkim", Value: c.dkim}, {Name: "dmarc", Value: c.dmarc}}
	if c.form != "" {
		all = append(all, channels.About{Name: "sender", Value: c.form})
	}
	return all
}

// authentic checks a mail of an address, as it came from a host.
func authentic(ctx context.Context, names Resolver, host net.IP, hello, envelope, from string, raw []byte) (out checks) {
	ctx, cancel := context.WithTimeout(ctx, asksWithin)
	defer cancel()
	txt := func(domain string) ([]string, error) { return names.LookupTXT(ctx, domain) }
	_, domain, _ := cut(connections.Mailbox(from)) // who writes it in letters of his own does not escape what it says
	envelope = connections.Mailbox(envelope)

	result, _ := spf.CheckHostWithSender(host, hello, envelope, spf.WithContext(ctx), spf.WithResolver(names))
	out.spf = string(result)
	_, of, _ := cut(envelope)
	sent := result == spf.Pass && related(of, domain)
	verdict, signed, unread := signedBy(domain, raw, txt)
	out.dkim = verdict
	aligned, unsure := sent || signed, unread || result == spf.TempError
	record, policy, err := policyOf(domain, txt)
	switch {
	case err == dmarc.ErrNoPolicy:
		out.dmarc = "none"
	case err != nil && dmarc.IsTempFail(err):
		out.dmarc = "temperror"
	case err != nil:
		out.dmarc = "permerror"
	case aligned:
		out.dmarc = "pass"
	case unsure:
		out.dmarc = "temperror"
	default:
		all := record.Percent == nil || *record.Percent == 100 // else it tries out what it wants
		out.dmarc, out.refuse = "fail", policy == dmarc.PolicyReject && all
	}
	return out
}

// lookup asks for the texts of a name.
type lookup = func(name string) ([]string, error)

// signedBy judges the signatures of a mail: whether one is right, and one of the organisation of a domain; unsure: it is not known of each.
func signedBy(domain string, raw []byte, txt lookup) (verdict string, aligned, unsure bool) {
	verdict = "none"
	signatures, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{LookupTXT: txt, MaxVerifications: mostSignatures})
	for _, s := range signatures {
		unsure = unsure || dkim.IsTempFail(s.Err) // any of them may be the one that vouches
		switch {
		case s.Err == nil:
			verdict = "pass"
			aligned = aligned || related(s.Domain, domain)
		case verdict == "pass":
		case dkim.IsTempFail(s.Err):
			verdict = "temperror"
		default:
			verdict = "fail"
		}
	}
	if err != nil && len(signatures) == 0 {
		verdict = "permerror"
	}
	return verdict, aligned, unsure
}

// policyOf is what a domain wants done with mail that is not of it: its own record says that, or that of its organisation.
func policyOf(domain string, txt lookup) (record *dmarc.Record, policy dmarc.Policy, err error) {
	policies := &dmarc.LookupOptions{LookupTXT: func(domain string) ([]string, error) {
		records, err := txt(domain)
		return heeded(records), err
	}}
	if record, err = dmarc.LookupWithOptions(domain, policies); err == nil {
		return record, record.Policy, nil
	}
	org, bad := publicsuffix.EffectiveTLDPlusOne(domain)
	if err != dmarc.ErrNoPolicy || bad != nil || org == domain {
		return nil, "", err
	}
	if record, err = dmarc.LookupWithOptions(org, policies); err != nil {
		return nil, "", err
	}
	return record, cmp.Or(record.SubdomainPolicy, record.Policy), nil
}

// heeded leaves of records of DMARC what is gone by here, in small letters. What else they say, of reports say, may be
// wrong and does not void them (RFC 7489, 6.3).
func heeded(records []string) []string {
	out := make([]string, len(records))
	for i, record := range records {
		for tag := range strings.SplitSeq(record, ";") {
			name, value, _ := strings.Cut(tag, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			switch percent, err := strconv.Atoi(value); name {
			case "v":
				out[i] += "v=" + value + ";"
			case "p", "sp":
				out[i] += name + "=" + strings.ToLower(value) + ";"
			case "pct":
				if err == nil && percent >= 0 && percent <= 100 {
					out[i] += "pct=" + value + ";"
				}
			}
		}
	}
	return out
}

// related is whether two domains are of one organisation.
func related(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSuffix(a, ".")), strings.ToLower(b)
	if a == b {
		return a != ""
	}
	of, bad := publicsuffix.EffectiveTLDPlusOne(a)
	to, worse := publicsuffix.EffectiveTLDPlusOne(b)
	return bad == nil && worse == nil && of == to
}
