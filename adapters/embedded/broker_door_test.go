package embedded

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// asks is whether the broker answers who logs in so; nil is nobody.
func asks(t *testing.T, broker running, m sasl.Mechanism) error {
	t.Helper()
	transport := &kafka.Transport{SASL: m}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(broker.Addrs()...), Timeout: 5 * time.Second, Transport: transport}
	_, err := client.Metadata(t.Context(), &kafka.MetadataRequest{})
	return err
}

// Without a word about it, another user of this machine is kept out.
func TestABrokerAsksForTheLoginThatItsFolderRemembers(t *testing.T) {
	dir := t.TempDir()
	broker := startBroker(t, dir)
	login := *broker.Login()
	for _, mechanism := range mechanisms {
		for name, c := range map[string]struct {
			user, password string
			in             bool
		}{
			"the login":           {login.User, login.Password, true},
			"a guess":             {login.User, "guess", false},
			"another user":        {"somebody", login.Password, false},
			"nobody, no password": {"somebody", "", false},
			"no password":         {login.User, "", false},
		} {
			m, err := Mechanism(mechanism, c.user, c.password)
			require.NoError(t, err)
			if c.in {
				require.NoError(t, asks(t, broker, m), "%s with %s", name, mechanism)
			} else {
				require.ErrorIs(t, asks(t, broker, m), kafka.SASLAuthenticationFailed, "%s with %s", name, mechanism)
			}
		}
	}
	require.Error(t, asks(t, broker, nil), "without a login")
	for _, file := range []string{PasswordFile(dir), ClientFile(dir)} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), file)
	}
	require.NoError(t, broker.Close())

	again := startBroker(t, dir)
	require.Equal(t, login, *again.Login(), "what was configured with it goes on working")
	address, found, err := BrokerAt(dir)
	require.NoError(t, err)
	require.Equal(t, again.Addrs(), []string{address})
	require.Equal(t, login, *found)
}

// A folder of a version before the login gets one, and its log is as it was.
func TestAFolderOfAnOlderVersionGetsALogin(t *testing.T) {
	childtest.Integration(t)
	dir := t.TempDir()
	before, err := StartBroker(BrokerConfig{Dir: dir, Log: childtest.Log(t), UnsafeOpen: true})
	require.NoError(t, err)
	open := running{before, clientOf(before)}
	createTopic(t, open, "parley.calls", 1)
	require.NoError(t, open.produce(t, "parley.calls", kafka.Record{Value: kafka.NewBytes([]byte("first"))}))
	require.NoError(t, before.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log", "sasl.json"), []byte(`{"plain":{"parley":"old"}}`), 0o600))

	broker := startBroker(t, dir)

	require.Error(t, asks(t, broker, nil))
	require.Equal(t, []string{"first"}, values(t, broker.client, "parley.calls", 0))
	require.NoFileExists(t, filepath.Join(dir, "log", "sasl.json"))
}

// What comes to the door before a login must not cost memory, reach the broker or
// stop it; the same holds for requests that nobody knows, from whoever has logged in.
func TestStrangersDoNotReachTheBroker(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	hasty := &kmsg.SASLAuthenticateRequest{SASLAuthBytes: []byte("\x00parley\x00")}
	requests := map[string][]byte{
		"a request of 4 GiB":           {0xff, 0xff, 0xff, 0xff},
		"a request that is none":       {0, 0, 0, 1, 7},
		"a request nobody knows":       framed(9999, 0),
		"a request of a negative kind": framed(-1, 0),
		"metadata":                     framed(3, 0),
		"a login without a handshake":  kmsg.NewRequestFormatter().AppendRequest(nil, hasty, 1),
		"HTTP":                         []byte("GET / HTTP/1.1\r\n\r\n"),
	}
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			c := dial(t, broker)
			_, err := c.Write(request)
			require.NoError(t, err)
			requireEnded(t, c)
		})
	}
	t.Run("somebody who knows nothing better, and is let in", func(t *testing.T) {
		for _, request := range [][]byte{framed(9999, 0), framed(-7, 0), {0xff, 0, 0, 0, 0, 3}} {
			c := dial(t, broker)
			logIn(t, c, *broker.Login(), 1)
			_, err := c.Write(request)
			require.NoError(t, err)
			requireEnded(t, c)
		}
	})
	_, err := broker.client.Metadata(t.Context(), &kafka.MetadataRequest{})
	require.NoError(t, err, "others go on")
}

// Who stands at the door and says nothing keeps nobody out.
func TestACrowdAtTheDoorKeepsNobodyOut(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	var crowd []net.Conn
	for range mostStrangers + 20 {
		crowd = append(crowd, dial(t, broker))
	}
	m, err := broker.Login().Mechanism()
	require.NoError(t, err)
	require.NoError(t, asks(t, broker, m))
	requireEnded(t, crowd[0]) // who came first was sent away
}

