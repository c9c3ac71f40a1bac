package livekittest

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of the server's side, by the numbers of LiveKit's own definitions. They are written here a
// second time, so that a mistake of the client's is not made on both sides alike.

type pb []byte

func (p pb) str(n protowire.Number, v string) pb {
	return protowire.AppendString(protowire.AppendTag(p, n, protowire.BytesType), v)
}

func (p pb) sub(n protowire.Number, v pb) pb {
	return protowire.AppendBytes(protowire.AppendTag(p, n, protowire.BytesType), v)
}

func (p pb) num(n protowire.Number, v int) pb {
	return protowire.AppendVarint(protowire.AppendTag(p, n, protowire.VarintType), uint64(v))
}

// field is a member of a message that a client sent.
type field struct {
	num  protowire.Number
	n    uint64
	data []byte
}

// fields are all members of a message; ok is false where it is none.
func fields(b []byte) (all []field, ok bool) {
	for len(b) > 0 {
		n, typ, l := protowire.ConsumeTag(b)
		if l < 0 {
			return nil, false
		}
		f := field{num: n}
		rest := b[l:]
		switch typ {
		case protowire.VarintType:
			f.n, l = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			f.data, l = protowire.ConsumeBytes(rest)
		default:
			l = protowire.ConsumeFieldValue(n, typ, rest)
		}
		if l < 0 {
			return nil, false
		}
		b, all = rest[l:], append(all, f)
	}
	return all, true
}

// texts are the members of a message that are texts, by their numbers.
func texts(b []byte) map[protowire.Number]string {
	out := map[protowire.Number]string{}
	all, _ := fields(b)
	for _, f := range all {
		out[f.num] = string(f.data)
	}
	return out
}

func numberOf(b []byte, n protowire.Number) int {
	all, _ := fields(b)
	for _, f := range all {
		if f.num == n {
			return int(f.n)
		}
	}
	return 0
}

// Data that a person sends. The numbers are those of DataPacket.
func userPacket(topic string, payload []byte) pb {
	return pb{}.sub(2, pb{}.sub(2, payload).str(4, topic))
}

func keyPacket(key string) pb {
	return pb{}.sub(6, pb{}.num(3, strings.Index("0123456789*#ABCD", key)).str(4, key))
}

func headerPacket(id, topic string, total int) pb {
	return pb{}.sub(13, pb{}.str(1, id).num(2, 1_764_072_000_123).str(3, topic).str(4, "text/plain").num(5, total).sub(9, pb{}))
}

func chunkPacket(id string, index int, content string) pb {
	return pb{}.sub(14, pb{}.str(1, id).num(2, index).str(3, content))
}

func trailerPacket(id string) pb { return pb{}.sub(15, pb{}.str(1, id)) }

// from is a packet with who has sent it, as the server says it, whatever stood there.
func (p pb) from(m *member) pb { return p.str(4, m.identity).str(17, m.sid) }

// What the server says. The numbers are those of SignalResponse.
func joinMessage(j pb) pb                    { return pb{}.sub(1, j) }
func answerMessage(sdp string, id int) pb    { return pb{}.sub(2, description("answer", sdp, id)) }
func offerMessage(sdp string, id int) pb     { return pb{}.sub(3, description("offer", sdp, id)) }
func updateMessage(participants ...pb) pb    { return pb{}.sub(5, inside(1, participants)) }
func publishedMessage(cid string, t pb) pb   { return pb{}.sub(6, pb{}.str(1, cid).sub(2, t)) }
func leaveMessage(reason, action int) pb     { return pb{}.sub(8, pb{}.num(2, reason).num(3, action)) }
func pongMessage(at uint64) pb               { return pb{}.sub(20, pb{}.num(1, int(at)).num(2, int(at))) }
func refusedMessage(code int, why string) pb { return pb{}.sub(22, pb{}.num(2, code).str(3, why)) }

func trickleMessage(init string, target int) pb {
	return pb{}.sub(4, pb{}.str(1, init).num(2, target))
}

func description(kind, sdp string, id int) pb {
	d := pb{}.str(1, kind).str(2, sdp)
	if id > 0 {
		d = d.num(3, id)
	}
	return d
}

func inside(n protowire.Number, all []pb) (out pb) {
	for _, p := range all {
		out = out.sub(n, p)
	}
	return out
}
