package slices

import (
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/audit"
	models "github.com/parley-platform/parley/projections/audit"
)

// auditSlice is who did what, read from the index of the log.
func auditSlice(n Needs, _ providers) Slice {
	events := api.EventsAPI{Keys: n.Keys, MAC: n.Vault.MAC, Heartbeat: n.StreamHeartbeat}
	if n.Projector != nil {
		events.Audit = models.NewAudit(n.Projector)
	}
	return Slice{Operations: []func(*rest.API){operations(api.DeclareEvents, events)}}
}
