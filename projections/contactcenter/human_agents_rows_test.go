package contactcenter_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of agents, desks and queues, then these are the rows after each.
func TestRowsOfHumanAgents(t *testing.T) {
	model := given.Open(t).Follow(contactcenter.HumanAgentsModel)
	model.After("x", given.Filled(func(e *humanagents.HumanAgentDefined) {
		e.Agent = humanagents.Record{LFullName: "Lee, Ann", UserID: "u-1", AgentGroupID: "g-1", Status: humanagents.Active,
			CanSupportVoice: true, CanSupportChat: true, MaxEmailChatSupport: 3, AgentGroups: []humanagents.Group{{GroupID: "g-2"}},
			Skills: []humanagents.Skill{{SkillID: "s-1", ProficiencyLevel: 4}, {SkillID: "s-1", ProficiencyLevel: 2}}}
	}),
		`+ human_agents tenant=tenantId agent_id=agentId org_id=orgId user_id=u-1 name=Lee, Ann groups=["g-1","g-2"] `+
			`skills={"s-1":4} limits={"chat":0,"email":3,"messaging":0,"voice":1} `+
			`record={"accountId":"","agentAffinity":false,"agentGroupId":"g-1","agentGroups":[{"groupId":"g-2","role":""}],`+
			`"attachmentsEnabled":false,"canSupportCase":false,"canSupportChat":true,"canSupportVoice":true,`+
			`"canSupportVoiceMail":false,"caseLanguageSupport":null,"chatLanguageSupport":null,"createdBy":"","createdByAId":"",`+
			`"customId":"","dAgentGroups":null,"desktopLayouts":null,"emailId":"","emojisEnabled":false,"firstName":"","fullName":"",`+
			`"hoursOfOperationId":"","iId":"","id":"","isAccountOwner":false,"lFullName":"Lee, `+
			`Ann","lastName":"","markedAutoAway":false,"maxDigitalChatSupport":0,"maxEmailChatSupport":3,"maxMessagingChatSupport":0,`+
			`"nickName":"","orgId":"","phoneNumber":"","profImage":"","role":"","roleId":"","sipURI":"",`+
			`"skills":[{"proficiencyLevel":4,"skillId":"s-1"},{"proficiencyLevel":2,"skillId":"s-1"}],"status":"ACTIVE",`+
			`"userId":"u-1","voiceLanguageSupport":null,"voiceSupport":null} `+
			"created_at=12:02:43 updated_at=12:02:44",
	)
	model.After("x", given.Filled(func(e *humanagents.HumanAgentUpdated) { e.Agent = humanagents.Record{LFullName: "Lee, A."} }),
		`~ human_agents tenant=tenantId agent_id=agentId: user_id= name=Lee, A. groups=[""] skills={} `+
			`limits={"chat":0,"email":0,"messaging":0,"voice":0} `+
			`record={"accountId":"","agentAffinity":false,"agentGroupId":"","agentGroups":null,"attachmentsEnabled":false,`+
			`"canSupportCase":false,"canSupportChat":false,"canSupportVoice":false,"canSupportVoiceMail":false,`+
			`"caseLanguageSupport":null,"chatLanguageSupport":null,"createdBy":"","createdByAId":"","customId":"",`+
			`"dAgentGroups":null,"desktopLayouts":null,"emailId":"","emojisEnabled":false,"firstName":"","fullName":"",`+
			`"hoursOfOperationId":"","iId":"","id":"","isAccountOwner":false,"lFullName":"Lee, `+
			`A.","lastName":"","markedAutoAway":false,"maxDigitalChatSupport":0,"maxEmailChatSupport":0,"maxMessagingChatSupport":0,`+
			`"nickName":"","orgId":"","phoneNumber":"","profImage":"","role":"","roleId":"","sipURI":"","skills":null,"status":"",`+
			`"userId":"","voiceLanguageSupport":null,"voiceSupport":null} `+
			"created_at=12:01:24 updated_at=12:01:25",
	)
	model.After("x", given.Filled[humanagents.HumanAgentRemoved](),
		"- human_agents tenant=tenantId agent_id=agentId",
	)
	model.After("d", given.Filled[humanagents.AgentPresenceChanged](),
		"+ agent_presence tenant=tenantId agent_id=agentId type=onlineStatusType name=onlineStatus available_since=12:00:08 "+
			"last_online_at=12:00:10",
	)
	model.After("d", given.Filled(func(e *humanagents.AgentPresenceChanged) { e.AvailableSince, e.LastOnlineAt = nil, nil }),
		"~ agent_presence tenant=tenantId agent_id=agentId: available_since= last_online_at=",
	)
	model.After("d", given.Filled[humanagents.CapacityClaimed](),
		"+ agent_claims tenant=tenantId agent_id=agentId claim_id=claimId conversation_id=conversationId kind=kind "+
			"expires_at=12:00:09 claimed_at=12:00:12",
		"+ timers stream=humanagent-d name=claim topic=parley.humanagents tenant=tenantId due_at=12:00:11 claimed_until=-infinity",
	)
	model.After("d", given.Filled[humanagents.ClaimConfirmed](),
		"~ agent_claims tenant=tenantId agent_id=agentId claim_id=claimId: confirmed=true",
		"~ timers stream=humanagent-d name=claim: due_at=12:00:08",
	)
	model.After("d", given.Filled(func(e *humanagents.ClaimConfirmed) { e.NextExpiry = nil }),
		"- timers stream=humanagent-d name=claim",
	)
	model.After("d", given.Filled[humanagents.CapacityReleased](),
		"~ agent_presence tenant=tenantId agent_id=agentId: last_released_at=12:00:11",
		"+ timers stream=humanagent-d name=claim topic=parley.humanagents tenant=tenantId due_at=12:00:10 claimed_until=-infinity",
		"- agent_claims tenant=tenantId agent_id=agentId claim_id=claimId",
	)
	model.After("d", given.Filled(func(e *humanagents.CapacityReleased) { e.NextExpiry = nil }),
		"- timers stream=humanagent-d name=claim",
	)
	model.After("d", given.Filled[humanagents.CapacityTaken](),
		"+ agent_claims tenant=tenantId agent_id=agentId claim_id=claimId conversation_id=conversationId kind=kind "+
			"confirmed=true expires_at=12:00:08 claimed_at=12:00:08",
	)
	model.After("d", given.Filled(func(e *humanagents.CapacityReleased) { e.NextExpiry = nil }),
		"- agent_claims tenant=tenantId agent_id=agentId claim_id=claimId",
	)
	model.After("x", given.Filled[queues.QueueDefined](),
		"+ queue_members tenant=tenantId queue_id=queueId is_group= member=userId preferred=true",
		"+ queue_members tenant=tenantId queue_id=queueId is_group=true member=agentGroups",
		`+ queues tenant=tenantId queue_id=queueId org_id=orgId name=name skills={"skillId":18} `+
			`record={"agentGroups":["agentGroups"],"agents":[{"isPreferredAgent":true,"userId":"userId"}],`+
			`"description":"description","id":"id","name":"name","onTimeout":"onTimeout","skills":[{"minProficiency":18,`+
			`"skillId":"skillId"}],"waitTimeoutSeconds":19}`,
	)
	model.After("x", given.Filled(func(e *queues.QueueDefined) { e.Queue.Agents = nil }),
		"~ queues tenant=tenantId queue_id=queueId: "+
			`record={"agentGroups":["agentGroups"],"agents":null,"description":"description","id":"id","name":"name",`+
			`"onTimeout":"onTimeout","skills":[{"minProficiency":18,"skillId":"skillId"}],"waitTimeoutSeconds":19}`,
		"- queue_members tenant=tenantId queue_id=queueId is_group= member=userId",
	)
	model.After("x", given.Filled[queues.QueueRemoved](),
		"- queue_members tenant=tenantId queue_id=queueId is_group=true member=agentGroups",
		"- queues tenant=tenantId queue_id=queueId",
	)
}
