package sip

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/parley-platform/parley/domain/calls"
)

// events are the digits of telephone events (RFC 4733), by their numbers.
const events = calls.Keys

const (
	pressTicks = 5 // packets of a key: 100 ms
	pauseTicks = 5 // behind it
	pressLevel = 10
)

// press is a key that is being sent.
type press struct {
	event byte
	began uint32
	tick  int
}

// nextPress is the packet of a key that is due in this tick; nil: sound is. The caller holds the lock.
func (m *media) nextPress() *press {
	if len(m.pressed) == 0 || m.theirs == 0 {
		return nil
	}
	p := m.pressed[0]
	p.tick++
	switch {
	case p.tick > pressTicks+pauseTicks:
		m.pressed = m.pressed[1:]
		return m.nextPress()
	case p.tick > pressTicks:
		return nil
	}
	return p
}

// stamp is that of the key's first packet for all of them.
func (p *press) stamp(now uint32) uint32 {
	if p.tick == 1 {
		p.began = now
	}
	return p.began
}

func (p *press) marked() bool { return p.tick == 1 }
func (p *press) last() bool   { return p.tick == pressTicks }

// repeats is how often the packet is sent again: the end of a key must not be lost.
func (p *press) repeats() int {
	if p.last() {
		return 2
	}
	return 0
}

func (p *press) payload() []byte {
	b := []byte{p.event, pressLevel, 0, 0}
	if p.last() {
		b[1] |= 0x80
	}
	binary.BigEndian.PutUint16(b[2:], uint16(p.tick*frameTicks))
	return b
}

var errNoKey = errors.New("digits: one of 0 to 9, *, #, A to D")

// press sends digits as telephone events, one after the other.
func (m *media) press(digits string) error {
	all := make([]*press, 0, len(digits))
	for _, d := range strings.ToUpper(digits) {
		i := strings.IndexRune(events, d)
		if i < 0 {
			return errNoKey
		}
		all = append(all, &press{event: byte(i)})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pressed = append(m.pressed, all...)
	return nil
}

// infoDigit is the digit in an INFO: application/dtmf-relay, or application/dtmf.
func infoDigit(kind string, body []byte) (digit string, ok bool) {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	switch strings.TrimSpace(kind) {
	case "application/dtmf-relay":
		for line := range strings.Lines(string(body)) {
			name, value, _ := strings.Cut(line, "=")
			if strings.EqualFold(strings.TrimSpace(name), "signal") {
				digit = strings.ToUpper(strings.TrimSpace(value))
			}
		}
	case "application/dtmf":
		digit = strings.ToUpper(strings.TrimSpace(string(body)))
	}
	switch digit {
	case "10":
		digit = "*"
	case "11":
		digit = "#"
	}
	return digit, len(digit) == 1 && strings.Contains(events, digit)
}
