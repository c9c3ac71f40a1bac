package apply

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	schema "github.com/santhosh-tekuri/jsonschema/v6"
)

// kinds lists the kinds of manifests in the order in which they depend on each
// other: what comes later may refer to what comes before. A kind is one file, and
// its one line here.
var kinds = []*kind{
	tenantKind,
	projectKind,
	clientKind,
	scopeKind,
	trunkKind,
	modelProviderKind,
	projectSettingsKind,
	agentKind,
	testSuiteKind,
	flowKind,
	channelConnectionKind,
	publicKeyKind,
	sdkChannelKind,
	searchIndexKind,
	dashboardKind,
	roleKind,
	userKind,
	toolKind,
	workflowKind,
	humanAgentKind,
	queueKind,
	contactListKind,
	campaignKind,
}

// The names of the kinds.
const (
	dashboardName       = "Dashboard"
	roleName            = "Role"
	userName            = "User"
	tenantName          = "Tenant"
	projectName         = "Project"
	clientName          = "Client"
	scopeName           = "Scope"
	trunkName           = "Trunk"
	modelProviderName   = "ModelProvider"
	projectSettingsName = "ProjectSettings"
	agentName           = "Agent"
	flowName            = "ExperienceFlow"
	toolName            = "Tool"
	workflowName        = "Workflow"
	humanAgentName      = "HumanAgent"
	queueName           = "Queue"
	contactListName     = "ContactList"
	campaignName        = "Campaign"
	searchIndexName     = "SearchIndex"
	testSuiteName       = "TestSuite"

	channelConnectionName = "ChannelConnection"
	publicKeyName         = "PublicKey"
	sdkChannelName        = "SDKChannel"
)

// Kinds lists the names of all kinds, in the order in which they are applied.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// label is how a kind presents itself.
type label struct {
	name  string
	about string // for the schema
	named bool   // the name is what it is known by; an id is optional and says the same
}

// kind is one kind of manifest.
type kind struct {
	label
	spec any // zero value of its struct

	// steps says which commands the manifest stands for, and notes what is wrong
	// with its references. The error is a failure of ours.
	steps func(ctx context.Context, p *planner, d *draft) ([]step, error)

	// pretend puts a thing that is wrong into the planned state, so that what refers
	// to it is judged by itself. Nothing of it is ever applied.
	pretend func(ctx context.Context, p *planner, d *draft) error

	leftovers leftovers // nil: what is of this kind is never removed

	compile sync.Once
	schema  *schema.Schema
}

// pruned says how the things of the kind are found that a set does not name any more.
func (k *kind) pruned(l leftovers) *kind {
	k.leftovers = l
	return k
}

// define makes a kind whose spec has the type S.
func define[S any](l label, steps func(context.Context, *planner, *draft, S) ([]step, error), pretend func(context.Context, *planner,
	*draft, S) error) *kind {
	var zero S
	return &kind{
		label: l, spec: zero,
		steps: func(ctx context.Context, p *planner, d *draft) ([]step, error) {
			return steps(ctx, p, d, specOf[S](d))
		},
		pretend: func(ctx context.Context, p *planner, d *draft) error {
			if pretend == nil {
				return nil
			}
			return pretend(ctx, p, d, specOf[S](d))
		},
	}
}

// specOf is the spec as far as it fits; what does not has been noted as a fault.
func specOf[S any](d *draft) (spec S) {
	if len(d.Spec) > 0 && json.Unmarshal(d.Spec, &spec) != nil {
		d.readable = false
	}
	return spec
}

func kindNamed(name string) *kind {
	if i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name }); i >= 0 {
		return kinds[i]
	}
	return nil
}

// rank is the kind's place in the order; a manifest without a kind comes last.
func (k *kind) rank() int {
	if k == nil {
		return len(kinds)
	}
	return slices.Index(kinds, k)
}
