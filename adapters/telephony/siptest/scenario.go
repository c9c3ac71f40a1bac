package siptest

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// Scenario is the script of a callee, of steps in order. The first takes the INVITE.
func Scenario(steps ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><scenario name="callee">
<recv request="INVITE" crlf="true"><action>
<ereg regexp="[0-9]+" search_in="hdr" header="CSeq:" assign_to="cseq"/>
<ereg regexp="&lt;(sip:[^>]*)>" search_in="hdr" header="Contact:" assign_to="whole,peer"/>
<ereg regexp=".*" search_in="hdr" header="From:" assign_to="them"/>
<ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via"/>
</action></recv>
<Reference variables="cseq,whole,peer,them,via"/>
` + strings.Join(steps, "") + "</scenario>\n"
}

const responseTop = `SIP/2.0 %d %s
[last_Via:]
[last_From:]
[last_To:];tag=%s
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:callee@[local_ip]:[local_port];transport=[transport]>
`

const described = "Content-Type: application/sdp\nContent-Length: [len]\n\n"

// Tag is that of the callee.
const Tag = "[pid]T[call_number]"

// Reply answers without a body. more are headers, each with its line's end.
func Reply(code int, reason string, more ...string) string {
	return fmt.Sprintf("<send><![CDATA[\n"+responseTop+"%sContent-Length: 0\n\n]]></send>\n", code, reason, Tag, strings.Join(more, ""))
}

// ReplyAs is Reply of another who got the call, too.
func ReplyAs(tag string, code int, reason, sdp string) string {
	if sdp == "" {
		return fmt.Sprintf("<send><![CDATA[\n"+responseTop+"Content-Length: 0\n\n]]></send>\n", code, reason, tag)
	}
	return fmt.Sprintf("<send><![CDATA[\n"+responseTop+described+"%s]]></send>\n", code, reason, tag, sdp)
}

// Sound describes PCMU and telephone events at a port, such as [media_port] or [rtpstream_audio_port]. more are lines.
func Sound(port string, more ...string) string {
	return fmt.Sprintf(`v=0
o=sipp 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio %s RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
%s
`, port, strings.Join(more, "\n"))
}

// ReplySDP answers with a description, until it is acknowledged. more are headers.
func ReplySDP(code int, reason, sdp string, more ...string) string {
	again := ""
	if code >= 200 {
		again = ` retrans="500"`
	}
	return fmt.Sprintf("<send"+again+"><![CDATA[\n"+responseTop+"%s"+described+"%s]]></send>\n", code, reason, Tag,
		strings.Join(more, ""), sdp)
}

const copied = "[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n"

// ToInvite makes an answer one to the INVITE, whatever came since.
func ToInvite(answer string) string {
	return strings.NewReplacer("[last_Via:]", "Via: [$via]", "[last_CSeq:]", "CSeq: [$cseq] INVITE", ` retrans="500"`, "").Replace(answer)
}

// Pause waits.
func Pause(ms int) string { return fmt.Sprintf("<pause milliseconds=\"%d\"/>\n", ms) }

// Steps that wait for something.
const (
	ACK      = "<recv request=\"ACK\" crlf=\"true\"/>\n"
	BYE      = "<recv request=\"BYE\"/>\n" // answered by ReplyOK
	ReplyOK  = "<send><![CDATA[\nSIP/2.0 200 OK\n" + copied + "Content-Length: 0\n\n]]></send>\n"
	OK       = "<recv response=\"200\"/>\n"
	SendsBYE = `<send retrans="500"><![CDATA[
BYE [$peer] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:callee@[local_ip]>;tag=` + Tag + `
To: [$them]
[last_Call-ID:]
CSeq: 7 BYE
Max-Forwards: 70
Content-Length: 0

]]></send>
<recv response="200"/>
`
)

// Expect waits for a request.
func Expect(method string) string { return fmt.Sprintf("<recv request=\"%s\"/>\n", method) }

// Answers the last request of a dialog. more are headers, each with its line's end.
func Answers(code int, reason string, more ...string) string {
	return fmt.Sprintf("<send><![CDATA[\nSIP/2.0 %d %s\n%s%sContent-Length: 0\n\n]]></send>\n", code, reason, copied, strings.Join(more, ""))
}

// Response waits for an answer to a request of the callee's.
func Response(code int) string { return fmt.Sprintf("<recv response=\"%d\"/>\n", code) }

// Matching waits for a request with headers that have something, by regular expressions.
func Matching(method string, headers map[string]string) string {
	var b, names strings.Builder
	for i, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(&b, "<ereg regexp=\"%s\" search_in=\"hdr\" header=\"%s:\" check_it=\"true\" assign_to=\"m%d\"/>\n",
			strings.ReplaceAll(html.EscapeString(headers[name]), "&#34;", "&quot;"), name, i)
		fmt.Fprintf(&names, ",m%d", i)
	}
	return fmt.Sprintf("<recv request=\"%s\"><action>\n%s</action></recv>\n<Reference variables=\"%s\"/>\n", method, &b, names.String()[1:])
}

// Notifies tells of a REFER: the first line of an answer, and the state of the subscription.
func Notifies(cseq int, state, line string) string {
	return Sends("NOTIFY", cseq, "Event: refer\nSubscription-State: "+state+"\nContent-Type: message/sipfrag;version=2.0\n", line)
}

// Sends is a request in the callee's dialog.
func Sends(method string, cseq int, headers, body string) string {
	return fmt.Sprintf(`<send retrans="500"><![CDATA[
%s [$peer] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:callee@[local_ip]>;tag=`+Tag+`
To: [$them]
[last_Call-ID:]
CSeq: %d %s
Contact: <sip:callee@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
%sContent-Length: [len]

%s
]]></send>
`, method, cseq, method, headers, body)
}

// SendsACKWith is SendsACK with a description.
func SendsACKWith(cseq int, sdp string) string {
	return strings.Replace(SendsACK(cseq), "Content-Length: 0\n\n]]>", described+sdp+"]]>", 1)
}

// SendsACK acknowledges the answer to an INVITE of the callee's.
func SendsACK(cseq int) string {
	return fmt.Sprintf(`<send><![CDATA[
ACK [$peer] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:callee@[local_ip]>;tag=`+Tag+`
To: [$them]
[last_Call-ID:]
CSeq: %d ACK
Max-Forwards: 70
Content-Length: 0

]]></send>
`, cseq)
}

// Cancelled takes a CANCEL, and ends the INVITE with 487.
const Cancelled = `<recv request="CANCEL"/>
` + ReplyOK + `<send><![CDATA[
SIP/2.0 487 Request Terminated
[last_Via:]
[last_From:]
[last_To:];tag=` + Tag + `
[last_Call-ID:]
CSeq: [$cseq] INVITE
Content-Length: 0

]]></send>
` + ACK

// Plays sends a file of mu-law, whose path is absolute, as it is.
func Plays(file string) string {
	return fmt.Sprintf("<nop><action><exec rtp_stream=\"%s,1,0\"/></action></nop>\n", file)
}

// Until takes our BYE, or hangs up after so many milliseconds.
func Until(ms int) string {
	return fmt.Sprintf("<recv request=\"BYE\" timeout=\"%d\" ontimeout=\"1\"/>\n", ms) +
		strings.Replace(ReplyOK, "<send>", `<send next="2">`, 1) + "<label id=\"1\"/>\n" + SendsBYE + "<label id=\"2\"/>\n"
}
