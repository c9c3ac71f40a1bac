package rtc

import (
	"slices"
	"strings"

	"github.com/pion/sdp/v3"

	"github.com/parley-platform/parley/domain/fault"
)

// The bounds of an offer.
const (
	MostBytes    = 64 << 10
	mostSections = 16
)

// field is how refusals name an offer: it is the body of a request.
const field = "body"

// judge refuses an offer of which no call can be made, and says why: what the library would say is for
// those who wrote it. A section of video is no fault: its answer says that there is none.
func judge(offer string) error {
	var d sdp.SessionDescription
	if len(offer) > MostBytes {
		return fault.Field(field, "must be at most %d bytes", MostBytes)
	}
	if err := d.UnmarshalString(offer); err != nil {
		return fault.Field(field, "is no session description (SDP)").Because(err)
	}
	if n := len(d.MediaDescriptions); n == 0 || n > mostSections {
		return fault.Field(field, "must have 1 to %d media sections, and has %d", mostSections, n)
	}
	var audio []*sdp.MediaDescription
	for _, m := range d.MediaDescriptions {
		switch {
		case m.MediaName.Media == "application":
			return fault.Field(field, "offers a data channel, and a call has none")
		case m.MediaName.Media == "audio" && m.MediaName.Port.Value != 0:
			audio = append(audio, m)
		}
	}
	if len(audio) != 1 {
		return fault.Field(field, "must offer one section of audio, and offers %d", len(audio))
	}
	return judgeAudio(&d, audio[0])
}

func judgeAudio(d *sdp.SessionDescription, m *sdp.MediaDescription) error {
	has := func(name string) bool {
		_, inSection := m.Attribute(name)
		_, inAll := d.Attribute(name)
		return inSection || inAll
	}
	switch {
	case !slices.Contains(m.MediaName.Formats, "0"):
		return fault.Field(field, "offers no PCMU (payload type 0), the codec of calls here")
	case !slices.Contains(m.MediaName.Protos, "SAVPF"):
		return fault.Field(field, "offers audio by %s: only UDP/TLS/RTP/SAVPF is taken", strings.Join(m.MediaName.Protos, "/"))
	case has("recvonly") || has("sendonly") || has("inactive"):
		return fault.Field(field, "must offer audio both ways (sendrecv)")
	case !has("ice-ufrag") || !has("ice-pwd"):
		return fault.Field(field, "has no ice-ufrag and ice-pwd")
	case !has("fingerprint"):
		return fault.Field(field, "has no fingerprint: sound goes encrypted (DTLS-SRTP), or not at all")
	}
	return nil
}
