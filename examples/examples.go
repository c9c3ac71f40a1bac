// Package examples holds what a new installation can be tried with, embedded into
// the binary for `parley serve --dev`. It does nothing.
package examples

import _ "embed"

// Workspace is a set of manifests: a small company with all that it needs, and a
// second tenant. Its secrets are for development only.
//
//go:embed workspace.yaml
var Workspace []byte

// WorkspaceFile is the name of Workspace in this folder.
const WorkspaceFile = "workspace.yaml"

// What Workspace defines, for those who fill in lines to paste; a test compares.
const (
	Account       = "acme"
	Org           = "acme-org"
	Project       = "acme-bot"
	Scope         = "as-acme-main"
	OurNumber     = "15550100" // chooses the flow whose agent takes the call
	SilentCaller  = "15550101" // chooses the flow without an agent
	Dashboard     = "Operations"
	Widget        = "Calls by status"
	Workflow      = "wf-acme-renewal"
	Tool          = "tool-acme-orders"
	EntryAgent    = "acme-support"  // with whom chats and calls begin
	Agent         = "Meter_Reading" // follows a script, so that it needs no model
	TestSuite     = "Meter_Reading" // of that agent
	WeatherServer = "weather"       // a tool that agents ask
	Connection    = "cn-acme-slack"
	SigningSecret = "development-only-signing-secret-of-acme" // of that connection
	SMSConnection = "cn-acme-sms"
	SMSNumber     = "+15550199"                          // of that connection
	Mailbox       = "support@acme.example"               // of the one that mail comes by
	SMSAccount    = "AC00000000000000000000000000ac3e00" // at its provider
	SMSAuthToken  = "development-only-auth-token-of-acme"
	PublicKey     = "pk_developmentOnlyPublicKeyOfTheAcmeWidget0000"
	SDKChannel    = "sdk-acme-widget"
	HumanAgent    = "a-acme-maria"
	HumanAgent2   = "a-acme-tom"
	Queue         = "q-acme-support"
	VoiceCampaign = "cd-acme-renewals"
	SMSCampaign   = "cd-acme-reminders"
	Client        = "acme-console"
	ClientSecret  = "development-only-client-secret-of-acme-console"
	WebhookSecret = "development-only-webhook-secret-of-acme-bot"

	Account2      = "globex" // the second tenant, to whom nothing of the first exists
	Project2      = "globex-bot"
	Client2       = "globex-console"
	ClientSecret2 = "development-only-client-secret-of-globex-console"
)

// ToolSecret is what a tool of an agent of Workspace needs to be let in, or to know who answers.
type ToolSecret struct{ Tool, Key, Value string }

// ToolSecrets are all of them.
var ToolSecrets = []ToolSecret{
	{"find_customer", "CRM_TOKEN", "development-only-crm-token"},
	{"submit", "METER_TOKEN", "development-only-meter-token"},
	{"pay", "PAY_KEY", "development-only-pay-key"},
	{"pay", "PAY_SIGN", "development-only-pay-sign"}, // signs what the payment service answers
}
