package humanagents

import (
	"cmp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/privacy"
)

// Given is an agent as updates and manifests give it: the body of update-human-agent
// without id, accountId and orgId, which say which agent is meant. A nil member is
// absent. Limits on the members are in their tags, for the API and the manifests, and
// checked again by the commands.
type Given struct {
	UserID       string `json:"userId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The user who is this agent." doc:"The user who is this agent." example:"u-acme-maria"`
	RoleID       string `json:"roleId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The agent's role." doc:"The agent's role." example:"r-acme-agent"`
	IID          string `json:"iId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The instance: a project's id or alias." doc:"The instance: a project's id or alias." example:"acme-bot"`
	AgentGroupID string `json:"agentGroupId" required:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9_-]+$" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The default group." doc:"The default group." example:"g-acme-support"`
	FirstName    string `json:"firstName" required:"true" minLength:"1" maxLength:"100" jsonschema:"required,minLength=1,maxLength=100" jsonschema_description:"First name." doc:"First name." example:"Maria"`
	LastName     string `json:"lastName" required:"true" minLength:"1" maxLength:"100" jsonschema:"required,minLength=1,maxLength=100" jsonschema_description:"Last name." doc:"Last name." example:"Keller"`
	EmailID      string `json:"emailId" required:"true" minLength:"3" maxLength:"254" pattern:"^[^\\s@]+@[^\\s@]+$" jsonschema:"required,minLength=3,maxLength=254" jsonschema_description:"Unique in the organisation, whatever its case." doc:"Unique in the organisation, whatever its case." example:"maria.keller@acme.example"`

	FullName    *string `json:"fullName,omitempty" maxLength:"201" jsonschema:"maxLength=201" jsonschema_description:"First and last name when it was never given." doc:"First and last name when it was never given."`
	LFullName   *string `json:"lFullName,omitempty" maxLength:"201" jsonschema:"maxLength=201" jsonschema_description:"fullName in lower case when it was never given." doc:"fullName in lower case when it was never given."`
	NickName    *string `json:"nickName,omitempty" maxLength:"100" jsonschema:"maxLength=100" jsonschema_description:"What customers see." doc:"What customers see."`
	PhoneNumber *string `json:"phoneNumber,omitempty" maxLength:"32" jsonschema:"maxLength=32" jsonschema_description:"The agent's telephone with its country code; kept as E.164." doc:"The agent's telephone with its country code, however it is spelled; kept and shown as E.164." example:"+15550171"`
	CustomID    *string `json:"customId,omitempty" maxLength:"64" pattern:"^[^\\s]*$" jsonschema:"maxLength=64" jsonschema_description:"An id of your own: special characters are allowed, spaces are not." doc:"An id of your own: special characters are allowed, spaces are not."`
	Status      *string `json:"status,omitempty" maxLength:"32" pattern:"^[A-Z][A-Z_]*$" jsonschema:"maxLength=32" jsonschema_description:"Only ACTIVE agents get conversations; ACTIVE when it was never given." doc:"Only ACTIVE agents get conversations."`

	IsAccountOwner      *bool `json:"isAccountOwner,omitempty" jsonschema_description:"Whether the account is the agent's."`
	MarkedAutoAway      *bool `json:"markedAutoAway,omitempty" jsonschema_description:"Whether the agent was set away for lack of a sign of life."`
	CanSupportChat      *bool `json:"canSupportChat,omitempty" jsonschema_description:"Whether the agent takes chats, e-mails and messages; yes when it was never given." doc:"Whether the agent takes chats, e-mails and messages."`
	CanSupportCase      *bool `json:"canSupportCase,omitempty" jsonschema_description:"Whether the agent takes cases."`
	CanSupportVoiceMail *bool `json:"canSupportVoiceMail,omitempty" jsonschema_description:"Whether the agent takes voicemails."`
	CanSupportVoice     *bool `json:"canSupportVoice,omitempty" jsonschema_description:"Whether the agent takes calls, one at a time; yes when it was never given." doc:"Whether the agent takes calls, one at a time."`
	AttachmentsEnabled  *bool `json:"attachmentsEnabled,omitempty" jsonschema_description:"Whether the agent can send files."`
	EmojisEnabled       *bool `json:"emojisEnabled,omitempty" jsonschema_description:"Whether the agent can send emojis."`

	AgentGroups         *[]Group    `json:"agentGroups,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"The groups that the agent is in, beside the default one." doc:"The groups that the agent is in, beside the default one."`
	ChatLanguageSupport *[]Language `json:"chatLanguageSupport,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Languages of chats."`
	VoiceLangSupport    *[]Language `json:"voiceLanguageSupport,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Languages of calls."`
	CaseLanguageSupport *[]Language `json:"caseLanguageSupport,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Languages of cases."`
	VoiceSupport        *[]string   `json:"voiceSupport,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Kinds of calls that the agent takes, for people; kept as given." doc:"Kinds of calls that the agent takes, for people; at most 100 characters each."`
	DAgentGroups        *[]string   `json:"dAgentGroups,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Deprecated; kept as given." doc:"Deprecated; kept as given."`
	DesktopLayouts      *[]Layout   `json:"desktopLayouts,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"Desktop layouts that the agent may use."`
	Skills              *[]Skill    `json:"skills,omitempty" maxItems:"100" jsonschema:"maxItems=100" jsonschema_description:"What the agent can do, and how well."`

	CreatedBy    *string `json:"createdBy,omitempty" maxLength:"128" jsonschema:"maxLength=128" jsonschema_description:"Who made the agent, for people."`
	CreatedByAID *string `json:"createdByAId,omitempty" maxLength:"128" jsonschema:"maxLength=128" jsonschema_description:"The agent who made this one."`

	MaxDigitalChatSupport   *int `json:"maxDigitalChatSupport,omitempty" minimum:"0" maximum:"100" jsonschema:"minimum=0,maximum=100" jsonschema_description:"Chats at once; 1 when it was never given." doc:"Chats at once."`
	MaxEmailChatSupport     *int `json:"maxEmailChatSupport,omitempty" minimum:"0" maximum:"100" jsonschema:"minimum=0,maximum=100" jsonschema_description:"E-mail conversations at once; 1 when it was never given." doc:"E-mail conversations at once."`
	MaxMessagingChatSupport *int `json:"maxMessagingChatSupport,omitempty" minimum:"0" maximum:"100" jsonschema:"minimum=0,maximum=100" jsonschema_description:"Messaging conversations at once; 1 when it was never given." doc:"Messaging conversations at once."`
}

