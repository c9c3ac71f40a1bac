package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/rtc"
	"github.com/parley-platform/parley/cmd/parley/slices"
)

// openPages opens the port by which pages call, if this node is told to and takes requests at all. What
// their calls still have to say is said before it is closed: it is opened before what uses it.
func (n *Node) openPages(context.Context) error {
	if n.cfg.RTCListen == "" || !n.cfg.has(RoleAPI) {
		return nil
	}
	pages, err := rtc.Listen(rtc.Config{Listen: n.cfg.RTCListen, Public: n.cfg.RTCPublic})
	if err != nil {
		return slices.NotHeard("rtc-udp", n.cfg.RTCListen, err)
	}
	n.pages = pages
	n.closing(func(context.Context) {
		if err := pages.Close(); err != nil {
			n.log.Warn("the port of pages was not closed cleanly", "error", err)
		}
	})
	return nil
}
