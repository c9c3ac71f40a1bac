package siptest

import (
	"fmt"
	"strings"
	"testing"
)

// Calls runs a script as a caller, of one call to a number at a port.
func Calls(t testing.TB, port int, number string, steps ...string) *Peer {
	t.Helper()
	scenario := `<?xml version="1.0" encoding="UTF-8"?><scenario name="caller">` + "\n" + strings.Join(steps, "") + "</scenario>\n"
	return plays(t, scenario, 1, "-s", number, fmt.Sprintf("%s:%d", Host, port))
}

const viaTop = "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]\n"

const callerTop = viaTop + `From: %s;tag=[pid]C[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>%s
Call-ID: [call_id]
Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
`

// Invites begins the call. from is the From header without its tag; more are headers, each with its line's
// end; sdp may be empty.
func Invites(from, sdp string, more ...string) string {
	kind := ""
	if sdp != "" {
		kind = "Content-Type: application/sdp\n"
	}
	return fmt.Sprintf("<send retrans=\"500\"><![CDATA[\nINVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0\n"+callerTop+
		"CSeq: 1 INVITE\n%s%sContent-Length: [len]\n\n%s]]></send>\n", from, "", strings.Join(more, ""), kind, sdp)
}

// Told waits for an answer; optional is one that may be left out.
func Told(code int) string {
	return fmt.Sprintf("<recv response=\"%d\" rrs=\"true\"/>\n", code)
}

// MayBeTold is an answer that need not come.
func MayBeTold(code int) string {
	return fmt.Sprintf("<recv response=\"%d\" optional=\"true\"/>\n", code)
}

// SaysACK acknowledges the answer to the INVITE. sdp may be empty.
func SaysACK(from, sdp string) string {
	kind := ""
	if sdp != "" {
		kind = "Content-Type: application/sdp\n"
	}
	return fmt.Sprintf("<send><![CDATA[\nACK [next_url] SIP/2.0\n"+callerTop+"CSeq: 1 ACK\n%sContent-Length: [len]\n\n%s]]></send>\n",
		from, "[peer_tag_param]", kind, sdp)
}

// Asks sends a request in the call's dialog.
func Asks(method, from string, cseq int, headers string) string {
	return fmt.Sprintf("<send retrans=\"500\"><![CDATA[\n%s [next_url] SIP/2.0\n"+callerTop+"CSeq: %d %s\n%sContent-Length: 0\n\n]]></send>\n",
		method, from, "[peer_tag_param]", cseq, method, headers)
}

// Cancels gives the call up while it rings.
func Cancels(from string) string {
	top := strings.Replace(callerTop, viaTop, "[last_Via:]\n", 1) // it is of the same transaction
	return fmt.Sprintf("<send retrans=\"500\"><![CDATA[\nCANCEL sip:[service]@[remote_ip]:[remote_port] SIP/2.0\n"+top+
		"CSeq: 1 CANCEL\nContent-Length: 0\n\n]]></send>\n", from, "")
}
