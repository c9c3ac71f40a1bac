package audit

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/audit"
)

// Cursors and ids of streamed events are positions on the log, sealed with a MAC so
// that only what a node gave out is taken back: by any node, after any restart, and
// after the database was built anew.

const (
	positionFormat = 1
	positionMAC    = 16       // bytes
	maxPosition    = 16 << 10 // characters; a larger one is not even decoded
)

// sealer makes and reads tokens of one kind.
type sealer struct {
	mac  func(purpose string, parts ...string) []byte
	log  string   // id of the log whose offsets they hold
	kind string   // what the token is for
	of   []string // what it belongs to: the tenant, and the filters of a list
}

var (
	errNotOurs  = errors.New("it is not one that this list or stream gave out")
	errOtherLog = errors.New("it is of another log")
)

// seal is the token of positions.
func (s sealer) seal(at audit.Positions) string {
	body := append([]byte{positionFormat}, s.logMark()...)
	byTopic := map[string][]audit.Partition{}
	for p := range at {
		byTopic[p.Topic] = append(byTopic[p.Topic], p)
	}
	topics := make([]string, 0, len(byTopic))
	for topic := range byTopic {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	for _, topic := range topics {
		list := byTopic[topic]
		slices.SortFunc(list, func(a, b audit.Partition) int { return a.Number - b.Number })
		name := strings.TrimPrefix(topic, "parley.")
		body = binary.AppendUvarint(body, uint64(len(name)))
		body = append(body, name...)
		body = binary.AppendUvarint(body, uint64(len(list)))
		for _, p := range list {
			body = binary.AppendUvarint(body, uint64(p.Number))
			body = binary.AppendUvarint(body, uint64(at[p]))
		}
	}
	return base64.RawURLEncoding.EncodeToString(append(body, s.sum(body)...))
}

// open reads a token back. A token of another log is told from one that was never
// given out, as far as the latter can be known.
func (s sealer) open(token string) (audit.Positions, error) {
	if len(token) > maxPosition {
		return nil, errNotOurs
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(data) < 1+logMarkSize+positionMAC || data[0] != positionFormat {
		return nil, errNotOurs
	}
	body, sum := data[:len(data)-positionMAC], data[len(data)-positionMAC:]
	if !hmac.Equal(sum, s.sum(body)) {
		return nil, errNotOurs
	}
	if string(body[1:1+logMarkSize]) != string(s.logMark()) {
		return nil, errOtherLog
	}
	r := reader{rest: body[1+logMarkSize:]}
	at := audit.Positions{}
	for len(r.rest) > 0 {
		topic := "parley." + string(r.bytes(r.number()))
		for count := r.number(); count > 0 && !r.bad; count-- {
			number := r.number()
			at[audit.Partition{Topic: topic, Number: int(number)}] = int64(r.number())
		}
	}
	if r.bad {
		return nil, errNotOurs
	}
	return at, nil
}

const logMarkSize = 4

func (s sealer) logMark() []byte { return s.mac("audit log", s.log)[:logMarkSize] }

func (s sealer) sum(body []byte) []byte {
	return s.mac("audit position", append([]string{s.kind, string(body)}, s.of...)...)[:positionMAC]
}

// reader takes a token's bytes apart.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<62 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// openOf reads the token of a field back, or refuses the field.
func (s sealer) openOf(field, token string) (audit.Positions, error) {
	at, err := s.open(token)
	switch {
	case err == nil:
		return at, nil
	case errors.Is(err, errOtherLog):
		return nil, fault.New(fault.Gone, "%s: %s: the log was replaced since; begin again without it", field, err)
	}
	return nil, fault.Field(field, "cannot be used: %s; begin again without it", err)
}
