package sip

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/trunks"
)

const resolving = 2 * time.Second

// errRefused does not say which address a name led to: that may be a secret of our own network.
var errRefused = errors.New("the trunk's address is not one that this node connects to")

// hop is where requests of the trunk are sent.
func (t Trunk) hop() string {
	if t.OutboundProxy != "" {
		return t.OutboundProxy
	}
	return t.Address
}

// domain is the host of our own addresses on the trunk.
func (t Trunk) domain() string {
	if t.FromDomain != "" {
		return t.FromDomain
	}
	host, _ := hostPort(t.Address, t.Transport)
	return host
}

// hostPort splits an address; without a port it is that of the transport, and named reports false.
func hostPort(address string, over trunks.Transport) (host string, port int) {
	port = 5060
	if over == trunks.TLS {
		port = 5061
	}
	host, given, err := net.SplitHostPort(address)
	if err != nil {
		return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"), port
	}
	if n, err := strconv.Atoi(given); err == nil {
		port = n
	}
	return host, port
}

// locate resolves an address, within the time of a look at a name, and refuses one that leads inward.
func (a *Agent) locate(ctx context.Context, address string, over trunks.Transport) (netip.AddrPort, error) {
	host, port := hostPort(address, over)
	if host == "" {
		return netip.AddrPort{}, errors.New("the address has no host")
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		ctx, cancel := context.WithTimeout(ctx, resolving)
		defer cancel()
		if _, _, given := net.SplitHostPort(address); given != nil {
			if target, at, ok := service(ctx, host, over); ok {
				host, port = target, at
			}
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return netip.AddrPort{}, fmt.Errorf("the name %s leads to no address: %w", host, err)
		}
		if len(found) == 0 {
			return netip.AddrPort{}, fmt.Errorf("the name %s leads to no address", host)
		}
		ip = found[0]
		for _, other := range found { // the old protocol first, as the sound goes by it
			if other.Unmap().Is4() {
				ip = other
				break
			}
		}
	}
	ip = ip.Unmap()
	if !a.cfg.Allow(ip) {
		return netip.AddrPort{}, errRefused
	}
	return netip.AddrPortFrom(ip, uint16(port)), nil
}

// service asks where the service of a name is.
func service(ctx context.Context, name string, over trunks.Transport) (host string, port int, ok bool) {
	kind, proto := "sip", string(over)
	if over == trunks.TLS {
		kind, proto = "sips", "tcp"
	}
	_, all, err := net.DefaultResolver.LookupSRV(ctx, kind, proto, name)
	if err != nil || len(all) == 0 {
		return "", 0, false
	}
	return strings.TrimSuffix(all[0].Target, "."), int(all[0].Port), true
}

// own reports whether an address is that of our own socket.
func (a *Agent) own(at netip.AddrPort) bool {
	if port := int(at.Port()); port != a.port && port != a.port+1 {
		return false
	}
	if at.Addr().String() == a.host {
		return true
	}
	listens, _ := netip.AddrFromSlice(a.socket.IP)
	if !listens.IsUnspecified() {
		return at.Addr() == listens.Unmap()
	}
	all, _ := net.InterfaceAddrs() // an error finds none
	return slices.ContainsFunc(all, func(one net.Addr) bool {
		of, is := one.(*net.IPNet)
		return is && of.IP.Equal(at.Addr().AsSlice())
	})
}

// numeric is the address in a URI, if it has one.
func numeric(uri sip.Uri, over trunks.Transport) (netip.AddrPort, bool) {
	ip, err := netip.ParseAddr(strings.Trim(uri.Host, "[]"))
	if err != nil {
		return netip.AddrPort{}, false
	}
	port := uri.Port
	if port == 0 {
		_, port = hostPort("x", over)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(port)), true
}

// contact is where peers reach us over a transport, by a name.
func (a *Agent) contact(name string, over trunks.Transport) sip.ContactHeader {
	return contactAt(a.host, a.port, name, over)
}

// contactAt is where peers reach a node.
func contactAt(host string, port int, name string, over trunks.Transport) sip.ContactHeader {
	c := sip.ContactHeader{Address: sip.Uri{Scheme: "sip", User: escaped(name), Host: host, Port: port}}
	if over == trunks.TLS {
		c.Address.Port++
	}
	if over != trunks.UDP {
		c.Address.UriParams = sip.NewParams()
		c.Address.UriParams.Add("transport", string(over))
	}
	return c
}

// tag is a new one of ours, which begins with this node's mark.
func (a *Agent) tag() string { return markOf(a.cfg.Node) + sip.GenerateTagN(16) }

// markOf is short, and the same on every node.
func markOf(node string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(node))
	return fmt.Sprintf("%08x", sum.Sum32())
}

// Neighbour is a node as others know it.
type Neighbour struct {
	Node  string
	At    string   // where peers reach it by UDP and TCP; empty: a node of a version before says nothing
	Taken []string // our tags in dialogs that other nodes began, and with which it goes on
}

// Taken are our tags in the dialogs of other nodes with which this one goes on: a dialog keeps its tags.
func (a *Agent) Taken() (tags []string) {
	a.mu.Lock()
	legs := slices.Collect(maps.Values(a.dialogs))
	a.mu.Unlock()
	for _, l := range legs {
		tag := tagOf(l.spoken().now().Local)
		if !strings.HasPrefix(tag, markOf(a.cfg.Node)) && !l.over() && !l.elsewhere() {
			tags = append(tags, tag)
		}
	}
	return tags
}

// keeper is where peers reach the node that goes on with the dialog of a tag, else the one that gave it; the zero value: it is none of
// the others that are there. Nodes that have one address between them, as behind a balancer, are none either: who is sent there may
// be sent there for ever.
func (a *Agent) keeper(tag string) (at netip.AddrPort, err error) {
	if a.cfg.Nodes == nil {
		return at, nil
	}
	ctx, cancel := context.WithTimeout(a.working, resolving)
	defer cancel()
	nodes, err := a.cfg.Nodes(ctx)
	if err != nil {
		return at, fmt.Errorf("asking which nodes there are: %w", err)
	}
	for _, n := range nodes {
		goesOn := slices.Contains(n.Taken, tag)
		if n.Node == a.cfg.Node || n.At == a.Address() || !goesOn && !strings.HasPrefix(tag, markOf(n.Node)) {
			continue
		}
		at, _ = netip.ParseAddrPort(n.At)
		if goesOn {
			return at, nil
		}
	}
	return at, nil
}

// Address is where peers reach this node by UDP and TCP.
func (a *Agent) Address() string { return net.JoinHostPort(a.host, strconv.Itoa(a.port)) }
