package slices

import (
	"context"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/platform"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/platform"
	"github.com/parley-platform/parley/handlers/rest/runtime/attachments"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/access"
	models "github.com/parley-platform/parley/projections/platform"
	"github.com/parley-platform/parley/projections/reporting"
)

var platformModels = []*projections.Model{access.Model, access.StaffModel, models.DeliveriesModel, models.ReactorsModel}

// platformSlice is who may do what, manifests, files, and webhooks to callers.
func platformSlice(n Needs, _ providers) Slice {
	client := webhook.New(webhook.Options{Guard: n.Guard, Now: n.Now})
	return Slice{
		Operations: []func(*rest.API){
			operations(api.DeclareKeys, api.Keys{Commands: n.commands(), Access: access.NewAccess(n.Read), Hash: KeyHash(n.Vault),
				Limit: n.KeyLimit}),
			operations(api.DeclareStaff, api.StaffAPI{Staff: access.NewStaff(n.Read)}),
			operations(api.DeclareFiles, api.FilesAPI{Links: n.links(), Blobs: keptFiles{n.Blobs},
				Files: api.KnownFiles{reporting.NewFiles(n.Read), attachments.Stored{Store: n.Store}}}),
			operations(api.DeclareAdmin, api.Admin{Commands: n.commands(),
				Applier: apply.New(n.Store, n.Vault).Guarded(n.Guard.CheckURL).Keyed(access.NewAccess(n.Read))}),
		},
		Effects: []reactors.Effect{
			platform.Deliverer{Store: n.Store, Secrets: opener{access.NewAccess(n.Read), n.Vault}, Now: n.Now, Log: n.Log,
				Post: client.Send}.Attempts(),
		},
		Close: []func(context.Context) error{func(context.Context) error { client.Close(); return nil }},
	}
}
