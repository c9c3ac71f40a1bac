// Package settings has the operations that show what projects have chosen for themselves. It
// is chosen by manifests (package apply), and holds where it is read: in package runtime.
package settings

import (
	"context"
	"net/http"
	"strconv"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// API is what the operations need.
type API struct{ Settings reader }

// reader knows the versions of projects' settings.
type reader interface {
	Newest(ctx context.Context, tenant, project string) (runtime.SettingsVersion, bool, error)
	Versions(ctx context.Context, tenant, project string, limit, offset int) ([]runtime.SettingsVersion, int, error)
}

const path = "/api/projects/{projectId}/settings"

// Declare adds them.
func Declare(api *rest.API, x API) {
	tags, read := []string{"Deployments"}, access.SignedIn(access.CanListProject, access.Ability(access.PermDeploymentCreate))
	rest.Declare(api, rest.Operation{
		ID: "get-project-settings", Method: http.MethodGet, Path: path, Tags: tags, Extension: true,
		Summary: "Read the settings of a project",
		Description: "The newest version, which holds wherever no deployment names another. They are set by the manifest ProjectSettings. " +
			"What they leave out is as the server has it.",
		Requirement: read, Resolve: rest.ProjectFrom("projectId"),
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "list-project-settings-versions", Method: http.MethodGet, Path: path + "/versions", Tags: tags, Extension: true,
		Summary:     "List the versions of a project's settings, the newest first",
		Description: "Each change is one, and stays as it was made: a deployment may name it.",
		Requirement: read, Resolve: rest.ProjectFrom("projectId"),
	}, x.list)
}

// SettingsModels say which models answer.
type SettingsModels struct {
	Default     string        `json:"default,omitempty" doc:"A model's id, where a request names neither model nor tier."`
	DefaultTier string        `json:"defaultTier,omitempty" enum:"fast,balanced,powerful"`
	Tiers       SettingsTiers `json:"tiers" doc:"In place of the models that a tier has."`
}

// SettingsTiers are ids of models in the order in which they are asked.
type SettingsTiers struct {
	Fast     []string `json:"fast,omitempty"`
	Balanced []string `json:"balanced,omitempty"`
	Powerful []string `json:"powerful,omitempty"`
}

// SettingsLanguages are those of sessions.
type SettingsLanguages struct {
	Default string   `json:"default,omitempty" example:"de-AT"`
	Allowed []string `json:"allowed,omitempty"`
}

// SettingsLimits are bounds of the project below those of the server.
type SettingsLimits struct {
	MessagesPerMinute  int `json:"messagesPerMinute,omitempty" doc:"Of one session."`
	ConcurrentSessions int `json:"concurrentSessions,omitempty"`
}

// SettingsBudgets are what models may cost, in US dollars.
type SettingsBudgets struct {
	SessionUSD float64 `json:"sessionUsd,omitempty" doc:"Of each session that begins."`
	MonthUSD   float64 `json:"monthUsd,omitempty" doc:"Of all that the project asks models in a month of UTC."`
}

// SettingsSessions are the sessions that begin.
type SettingsSessions struct {
	IdleMinutes int `json:"idleMinutes,omitempty" doc:"Without a message, until they end by themselves; left out: a day."`
}

// ProjectSettings is one version of a project's settings.
type ProjectSettings struct {
	ID        string            `json:"id" doc:"What settingsVersionId of a deployment names." example:"ps-0b0f0f6a-6f7e-4f0e-9a55-2f6d3c1b8e70"`
	ProjectID string            `json:"projectId"`
	Version   string            `json:"version" example:"3"`
	Models    SettingsModels    `json:"models"`
	Languages SettingsLanguages `json:"languages"`
	Limits    SettingsLimits    `json:"limits"`
	Budgets   SettingsBudgets   `json:"budgets"`
	Sessions  SettingsSessions  `json:"sessions"`
	Assists   string            `json:"assistingAgent,omitempty" doc:"Left out: the entry agent of the newest active deployment."`
	CreatedAt string            `json:"createdAt" format:"date-time"`
	CreatedBy string            `json:"createdBy"`
}

func shown(v runtime.SettingsVersion) ProjectSettings {
	s := v.Settings
	return ProjectSettings{ID: v.VersionID, ProjectID: v.ProjectID, Version: strconv.Itoa(v.Version), Models: shownModels(s.Models),
		Languages: SettingsLanguages(s.Languages), Limits: SettingsLimits(s.Limits), Budgets: SettingsBudgets(s.Budgets),
		Sessions: SettingsSessions(s.Sessions), Assists: s.AssistingAgent,
		CreatedAt: rest.ISOTime(&v.CreatedAt), CreatedBy: v.CreatedBy}
}

func shownModels(m projectsettings.Models) SettingsModels {
	return SettingsModels{Default: m.Default, DefaultTier: m.DefaultTier, Tiers: SettingsTiers{Fast: m.Tiers["fast"],
		Balanced: m.Tiers["balanced"], Powerful: m.Tiers["powerful"]}}
}

type getIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
}

type getOut struct {
	Body struct {
		Success  bool             `json:"success"`
		Settings *ProjectSettings `json:"settings,omitempty" doc:"Left out: the project has never set anything."`
	}
}

func (x API) get(ctx context.Context, _ *getIn) (*getOut, error) {
	project := rest.ProjectOf(ctx)
	v, ok, err := x.Settings.Newest(ctx, project.TenantID, project.ID)
	if err != nil {
		return nil, err
	}
	out := &getOut{}
	out.Body.Success = true
	if ok {
		settings := shown(v)
		out.Body.Settings = &settings
	}
	return out, nil
}

type listIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	rest.Page
}

type versionsOut struct {
	Body struct {
		Success    bool              `json:"success"`
		Versions   []ProjectSettings `json:"versions"`
		Pagination rest.Pagination   `json:"pagination"`
	}
}

func (x API) list(ctx context.Context, in *listIn) (*versionsOut, error) {
	project := rest.ProjectOf(ctx)
	found, total, err := x.Settings.Versions(ctx, project.TenantID, project.ID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &versionsOut{}
	out.Body.Success, out.Body.Versions, out.Body.Pagination = true, rest.Shown(found, shown), in.Of(total)
	return out, nil
}
