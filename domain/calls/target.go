package calls

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var (
	phoneDigits = regexp.MustCompile(`^[0-9]{3,15}$`)
	// The unreserved and user-unreserved characters of RFC 3261, and escapes.
	sipUser   = regexp.MustCompile(`^([A-Za-z0-9_.!~*'()&=+$,;?/-]|%[0-9A-Fa-f]{2})+$`)
	hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	// separators that RFC 3966 allows between the digits for the eye only
	visual = strings.NewReplacer("-", "", ".", "", "(", "", ")", "")
)

const maxTargetLength = 256

// NormalTarget is the stored form of a callee URI: tel:+<digits> or
// sip:<user>@<host>[:<port>], scheme and host in lower case. problem says what is
// wrong with the URI; it is empty for a good one.
func NormalTarget(raw string) (target, problem string) {
	if len(raw) > maxTargetLength {
		return "", "must be at most 256 characters"
	}
	scheme, rest, ok := strings.Cut(raw, ":")
	if ok && strings.EqualFold(scheme, "tel") {
		return normalTel(rest)
	}
	if ok && strings.EqualFold(scheme, "sip") {
		return normalSIP(rest)
	}
	return "", "must be tel:<number with country code> or sip:<user>@<host>:<port>"
}

func normalTel(number string) (target, problem string) {
	digits := visual.Replace(strings.TrimPrefix(number, "+"))
	if !phoneDigits.MatchString(digits) {
		return "", "must have 3 to 15 digits after tel: and an optional +"
	}
	return "tel:+" + digits, ""
}

func normalSIP(rest string) (target, problem string) {
	user, hostPort, ok := strings.Cut(rest, "@")
	if !ok || user == "" {
		return "", "must have a user before the @: sip:<user>@<host>:<port>"
	}
	if !sipUser.MatchString(user) {
		return "", "has a user with characters that a SIP user cannot have"
	}
	if strings.ContainsAny(hostPort, ";?") {
		return "", "must have no parameters and no headers: sip:<user>@<host>:<port>"
	}
	host, port, ok := cutPort(hostPort)
	if !ok || !validHost(host) {
		return "", "must have a host after the @: sip:<user>@<host>:<port>"
	}
	target = "sip:" + user + "@" + strings.ToLower(host)
	if port == nil {
		return target, ""
	}
	if !validPort(*port) {
		return "", "has a port that is not 1 to 65535"
	}
	return target + ":" + *port, ""
}

// cutPort splits host[:port]; an IPv6 host stands in brackets, which stay.
func cutPort(hostPort string) (host string, port *string, ok bool) {
	end := 0
	if strings.HasPrefix(hostPort, "[") {
		if end = strings.Index(hostPort, "]") + 1; end == 0 {
			return "", nil, false
		}
	}
	host, after, has := strings.Cut(hostPort[end:], ":")
	if end > 0 && host != "" {
		return "", nil, false
	}
	if has {
		port = &after
	}
	return hostPort[:end] + host, port, true
}

func validHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && addr.Is6() && addr.Zone() == ""
	}
	for label := range strings.SplitSeq(host, ".") {
		if !hostLabel.MatchString(label) {
			return false
		}
	}
	return true
}

func validPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil && port[0] != '0'
}