// fresh is an agent of whom nothing was ever given.
func fresh(tenantID, orgID, id string) Record {
	return Record{ID: id, AccountID: tenantID, OrgID: orgID, Status: Active, CanSupportChat: true, CanSupportVoice: true,
		AgentGroups: []Group{}, ChatLanguageSupport: []Language{}, VoiceLangSupport: []Language{}, CaseLanguageSupport: []Language{},
		VoiceSupport: []string{}, DAgentGroups: []string{}, DesktopLayouts: []Layout{}, Skills: []Skill{},
		MaxDigitalChatSupport: 1, MaxEmailChatSupport: 1, MaxMessagingChatSupport: 1}
}

// over is the record with what is given in place of what it had. Full names follow the
// names that they are made of, unless they were given or are given as empty.
func (g Given) over(r Record) Record {
	wasFull, wasLower := fullName(r), strings.ToLower(r.FullName)
	r.UserID, r.RoleID, r.IID, r.AgentGroupID = g.UserID, g.RoleID, g.IID, g.AgentGroupID
	r.FirstName, r.LastName, r.EmailID = access.PlainName(g.FirstName), access.PlainName(g.LastName), g.EmailID
	derived := r.FullName == "" || r.FullName == wasFull
	lowered := r.LFullName == "" || r.LFullName == wasLower
	takeName(&r.NickName, g.NickName)
	if g.PhoneNumber != nil {
		r.PhoneNumber = g.number()
	}
	take(&r.CustomID, g.CustomID)
	take(&r.Status, g.Status)
	take(&r.IsAccountOwner, g.IsAccountOwner)
	take(&r.MarkedAutoAway, g.MarkedAutoAway)
	take(&r.CanSupportChat, g.CanSupportChat)
	take(&r.CanSupportCase, g.CanSupportCase)
	take(&r.CanSupportVoiceMail, g.CanSupportVoiceMail)
	take(&r.CanSupportVoice, g.CanSupportVoice)
	take(&r.AttachmentsEnabled, g.AttachmentsEnabled)
	take(&r.EmojisEnabled, g.EmojisEnabled)
	takeAll(&r.AgentGroups, g.AgentGroups)
	takeLanguages(&r.ChatLanguageSupport, g.ChatLanguageSupport)
	takeLanguages(&r.VoiceLangSupport, g.VoiceLangSupport)
	takeLanguages(&r.CaseLanguageSupport, g.CaseLanguageSupport)
	takeAll(&r.VoiceSupport, g.VoiceSupport)
	takeAll(&r.DAgentGroups, g.DAgentGroups)
	takeAll(&r.DesktopLayouts, g.DesktopLayouts)
	takeAll(&r.Skills, g.Skills)
	take(&r.CreatedBy, g.CreatedBy)
	take(&r.CreatedByAID, g.CreatedByAID)
	take(&r.MaxDigitalChatSupport, g.MaxDigitalChatSupport)
	take(&r.MaxEmailChatSupport, g.MaxEmailChatSupport)
	take(&r.MaxMessagingChatSupport, g.MaxMessagingChatSupport)
	if derived {
		r.FullName = ""
	}
	takeName(&r.FullName, g.FullName)
	r.FullName = cmp.Or(r.FullName, fullName(r))
	if lowered {
		r.LFullName = ""
	}
	takeName(&r.LFullName, g.LFullName)
	r.LFullName = cmp.Or(r.LFullName, strings.ToLower(r.FullName))
	r.Status = cmp.Or(r.Status, Active)
	return r
}

// number is the telephone number that is given in E.164, as those of contacts are; what is no number stays as it is.
func (g Given) number() string {
	if numbers.Valid(*g.PhoneNumber) {
		return *g.PhoneNumber
	}
	if i, problem := privacy.Normal(privacy.Telephone, *g.PhoneNumber); problem == "" {
		return i.Value
	}
	return *g.PhoneNumber
}

func fullName(r Record) string { return strings.TrimSpace(r.FirstName + " " + r.LastName) }

func take[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}

// takeName is take in the form of names.
func takeName(to, given *string) {
	if given != nil {
		*to = access.PlainName(*given)
	}
}

// takeAll copies, and keeps an empty list that is not null.
func takeAll[T any](to, given *[]T) {
	if given != nil {
		*to = append([]T{}, slices.Clone(*given)...)
	}
}

// takeLanguages is takeAll in the form of LanguageTag.
func takeLanguages(to, given *[]Language) {
	if given != nil {
		*to = normalLanguages(*given)
	}
}