// librdkafka asks whether version 0 of the handshake is spoken before it tries a login,
// and clients before Kafka 1.0 send their tokens bare after it.
func TestBothHandshakesOfKafkaAreSpoken(t *testing.T) {
	broker := startBroker(t, t.TempDir())
	for _, version := range []int16{0, 1} {
		c := dial(t, broker)
		logIn(t, c, *broker.Login(), version)
		versions := kmsg.NewPtrApiVersionsRequest()
		answer := ask(t, c, versions).(*kmsg.ApiVersionsResponse)
		offered := map[int16][2]int16{}
		for _, k := range answer.ApiKeys {
			offered[k.ApiKey] = [2]int16{k.MinVersion, k.MaxVersion}
		}
		require.Equal(t, [2]int16{0, 1}, offered[int16(kmsg.SASLHandshake)])
		require.NotContains(t, offered, int16(kmsg.EndTxn))
		require.Contains(t, offered, int16(kmsg.Fetch))
		require.EqualValues(t, 4, offered[int16(kmsg.CreateTopics)][1], "kafka-topics --create would stumble over kfake's answer")
		require.NotContains(t, offered, int16(kmsg.DescribeTopicPartitions), "kafka-topics --describe would stumble over kfake's answer")
	}
	c := dial(t, broker)
	tooNew := kmsg.NewPtrApiVersionsRequest()
	tooNew.Version = 99
	_, err := c.Write(framed(18, 99))
	require.NoError(t, err)
	answer := kmsg.NewPtrApiVersionsResponse()
	frame, err := readFrame(c, firstFrame)
	require.NoError(t, err)
	require.NoError(t, answer.ReadFrom(frame[4:]))
	require.Equal(t, int16(35), answer.ErrorCode, "the client asks again with a version that is spoken")
}

// The kcat of Debian 12 (librdkafka 2.0) says its nonce twice; Apache Kafka lets it in.
func TestScramTakesWhatApacheKafkaTakes(t *testing.T) {
	known, err := newCredentials("a,b=c", "s3cret")
	require.NoError(t, err)
	salted := func(l *scramLogin) []byte {
		key, err := pbkdf2.Key(sha256.New, "s3cret", l.secret.salt, scramRounds, sha256.Size)
		require.NoError(t, err)
		return key
	}
	for name, c := range map[string]struct {
		first, header string
		nonce         func(client, all string) string
		in            bool
	}{
		"as it should be":             {"n,,n=a=2Cb=3Dc,r=abc", "n,,", func(_, all string) string { return all }, true},
		"its nonce twice":             {"n,,n=a=2Cb=3Dc,r=abc", "n,,", func(client, all string) string { return client + all }, true},
		"for itself":                  {"n,a=a=2Cb=3Dc,n=a=2Cb=3Dc,r=abc", "n,a=a=2Cb=3Dc,", func(_, all string) string { return all }, true},
		"another nonce":               {"n,,n=a=2Cb=3Dc,r=abc", "n,,", func(client, _ string) string { return client }, false},
		"another header":              {"n,,n=a=2Cb=3Dc,r=abc", "y,,", func(_, all string) string { return all }, false},
		"another user":                {"n,,n=b,r=abc", "n,,", nil, false},
		"for another":                 {"n,a=root,n=a=2Cb=3Dc,r=abc", "n,a=root,", nil, false},
		"no nonce":                    {"n,,n=a=2Cb=3Dc,r=", "n,,", nil, false},
		"channel binding we have not": {"p=tls-unique,,n=a=2Cb=3Dc,r=abc", "", nil, false},
		"nothing":                     {"", "", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := known.begin("SCRAM-SHA-256").(*scramLogin)
			_, _, err := l.step([]byte(c.first))
			if c.nonce == nil {
				require.ErrorIs(t, err, errLogin)
				return
			}
			require.NoError(t, err)
			without := "c=" + base64.StdEncoding.EncodeToString([]byte(c.header)) + ",r=" + c.nonce("abc", l.nonce)
			key := l.secret.mac(salted(l), "Client Key")
			for i, b := range l.secret.mac(l.secret.digest(key), l.clientFirst+","+l.serverFirst+","+without) {
				key[i] ^= b
			}
			_, done, err := l.step([]byte(without + ",p=" + base64.StdEncoding.EncodeToString(key)))
			require.Equal(t, c.in, done)
			require.Equal(t, c.in, err == nil)
		})
	}
}

func dial(t *testing.T, broker running) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", broker.Addrs()[0])
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// requireEnded waits until the other side has ended the connection.
func requireEnded(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, c)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is ended")
}

// framed is a request without a body.
func framed(key, version int16) []byte {
	var b bytes.Buffer
	for _, field := range []any{int32(10), key, version, int32(1), int16(-1)} {
		_ = binary.Write(&b, binary.BigEndian, field)
	}
	return b.Bytes()
}

func ask(t *testing.T, c net.Conn, r kmsg.Request) kmsg.Response {
	t.Helper()
	_, err := c.Write(kmsg.NewRequestFormatter().AppendRequest(nil, r, 1))
	require.NoError(t, err)
	frame, err := readFrame(c, mostFrame)
	require.NoError(t, err)
	out := r.ResponseKind()
	skip := 4
	if out.IsFlexible() && out.Key() != int16(kmsg.ApiVersions) {
		skip = 5
	}
	require.NoError(t, out.ReadFrom(frame[skip:]))
	return out
}

// logIn goes through the door with PLAIN.
func logIn(t *testing.T, c net.Conn, login Login, version int16) {
	t.Helper()
	handshake := &kmsg.SASLHandshakeRequest{Version: version, Mechanism: "PLAIN"}
	require.Zero(t, ask(t, c, handshake).(*kmsg.SASLHandshakeResponse).ErrorCode)
	token := []byte("\x00" + login.User + "\x00" + login.Password)
	if version == 0 {
		require.NoError(t, writeFrame(c, token))
		_, err := readFrame(c, firstFrame)
		require.NoError(t, err)
		return
	}
	require.Zero(t, ask(t, c, &kmsg.SASLAuthenticateRequest{SASLAuthBytes: token}).(*kmsg.SASLAuthenticateResponse).ErrorCode)
}
