//go:build interop

package interop

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// messengers holds the SDKs of tools/messengers.txt.
var messengers = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", "messengers")
	return dir, quietly(repository, "scripts/pinned.sh", "venv", dir, filepath.Join("interop", "tools", "messengers.txt"))
})

const choosingAgent = `DSL: 1
AGENT: chooser
FLOW:
  START: ask
  STEPS:
    ask: {SAY: "Which?", RICH: [{KIND: button, ID: a, LABEL: Gas}, {KIND: button, ID: b, LABEL: Current}], END: true}
`

// connected is the shared server with an agent that answers by a channel.
func connected(t *testing.T, connection map[string]any) Server {
	t.Helper()
	s := server(t)
	choosers(t, s)
	connection["environment"] = "staging"
	s.asks(t, "/api/projects/"+s.Env["BOT_ID"]+"/channel-connections", connection)
	return s
}

var deployed sync.Once

// choosers deploys the agent once.
func choosers(t *testing.T, s Server) {
	t.Helper()
	deployed.Do(func() {
		project := "/api/projects/" + s.Env["BOT_ID"]
		s.asks(t, project+"/agents", map[string]any{"name": "chooser", "dslContent": choosingAgent})
		s.asks(t, project+"/deployments", map[string]any{"environment": "staging", "entryAgentName": "chooser",
			"agentVersionManifest": map[string]any{"chooser": "auto"}})
	})
}

// chosen is what the chooser says.
const chosen = `[["Which?", ["Gas", "Current"]]]`

// talks has a script converse by a channel, and compares what came of it.
func talks(t *testing.T, s Server, want, script string, args ...string) {
	t.Helper()
	dir, err := messengers()
	require.NoError(t, err)
	said := job{env: s.environ()}.run(t, filepath.Join(dir, "bin", "python"), append([]string{filepath.Join("interop", "messengers", script)},
		args...)...)
	require.JSONEq(t, want, said)
}

// LINE's own SDK reads what we are sent, judges signatures as we do, knows our messages, and meets the
// same recorder.
func TestPeerLINE(t *testing.T) {
	t.Parallel()
	s := connected(t, map[string]any{"channelType": "line", "externalIdentifier": "Upeer",
		"credentials": map[string]any{"channelSecret": "hush-peer", "channelAccessToken": "hush"}})
	talks(t, s, chosen, "line.py", "Upeer", "hush-peer", "U4af4980629")
}

// pywa reads what we are sent, judges signatures and Meta's question as we do, and sends what we send.
func TestPeerWhatsApp(t *testing.T) {
	t.Parallel()
	s := connected(t, map[string]any{"channelType": "whatsapp", "externalIdentifier": "1065001",
		"credentials": map[string]any{"appSecret": "hush-peer", "verifyToken": "word", "accessToken": "hush"}})
	talks(t, s, chosen, "whatsapp.py", "1065001", "hush-peer", "word", "US.13491208655302741918")
}

// measured is how the example company's support line begins to take a reading, and its menu.
const measured = `[["Hello, this is Acme support. How can I help you today?", []],
	["Is it about a meter, a trip, billing or something technical, or do you want a person?", []],
	["Which meter is it?", ["Electricity", "Gas", "Water"]], ["What is your 8-digit meter number?", []]]`

// An app of Slack's Bolt gets the same requests as we do, believes the same, hears the same, and
// answers by the same requests.
func TestPeerSlack(t *testing.T) {
	t.Parallel()
	talks(t, server(t), measured, "slack.py")
}

// python-telegram-bot reads what we are sent, and has the same platform as we.
func TestPeerTelegram(t *testing.T) {
	t.Parallel()
	talks(t, server(t), measured, "telegram_bot.py")
}

// Microsoft's library believes the tokens that we believe, writes the activities that we read, and
// reads those that we write.
func TestPeerTeams(t *testing.T) {
	t.Parallel()
	s, at := withPeers(t)
	talks(t, s, measured, "msteams.py", at.teams, filepath.Join(scratch, "microsoft-"))
}

// swaks brings mail, aiosmtpd takes the answers, and dkimpy says who signed them.
func TestPeerMail(t *testing.T) {
	t.Parallel()
	s, at := withPeers(t)
	talks(t, s, `["Hello, this is Acme support. How can I help you today?",
		"Is it about a meter, a trip, billing or something technical, or do you want a person?",
		"Which meter is it?\r\n1. Electricity\r\n2. Gas\r\n3. Water", "What is your 8-digit meter number?"]`, "mail.py", at.mail)
}
