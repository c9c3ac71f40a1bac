package apply

import (
	"context"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/projectsettings"
)

// ProjectSettingsSpec is the spec of kind ProjectSettings.
type ProjectSettingsSpec struct {
	ProjectID string             `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project whose settings these are, by id or alias. It has one set of them."`
	Models    *ModelsSettings    `json:"models,omitempty" jsonschema_description:"Which models answer."`
	Languages *LanguagesSettings `json:"languages,omitempty" jsonschema_description:"In which languages sessions begin."`
	Limits    *LimitsSettings    `json:"limits,omitempty" jsonschema_description:"Bounds below those of the server, which hold all the same."`
	Budgets   *BudgetsSettings   `json:"budgets,omitempty" jsonschema_description:"What models may cost. What has no known price is not counted."`
	Sessions  *SessionsSettings  `json:"sessions,omitempty" jsonschema_description:"Sessions that begin from now on."`

	AssistingAgent string `json:"assistingAgent,omitempty" jsonschema:"maxLength=64" jsonschema_description:"The name of the agent that suggests what people may say to a user's message with sendUserMessage (conversation-hook), as it is deployed, or its working copy where that is missing. Left out: the entry agent of the newest active deployment."`
}

// ModelsSettings is spec.models of kind ProjectSettings.
type ModelsSettings struct {
	Default     string       `json:"default,omitempty" jsonschema:"maxLength=128" jsonschema_description:"The id of the model of completions that name neither model nor tier."`
	DefaultTier string       `json:"defaultTier,omitempty" jsonschema:"enum=fast,enum=balanced,enum=powerful" jsonschema_description:"The same, of a tier; balanced without either."`
	Tiers       *TiersOfSpec `json:"tiers,omitempty" jsonschema_description:"Ids of models in the order in which they are asked, in place of those that a tier has. An id that no model has is passed over."`
}

// TiersOfSpec is spec.models.tiers of kind ProjectSettings.
type TiersOfSpec struct {
	Fast     []string `json:"fast,omitempty" jsonschema:"minItems=1,maxItems=20" jsonschema_description:"The cheapest."`
	Balanced []string `json:"balanced,omitempty" jsonschema:"minItems=1,maxItems=20" jsonschema_description:"Those between."`
	Powerful []string `json:"powerful,omitempty" jsonschema:"minItems=1,maxItems=20" jsonschema_description:"The strongest."`
}

// LanguagesSettings is spec.languages of kind ProjectSettings.
type LanguagesSettings struct {
	Default string   `json:"default,omitempty" jsonschema:"maxLength=35,example=de-AT" jsonschema_description:"Of a session that begins without one."`
	Allowed []string `json:"allowed,omitempty" jsonschema:"maxItems=50" jsonschema_description:"A session that names another is refused. de allows de-AT as well. Without them any is taken."`
}

// LimitsSettings is spec.limits of kind ProjectSettings.
type LimitsSettings struct {
	MessagesPerMinute  int `json:"messagesPerMinute,omitempty" jsonschema:"minimum=1,maximum=100000" jsonschema_description:"Messages of one session."`
	ConcurrentSessions int `json:"concurrentSessions,omitempty" jsonschema:"minimum=1,maximum=1000000" jsonschema_description:"Sessions in which something was said in the last 15 minutes; with more none begins."`
}

// BudgetsSettings is spec.budgets of kind ProjectSettings.
type BudgetsSettings struct {
	SessionUSD float64 `json:"sessionUsd,omitempty" jsonschema:"minimum=0.0001,maximum=10000" jsonschema_description:"US dollars of each session that begins: then it takes no messages. Without it there is no bound."`
	MonthUSD   float64 `json:"monthUsd,omitempty" jsonschema:"minimum=0.0001,maximum=1000000" jsonschema_description:"US dollars of all that the project asks models in a month of UTC: then it takes no messages and no completions until the next one. Without it there is no bound."`
}

// SessionsSettings is spec.sessions of kind ProjectSettings.
type SessionsSettings struct {
	IdleMinutes int `json:"idleMinutes,omitempty" jsonschema:"minimum=5,maximum=43200" jsonschema_description:"Without a message for so long a session ends by itself; without it after a day."`
}

func (s ProjectSettingsSpec) settings() (out projectsettings.Settings) {
	if m := s.Models; m != nil {
		out.Models = projectsettings.Models{Default: m.Default, DefaultTier: m.DefaultTier, Tiers: m.Tiers.byName()}
	}
	if s.Languages != nil {
		out.Languages = projectsettings.Languages(*s.Languages)
	}
	if s.Limits != nil {
		out.Limits = projectsettings.Limits(*s.Limits)
	}
	if s.Budgets != nil {
		out.Budgets = projectsettings.Budgets(*s.Budgets)
	}
	if s.Sessions != nil {
		out.Sessions = projectsettings.Sessions(*s.Sessions)
	}
	out.AssistingAgent = s.AssistingAgent
	return out
}

func (t *TiersOfSpec) byName() map[string][]string {
	if t == nil {
		return nil
	}
	out := map[string][]string{}
	for tier, ids := range map[string][]string{completions.Fast: t.Fast, completions.Balanced: t.Balanced, completions.Powerful: t.Powerful} {
		if len(ids) > 0 {
			out[tier] = ids
		}
	}
	return out
}

var projectSettingsKind = define(label{
	name: projectSettingsName,
	about: "What a project chooses for itself: models, languages, limits, budgets, the assisting agent. Each change is a version, which a " +
		"deployment can name (settingsVersionId). Its metadata.name is for people.",
	named: true,
}, projectSettingsSteps, nil).pruned(projectSettingsLeft)

func projectSettingsSteps(ctx context.Context, p *planner, d *draft, spec ProjectSettingsSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	p.claim(d, "spec.projectId", d.meta.Tenant, project)
	if err := p.agent(ctx, d, "spec.assistingAgent", project, spec.AssistingAgent); err != nil {
		return nil, err
	}
	change := projectsettings.Change{TenantID: d.meta.Tenant, ProjectID: project, VersionID: newSettingsVersion(), Settings: spec.settings(),
		CreatedBy: p.by.Actor, At: p.now()}
	exists := func(s projectsettings.State) bool { return s.Version > 0 }
	return []step{on(projectsettings.ProjectSettings, projectsettings.Stream(d.meta.Tenant, project), change.Decide, exists)}, nil
}

func newSettingsVersion() string { return projectsettings.IDPrefix + uuid.NewString() }

// projectSettingsLeft are those that still say something.
func projectSettingsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
		stream := projectsettings.Stream(tenant, project)
		s, err := stateOf(ctx, p, projectsettings.ProjectSettings, stream)
		if err != nil || s.Empty() {
			return nil, err
		}
		if _, named := p.claimed(projectSettingsName, tenant, project); named {
			return nil, nil
		}
		clear := projectsettings.Clear{TenantID: tenant, ProjectID: project, VersionID: newSettingsVersion(), CreatedBy: p.by.Actor, At: p.now()}
		return []leftover{{id: project, name: project, steps: []step{removing(projectsettings.ProjectSettings, stream, clear.Decide)}}}, nil
	})
}
