package siptest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Realm and Password are those of the proxy.
const (
	Realm    = "trunk.example"
	Password = "secret"
)

const kamailio = `#!KAMAILIO
debug=0
log_stderror=yes
children=1 # more of them let a BYE overtake the ACK before it
auto_aliases=no
listen=udp:127.0.0.1:PORT
alias="127.0.0.1:PORT"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("usrloc", "db_mode", 0)
request_route {
	if (has_totag()) {
		if (loose_route()) { t_relay(); exit; }
		if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
		sl_send_reply("404", "Not here");
		exit;
	}
	if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
	if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
	if (is_method("REGISTER")) {
		if (!pv_www_authenticate("REALM", "PASSWORD", "0")) { www_challenge("REALM", "1"); exit; }
		save("location");
		exit;
	}
	if (!pv_proxy_authenticate("REALM", "PASSWORD", "0")) { proxy_challenge("REALM", "1"); exit; }
	consume_credentials();
	record_route();
	$du = "sip:127.0.0.1:CALLEE";
	t_relay();
}
`

// Kamailio runs a proxy and registrar that wants Password of everybody, and sends calls to a callee. It listens at a port that was
// free, or at that of one that has been killed.
func Kamailio(t testing.TB, port, callee int) *Peer {
	t.Helper()
	if port == 0 {
		port = FreePort(t)
	}
	dir := t.TempDir()
	config := strings.NewReplacer("PORT", strconv.Itoa(port), "CALLEE", strconv.Itoa(callee), "REALM", Realm,
		"PASSWORD", Password).Replace(kamailio)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kamailio.cfg"), []byte(config), 0o600))
	p := start(t, dir, Need(t, "kamailio", "kamailio"), "-f", "kamailio.cfg", "-DD", "-E", "-w", dir, "-Y", dir, "-m", "16", "-M", "4")
	p.Port = port
	p.listens()
	return p
}
