package document

import "github.com/danielgtaylor/huma/v2"

// NotificationsTag is of webhooks alone: programs that make a file of each tag would write
// one for the webhooks over that of the operations.
const NotificationsTag = "Notifications"

// Tags are the groups of operations in the order in which the document shows them. An
// operation's tag that is not among them is found by a test of the whole document.
func Tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "Outbound calls", Description: "Placing a call that an agent of the platform leads, and asking how far it is."},
		{Name: "Interactions", Description: "Calls with their status, as a list for people."},
		{Name: "Voice", Description: "Calls that come in, by telephone, from browsers and in rooms: what there is, tokens, and what the " +
			"provider of telephone calls asks."},
		{Name: "Campaigns", Description: "Reaching many people by voice or SMS: what a campaign is, starting and pausing it, how far its runs " +
			"are."},
		{Name: "Messages", Description: "Text messages and what became of them."},
		{Name: "Transfers", Description: "Handing a conversation to a human agent or to a queue."},
		{Name: "Conversations", Description: "Conversations that human agents take part in: their lifecycle as it is told, messages, " +
			"summaries, notes."},
		{Name: "Human agents", Description: "Human agents of an organisation and whether they are there."},
		{Name: "Voicemail", Description: "Recordings that callers left, and their transcripts."},
		{Name: "Call details", Description: "Records of ended conversations."},
		{Name: "Analytics", Description: "Events of a project and figures of them."},
		{Name: "Voice analytics", Description: "Figures of voice calls."},
		{Name: "Dashboards", Description: "The data of a dashboard's widgets."},
		{Name: "Search export", Description: "Exporting the configuration of a project's search application."},
		{Name: "Files", Description: "Files behind signed addresses."},
		{Name: "Agents", Description: "AI agents: the sources that say what they do, and versions of these."},
		{Name: "Tool secrets", Description: "What tools need to be let in where they call, by key and environment. Values are never shown."},
		{Name: "Contacts", Description: "Whom an account knows, and which sessions they talked in."},
		{Name: "Project export", Description: "What a project has, what of it needs what, and whether it is sound."},
		{Name: "Chat", Description: "Talking with an agent, and a model asked once, whole or as a stream, with what that took and cost."},
		{Name: "Sessions", Description: "The sessions in which agents talk: begun, read, ended, with what was said and what happened."},
		{Name: "Channels", Description: "What the providers of channels call."},
		{Name: "Channel connections", Description: "Accounts at the providers of channels, and doors of the account's own, by which people " +
			"reach agents."},
		{Name: "Agent to agent", Description: "Agents of others talk with an account's, by the agent-to-agent protocol."},
		{Name: "SDK channels", Description: "Widgets and apps that talk with agents: which there are, by which public key, and what they look " +
			"like."},
		{Name: "Memory", Description: "What the code of agents keeps from one call of a tool to the next."},
		{Name: "Callbacks", Description: "Answers to what agents asked for outside, which come later."},
		{Name: "Test suites", Description: "What is expected of agents, and how runs of it went."},
		{Name: "Deployments", Description: "Which versions of agents an environment serves."},
		{Name: "Deployment", Description: "Making the newest version of a workflow or a tool the live one."},
		{Name: "API keys and scopes", Description: "API keys, the scopes they belong to, and what a scope permits."},
		{Name: "Roles and users", Description: "The account's own people and their roles."},
		{Name: "Administration", Description: "Defining what an account has by manifests."},
		{Name: NotificationsTag, Description: "What the service tells of its own accord, at addresses that callers named. It is signed; what " +
			"is not taken is " +
			"tried again for an hour."},
		{Name: "Privacy", Description: "Handing out what is known of a person, and erasing a person from the account."},
		{Name: "Audit", Description: "Everything that happened in the account, from the log itself."},
	}
}
