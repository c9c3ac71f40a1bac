package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// ErrRefusedAddress is why a connection was not made. It does not say which
// address a name resolved to: that may be a secret of our own network.
var ErrRefusedAddress = errors.New("the host's address is not a public one")

const maxURL = 2048 // bytes

// Guard says where URLs given by callers may lead (docs/architecture.md "Outgoing
// URLs"): to public addresses, on any port. The zero value is the strict one.
type Guard struct {
	AllowLoopback bool // --dev: the developer's own receiver

	// --dev: hosts that tools of agents ask and this machine plays, and the address where it does.
	Hosts map[string]string
}

// Allows judges one address.
func (g Guard) Allows(a netip.Addr) bool {
	return public(a) || g.AllowLoopback && a.Unmap().IsLoopback()
}

// Control is for net.Dialer: it sees the very address that is about to be
// connected to, after DNS, so a name that resolves differently the second time
// gains nothing.
func (g Guard) Control(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !g.Allows(ap.Addr()) {
		return ErrRefusedAddress
	}
	return nil
}

// CheckURL refuses early what can be refused without DNS. The text of its error
// is meant for the caller of the API, who names the field.
func (g Guard) CheckURL(raw string) error {
	if len(raw) > maxURL {
		return fmt.Errorf("must be at most %d bytes", maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("is not a URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("must be an absolute http or https URL")
	}
	if u.User != nil {
		return errors.New("must not contain a user name or password")
	}
	if err := checkPort(u.Port(), u.Host); err != nil {
		return err
	}
	return g.checkHost(u.Hostname())
}

func checkPort(port, host string) error {
	if port == "" {
		if strings.HasSuffix(host, ":") {
			return errors.New("has an empty port")
		}
		return nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("has a port that does not exist")
	}
	return nil
}

func (g Guard) checkHost(host string) error {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "" {
		return errors.New("must have a host")
	}
	if a, err := netip.ParseAddr(name); err == nil {
		if !g.Allows(a) {
			return errors.New("must not lead to a private, local or reserved address")
		}
		return nil
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		if !g.AllowLoopback {
			return errors.New("must not lead to a private, local or reserved address")
		}
		return nil
	}
	if looksNumeric(name) {
		return errors.New("must have a host name or a plain IP address")
	}
	return nil
}

// looksNumeric finds 127.1, 0x7f000001 and 2130706433: no names, but some
// resolvers read them as IPv4 addresses.
func looksNumeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
