package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stranger is a client that has not logged in: it may ask what versions the broker
// speaks, and show its login, in the way of Kafka 1.0 and later (each token is a
// SaslAuthenticate request) or in that before it (bare tokens after the handshake).
type stranger struct {
	conn  net.Conn
	door  *door
	login conversation
	bare  bool // the tokens come without a request around them
}

// logIn returns when the client is known.
func (s *stranger) logIn() error {
	for {
		frame, err := readFrame(s.conn, firstFrame)
		if err != nil {
			return err
		}
		done, err := s.answer(frame)
		if err != nil || done {
			return err
		}
	}
}

func (s *stranger) answer(frame []byte) (done bool, err error) {
	if s.bare {
		token, done, err := s.login.step(frame)
		if err != nil {
			return false, err
		}
		return done, writeFrame(s.conn, token)
	}
	request, correlation, err := parseRequest(frame)
	if err != nil {
		return false, err
	}
	switch r := request.(type) {
	case *kmsg.ApiVersionsRequest:
		return false, s.send(speaks(s.door.versions, r.Version), correlation)
	case *kmsg.SASLHandshakeRequest:
		return false, s.send(s.handshake(r), correlation)
	case *kmsg.SASLAuthenticateRequest:
		return s.authenticate(r, correlation)
	}
	return false, fmt.Errorf("%s without a login", kmsg.NameForKey(request.Key()))
}

func (s *stranger) handshake(r *kmsg.SASLHandshakeRequest) kmsg.Response {
	out := r.ResponseKind().(*kmsg.SASLHandshakeResponse)
	out.SupportedMechanisms = slices.Clone(mechanisms)
	if s.login = s.door.credentials.begin(r.Mechanism); s.login == nil {
		out.ErrorCode = kerr.UnsupportedSaslMechanism.Code
		return out
	}
	s.bare = r.Version == 0
	return out
}

func (s *stranger) authenticate(r *kmsg.SASLAuthenticateRequest, correlation int32) (done bool, err error) {
	out := r.ResponseKind().(*kmsg.SASLAuthenticateResponse)
	if s.login == nil {
		out.ErrorCode = kerr.IllegalSaslState.Code
		return false, errors.Join(errors.New("a login without a handshake"), s.send(out, correlation))
	}
	token, done, err := s.login.step(r.SASLAuthBytes)
	if err != nil {
		message := err.Error()
		out.ErrorCode, out.ErrorMessage = kerr.SaslAuthenticationFailed.Code, &message
		return false, errors.Join(err, s.send(out, correlation))
	}
	out.SASLAuthBytes = append([]byte{}, token...) // never null
	return done, s.send(out, correlation)
}

func (s *stranger) send(r kmsg.Response, correlation int32) error {
	return writeFrame(s.conn, appendResponse(nil, r, correlation))
}

// speaks is the answer to ApiVersions. A version that is too new is answered in the
// oldest one, as Kafka does, and the client asks again.
func speaks(known *kmsg.ApiVersionsResponse, version int16) kmsg.Response {
	at := slices.IndexFunc(known.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool { return k.ApiKey == int16(kmsg.ApiVersions) })
	out := *known
	out.Version = version
	if version > known.ApiKeys[at].MaxVersion {
		out.Version, out.ErrorCode, out.ApiKeys = 0, kerr.UnsupportedVersion.Code, known.ApiKeys[at:at+1]
	}
	return &out
}

// parseRequest reads one request of a client, which may be anybody.
func parseRequest(frame []byte) (r kmsg.Request, correlation int32, err error) {
	reader := kbin.Reader{Src: frame}
	key, version := reader.Int16(), reader.Int16()
	correlation = reader.Int32()
	reader.NullableString() // the client's id
	if !reader.Ok() {
		return nil, 0, errors.New("not a request of Kafka's protocol")
	}
	if key != int16(kmsg.ApiVersions) && key != int16(kmsg.SASLHandshake) && key != int16(kmsg.SASLAuthenticate) {
		return nil, 0, fmt.Errorf("request %d without a login", key)
	}
	r = kmsg.RequestForKey(key)
	if key == int16(kmsg.ApiVersions) && version > r.MaxVersion() {
		r.SetVersion(version)
		return r, correlation, nil // its answer says so; its body is of no known form
	}
	if version < 0 || version > r.MaxVersion() {
		return nil, 0, fmt.Errorf("version %d of %s is not spoken here", version, kmsg.NameForKey(key))
	}
	r.SetVersion(version)
	if r.IsFlexible() {
		kmsg.SkipTags(&reader)
	}
	if err := r.ReadFrom(reader.Src); err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", kmsg.NameForKey(key), err)
	}
	return r, correlation, nil
}

func appendResponse(to []byte, r kmsg.Response, correlation int32) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(correlation))
	if r.IsFlexible() && r.Key() != int16(kmsg.ApiVersions) {
		to = append(to, 0) // no tags
	}
	return r.AppendTo(to)
}

func readFrame(from io.Reader, most uint32) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > most {
		return nil, fmt.Errorf("a request of %d bytes; at most %d are taken here", n, most)
	}
	frame := make([]byte, n)
	_, err := io.ReadFull(from, frame)
	return frame, err
}

func writeFrame(to io.Writer, frame []byte) error {
	_, err := to.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	return err
}
