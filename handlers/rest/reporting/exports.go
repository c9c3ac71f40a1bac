package reporting

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/reporting"
)

// ExportsAPI is what the search export operations need.
type ExportsAPI struct {
	rest.Commands
	Indexes searchIndexes
	Jobs    exportJobs
	Links   rest.FileLinks
}

// searchIndexes knows which search index a project has.
type searchIndexes interface {
	Of(ctx context.Context, tenant, project string) (reporting.SearchIndex, error)
}

// exportJobs knows how far export jobs are.
type exportJobs interface {
	Job(ctx context.Context, tenant, project, jobID string) (j reporting.ExportJob, ok bool, err error)
}

const tagExport = "Search export"

// DeclareExports adds the operations on exports of the search configuration.
func DeclareExports(api *rest.API, x ExportsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "export-search-app", Method: http.MethodPost, Path: "/api/public/bot/{botId}/search/app-export", Tags: []string{tagExport},
		Summary: "Export the configuration of the search application",
		Description: "Answers with the job that builds the file; the configuration is exported as it stands now. A project without a search " +
			"index gets a job that has FAILED.",
		Requirement: access.TokenOnly(access.ScopeSearchExport), Resolve: rest.ProjectFrom("botId"), Async: true,
		Refusals: []fault.Code{fault.Conflict},
	}, x.request)
	rest.Declare(api, rest.Operation{
		ID: "get-search-export", Method: http.MethodGet, Path: "/api/public/bot/{botId}/search/app-export/jobs/{jobId}",
		Tags:        []string{tagExport},
		Summary:     "How far an export is, and where its file is",
		Description: "On SUCCESS fileInfo has an address at which the file can be downloaded for an hour; ask again for a new one.",
		Requirement: access.TokenOnly(access.ScopeSearchExport), Resolve: rest.ProjectFrom("botId"),
	}, x.job)
}

type searchExportIn struct {
	BotID string `path:"botId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	Body  struct {
		Features []string `json:"features" required:"true" maxItems:"6" uniqueItems:"true" enum:"chunkStages,advancedConfig,businessRules,searchResultsConfig,answerConfig,answerRetrievals" doc:"What to export; an empty array is everything."`
	}
}

type searchExportOut struct {
	Body struct {
		Status string `json:"status" required:"true" enum:"QUEUED,INPROGRESS,SUCCESS,FAILED" example:"QUEUED"`
		JobID  string `json:"jobId" required:"true" example:"fj-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	}
}

func (x ExportsAPI) request(ctx context.Context, in *searchExportIn) (*searchExportOut, error) {
	tenant, project := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	index, err := x.Indexes.Of(ctx, tenant, project)
	if err != nil {
		return nil, err
	}
	cmd := exports.Request{JobID: exports.IDPrefix + x.NewID(ctx, "search export").String(), TenantID: tenant, ProjectID: project,
		IndexID: index.ID, IndexVersion: index.Version,
		Features: in.Body.Features, At: x.Now()}
	res, err := rest.Create(ctx, x.Commands, exports.Jobs, exports.Jobs.Stream(cmd.JobID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	accepted, err := rest.Payload[exports.Requested](res)
	if err != nil {
		return nil, err
	}
	if res.Pending {
		rest.AcceptedAt(ctx, "api", "public", "bot", in.BotID, "search", "app-export", "jobs", accepted.JobID)
	}
	out := &searchExportOut{}
	out.Body.Status, out.Body.JobID = string(res.State.Status), accepted.JobID
	return out, nil
}

type exportJobIn struct {
	BotID string `path:"botId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	JobID string `path:"jobId" doc:"jobId of the export's answer." example:"fj-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
}

// searchExportJob is what get-search-export answers.
type searchExportJob struct {
	ID            string                `json:"_id" required:"true" example:"fj-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	Status        string                `json:"status" required:"true" enum:"QUEUED,INPROGRESS,SUCCESS,FAILED" example:"SUCCESS"`
	CreatedOn     string                `json:"createdOn" required:"true" format:"date-time"`
	SearchIndexID string                `json:"searchIndexId,omitempty" doc:"Absent when the project had no search index." example:"si-acme-help"`
	FileInfo      *searchExportFile     `json:"fileInfo,omitempty" doc:"On SUCCESS."`
	Validation    []searchExportFeature `json:"validation" required:"true" doc:"One item per exported feature; empty until SUCCESS."`
	Reason        string                `json:"reason,omitempty" doc:"On FAILED: why."`
}

type searchExportFile struct {
	FileID          string `json:"fileId" required:"true" example:"file-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	FileName        string `json:"fileName" required:"true" example:"si-acme-help-20261122-090000.zip"`
	FileURL         string `json:"fileUrl" required:"true" doc:"Internal: the name of the file in the blob storage, for operators."`
	ExternalFileURL string `json:"externalFileURL" required:"true" format:"uri" doc:"Downloads the file, without any credential, for an hour from now."`
}

type searchExportFeature struct {
	Feature string `json:"feature" required:"true" enum:"chunkStages,advancedConfig,businessRules,searchResultsConfig,answerConfig,answerRetrievals"`
	Status  string `json:"status" required:"true" enum:"success"`
}

type exportJobOut struct{ Body searchExportJob }

func (x ExportsAPI) job(ctx context.Context, in *exportJobIn) (*exportJobOut, error) {
	j, ok, err := x.Jobs.Job(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.JobID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no such export job")
	}
	out := &exportJobOut{searchExportJob{ID: j.ID, Status: string(j.Status), CreatedOn: rest.ISOTime(&j.RequestedAt), SearchIndexID: j.IndexID,
		Validation: []searchExportFeature{}, Reason: j.Reason}}
	for _, f := range j.Features {
		out.Body.Validation = append(out.Body.Validation, searchExportFeature{string(f.Feature), f.Status})
	}
	if j.Status == exports.Success {
		out.Body.FileInfo = &searchExportFile{FileID: j.FileID, FileName: j.FileName, FileURL: "blob:" + j.Blob,
			ExternalFileURL: x.Links.Link(j.FileID)}
	}
	return out, nil
}
