package siptest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Phone is a soft phone that can be told what to do.
type Phone struct {
	*Peer
	control net.Conn
	events  safeBuffer
}

// Telephone is a soft phone that picks up by itself where a number is called, and sends a sound of its
// own.
func Telephone(t testing.TB, number string) *Peer {
	t.Helper()
	return softPhone(t, "<sip:"+number+"@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1", tone(), "rtp_timeout 0").Peer
}

// Baresip runs a soft phone with an account, a SIP URI and its parameters: PORT in it is its port. It plays a
// text, says of its sound that it is at another address of this machine, and listens for TLS one port above the other.
func Baresip(t testing.TB, account, says string, more ...string) *Phone {
	t.Helper()
	dir := t.TempDir()
	raw, wav := filepath.Join(dir, "said.ul"), filepath.Join(dir, "said.wav")
	require.NoError(t, os.WriteFile(raw, append(Spoken(t, "en-us", says, 300), Silence(300_000)...), 0o600))
	run(t, Need(t, "sox", "sox"), "-t", "ul", "-r", "8000", "-c", "1", raw, "-b", "16", "-e", "signed", wav)
	said, err := os.ReadFile(wav)
	require.NoError(t, err)
	return softPhone(t, account, said, more...)
}

// softPhone runs one that plays a WAV file of 8 kHz. more are lines of its settings.
func softPhone(t testing.TB, account string, sound []byte, more ...string) *Phone {
	t.Helper()
	dir := t.TempDir()
	port, control := FreePort(t), FreePort(t)
	wav := filepath.Join(dir, "said.wav")
	require.NoError(t, os.WriteFile(wav, sound, 0o600))
	p := &Phone{}
	config := fmt.Sprintf(`sip_listen %[1]s:%[2]d
audio_source aufile,%[3]s
audio_player aufile,%[4]s
audio_alert aufile,%[3]s
ausrc_srate 8000
auplay_srate 8000
module_path /usr/lib/baresip/modules
module g711.so
module aufile.so
module srtp.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen %[1]s:%[5]d
%[6]s
`, Host, port, wav, filepath.Join(dir, "heard.wav"), control, strings.Join(more, "\n"))
	for name, body := range map[string]string{"config": config, "accounts": strings.ReplaceAll(account, "PORT", strconv.Itoa(port)) + "\n",
		"contacts": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600))
	}
	p.Peer = start(t, dir, Need(t, "baresip", "baresip-core"), "-4", "-f", dir, "-t", "1800")
	p.Port = port
	p.listens()
	if strings.Contains(config, "sip_certificate") {
		require.Eventually(t, func() bool { return held(port + 1) }, patience, 10*time.Millisecond, "the phone does not listen for TLS")
	}
	require.Eventually(t, func() (is bool) {
		var err error
		p.control, err = net.Dial("tcp", net.JoinHostPort(Host, strconv.Itoa(control)))
		return err == nil
	}, patience, 10*time.Millisecond, "the phone takes no commands")
	t.Cleanup(func() { _ = p.control.Close() })
	go func() { _, _ = io.Copy(&p.events, p.control) }()
	return p
}

// Do sends it a command.
func (p *Phone) Do(command, params string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]string{"command": command, "params": params})
	require.NoError(p.t, err)
	_, err = fmt.Fprintf(p.control, "%d:%s,", len(body), body)
	require.NoError(p.t, err)
}

// Told waits until it has told something of a call.
func (p *Phone) Told(what string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(p.events.String(), what) }, patience, 20*time.Millisecond,
		"the phone does not tell %s: %s", what, &p.events)
}

// Authority makes a certificate of this host, with its key in one text, and who signs it in another.
func Authority(t testing.TB) (certificate, authority string) {
	t.Helper()
	var key, own bytes.Buffer
	root, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	signed, err := x509.CreateCertificate(rand.Reader, ca, ca, &root.PublicKey, root)
	require.NoError(t, err)
	require.NoError(t, pem.Encode(&own, &pem.Block{Type: "CERTIFICATE", Bytes: signed}))
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: Host}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(Host)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	made, err := x509.CreateCertificate(rand.Reader, of, ca, &leaf.PublicKey, root)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(leaf)
	require.NoError(t, err)
	require.NoError(t, pem.Encode(&key, &pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	require.NoError(t, pem.Encode(&key, &pem.Block{Type: "CERTIFICATE", Bytes: made}))
	return key.String(), own.String()
}
