package humanagents

// Record is what is known about an agent: the fields of get-human-agent that people
// set. Its JSON is the API's; every member is always there.
type Record struct {
	ID           string `json:"id"` // a-...
	UserID       string `json:"userId"`
	AccountID    string `json:"accountId"`
	OrgID        string `json:"orgId"`
	RoleID       string `json:"roleId"`
	IID          string `json:"iId"`          // instance: a project's id or alias
	AgentGroupID string `json:"agentGroupId"` // the default group

	FirstName   string `json:"firstName" personal:"humanAgent" key:"own"`
	LastName    string `json:"lastName" personal:"humanAgent" key:"own"`
	EmailID     string `json:"emailId" personal:"humanAgent" key:"own"`
	FullName    string `json:"fullName" personal:"humanAgent" key:"own"`
	LFullName   string `json:"lFullName" personal:"humanAgent" key:"own"` // full name in lower case
	NickName    string `json:"nickName" personal:"humanAgent" key:"own"`
	PhoneNumber string `json:"phoneNumber" personal:"humanAgent" key:"own"`
	CustomID    string `json:"customId" personal:"humanAgent" key:"own"`
	Status      string `json:"status"` // only ACTIVE takes conversations

	IsAccountOwner      bool `json:"isAccountOwner"`
	MarkedAutoAway      bool `json:"markedAutoAway"`
	CanSupportChat      bool `json:"canSupportChat"` // chat, e-mail and messaging
	CanSupportCase      bool `json:"canSupportCase"`
	CanSupportVoiceMail bool `json:"canSupportVoiceMail"`
	CanSupportVoice     bool `json:"canSupportVoice"`
	AttachmentsEnabled  bool `json:"attachmentsEnabled"`
	EmojisEnabled       bool `json:"emojisEnabled"`

	AgentGroups         []Group    `json:"agentGroups"`
	ChatLanguageSupport []Language `json:"chatLanguageSupport"`
	VoiceLangSupport    []Language `json:"voiceLanguageSupport"`
	CaseLanguageSupport []Language `json:"caseLanguageSupport"`
	VoiceSupport        []string   `json:"voiceSupport"`
	DAgentGroups        []string   `json:"dAgentGroups"` // deprecated; kept as given
	DesktopLayouts      []Layout   `json:"desktopLayouts"`
	Skills              []Skill    `json:"skills"`

	CreatedBy    string `json:"createdBy" personal:"humanAgent" key:"own"`
	CreatedByAID string `json:"createdByAId"`

	MaxDigitalChatSupport   int `json:"maxDigitalChatSupport"`
	MaxEmailChatSupport     int `json:"maxEmailChatSupport"`
	MaxMessagingChatSupport int `json:"maxMessagingChatSupport"`

	Profile
}

// Profile is what responses show and updates do not take; manifests set it.
type Profile struct {
	HoursOfOperationID string `json:"hoursOfOperationId" jsonschema:"maxLength=128" jsonschema_description:"Id of the hours in which the agent works."`
	AgentAffinity      bool   `json:"agentAffinity" jsonschema_description:"Whether returning customers should get this agent again."`
	ProfImage          string `json:"profImage" personal:"humanAgent" key:"own" jsonschema:"maxLength=2048" jsonschema_description:"Address of a picture."`
	SIPURI             string `json:"sipURI" personal:"humanAgent" key:"own" jsonschema:"maxLength=256" jsonschema_description:"Where the agent's telephone is reached."`
	Role               string `json:"role" jsonschema:"maxLength=100" jsonschema_description:"Name of the role, for people."`
}

// Group is an agent's place in a group of agents.
type Group struct {
	GroupID     string `json:"groupId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" doc:"The group's id."`
	Role        string `json:"role" required:"true" minLength:"1" maxLength:"100" jsonschema:"required,minLength=1,maxLength=100" doc:"What the agent is in the group." example:"agent"`
	AccessLevel string `json:"accessLevel,omitempty" maxLength:"100" jsonschema:"maxLength=100" doc:"What the agent may do in the group."`
	GroupName   string `json:"groupName,omitempty" maxLength:"100" jsonschema:"maxLength=100" doc:"The group's name, for people."`
}

// Language is a language that an agent serves in: given by its tag or name, kept and
// shown as its tag.
type Language struct {
	Language    string `json:"language" required:"true" maxLength:"35" jsonschema:"required,minLength=2,maxLength=35" example:"en"`
	Proficiency int    `json:"proficiency" required:"true" minimum:"0" maximum:"100" jsonschema:"required,minimum=0,maximum=100" doc:"How well, 0 to 100." example:"90"`
	IsActive    *bool  `json:"isActive,omitempty" doc:"Whether it is used at present; yes when absent."`
}

// Layout is a desktop layout that the agent may use.
type Layout struct {
	ID        string `json:"id" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" doc:"The layout's id."`
	IsDefault bool   `json:"isDefault,omitempty" doc:"Whether it is shown first."`
	Name      string `json:"name,omitempty" maxLength:"100" jsonschema:"maxLength=100" doc:"The layout's name."`
}

// Skill is what an agent can do, and how well.
type Skill struct {
	SkillID          string `json:"skillId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" doc:"The skill's id."`
	UserID           string `json:"userId,omitempty" maxLength:"128" jsonschema:"maxLength=128" doc:"The user who has it."`
	ProficiencyLevel int    `json:"proficiencyLevel,omitempty" minimum:"0" maximum:"100" jsonschema:"minimum=0,maximum=100" doc:"How well, 0 to 100." example:"80"`
	Name             string `json:"name,omitempty" maxLength:"100" jsonschema:"maxLength=100" doc:"The skill's name."`
	SkillGroupID     string `json:"skillGroupId,omitempty" maxLength:"128" jsonschema:"maxLength=128" doc:"The group of skills it belongs to."`
	SkillGroupName   string `json:"skillGroupName,omitempty" maxLength:"100" jsonschema:"maxLength=100" doc:"The name of that group."`
	SkillGroupColor  string `json:"skillGroupColor,omitempty" maxLength:"32" jsonschema:"maxLength=32" doc:"How the group is painted."`
	ID               string `json:"id,omitempty" maxLength:"128" jsonschema:"maxLength=128" doc:"Id of the agent's having the skill."`
}

// Active is the status of agents who take conversations.
const Active = "ACTIVE"

// Limit is how many conversations of a kind the agent can have at once: what a Claim
// carries. It is 0 for an agent who is not active or does not serve that kind.
func (r Record) Limit(k Kind) int {
	switch {
	case r.Status != Active:
		return 0
	case k == Voice && r.CanSupportVoice:
		return 1
	case k == Voice || !r.CanSupportChat:
		return 0
	case k == Chat:
		return r.MaxDigitalChatSupport
	case k == Email:
		return r.MaxEmailChatSupport
	case k == Messaging:
		return r.MaxMessagingChatSupport
	}
	return 0
}
