package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
	"github.com/parley-platform/parley/domain/fault"
)

// Compile reads and checks the source of the agent with that name; an empty name takes any
// AGENT. There is a program only when there are no problems, of which at most MostProblems
// are told. The same source gives the same program, or the same problems.
func Compile(name, source string) (*Program, Problems) {
	c := &compiler{reader: &reader{}, p: &Program{}}
	if root := c.document(source); root != nil {
		c.whole(root, name)
	}
	if len(c.problems) > 0 {
		c.writtenAs()
		return nil, c.problems.sorted()
	}
	c.p.Warnings = c.warnings.sorted()
	return c.p, nil
}

// compiler has what is known while one source is compiled.
type compiler struct {
	*reader
	p         *Program
	general   *expr.Environment  // what expressions see everywhere
	steps     map[string]bool    // names of FLOW.STEPS
	handoffs  map[string]bool    // agents of HANDOFF
	results   map[string]*Schema // of tools, by name
	uses      []func()           // checks of names that are declared further down
	elsewhere string             // the field that stands for REMOTE; empty: the agent is here
	warnings  Problems
}

// directives are the keys of a source, in the order in which the language tells them.
var directives = []string{"DSL", "AGENT", "DESCRIPTION", "GOAL", "PERSONA", "LIMITATIONS", "INSTRUCTIONS", "MODEL", "LIMITS", "TOOLS",
	"GATHER", "MEMORY", "ON_START", "CONSTRAINTS", "GUARDRAILS", "HANDOFF", "DELEGATE", "FAN_OUT", "ESCALATE", "COMPLETE", "FLOW",
	"REMOTE", "TESTS"}

func (c *compiler) whole(root *yaml.Node, name string) {
	o := c.object(root, "", directives...)
	if root.Kind != yaml.MappingNode {
		return
	}
	c.remote(root)
	c.steps, c.handoffs = c.namesOfSteps(o), c.namesOfHandoffs(o)
	c.environment(o)
	c.identity(o, name)
	c.model(o)
	c.limits(o)
	c.memory(o)
	c.gather(o)
	c.tools(o)
	c.handoff(o)
	c.delegates(o)
	c.fanOut(o)
	c.escalates(o)
	c.completes(o)
	c.onStart(o)
	c.constraints(o)
	c.guardrails(o)
	c.flow(o)
	c.tests(o)
	for _, check := range c.uses {
		check()
	}
	c.fits(o)
}

func (c *compiler) identity(o *object, name string) {
	o.missing("DSL", "is required: the version of the language, DSL: 1")
	c.p.Version = o.integer("DSL", 1, 1, 1)
	o.missing("AGENT", "is required: the agent's name")
	c.p.Agent = o.text("AGENT")
	if n := o.get("AGENT"); name != "" && c.p.Agent != "" && c.p.Agent != name {
		c.at(n, "AGENT", "agent_name", "is %q, but the agent is called %q", c.p.Agent, name)
	}
	c.p.Description = o.text("DESCRIPTION")
	c.p.Goal = c.text(o, "GOAL", c.general)
	c.p.Persona = c.text(o, "PERSONA", c.general)
	c.p.Limitations = c.textList(o, "LIMITATIONS", c.general)
	c.p.Instructions = c.textList(o, "INSTRUCTIONS", c.general)
}

var tiers = []string{"fast", "balanced", "powerful"}

func (c *compiler) model(o *object) {
	n := o.get("MODEL")
	if n == nil {
		return
	}
	m := c.object(n, "MODEL", "TIER", "ID", "FALLBACK_TIER", "EXTRACT_TIER", "TEMPERATURE", "MAX_TOKENS", "TIMEOUT")
	c.p.Model = Model{Tier: m.choice("TIER", "", tiers...), ID: m.text("ID"), FallbackTier: m.choice("FALLBACK_TIER", "", tiers...),
		ExtractTier: m.choice("EXTRACT_TIER", "", tiers...), Temperature: m.number("TEMPERATURE", 0, 2),
		MaxTokens: m.integer("MAX_TOKENS", 1, mostTokens, 0), Timeout: m.duration("TIMEOUT", time.Second, 10*time.Minute, 0)}
	if m.has("TIER") && m.has("ID") {
		c.at(m.node, "MODEL", "either", "has TIER and ID: take one of them away")
	}
}

// mostTokens is what an answer of a model may be told to have.
const mostTokens = 200_000

// What a program may do in a turn, if it does not say.
const (
	modelCalls = 10
	stepsATurn = 100
	transfers  = 5
)

func (c *compiler) limits(o *object) {
	c.p.Limits = Limits{ModelCalls: modelCalls, Steps: stepsATurn, Transfers: transfers}
	n := o.get("LIMITS")
	if n == nil {
		return
	}
	l := c.object(n, "LIMITS", "MODEL_CALLS", "STEPS", "TRANSFERS", "COST_USD")
	c.p.Limits = Limits{ModelCalls: l.integer("MODEL_CALLS", 0, 100, modelCalls), Steps: l.integer("STEPS", 1, 1000, stepsATurn),
		Transfers: l.integer("TRANSFERS", 0, 20, transfers)}
	if usd := l.number("COST_USD", 0.0001, 1000); usd != nil {
		c.p.Limits.CostUSD = *usd
	}
	if l.has("MODEL_CALLS") && c.p.Limits.ModelCalls == 0 {
		c.uses = append(c.uses, func() {
			if why := c.whyModel(); why != "" {
				c.at(l.get("MODEL_CALLS"), "LIMITS.MODEL_CALLS", "needs_model", "is 0, but %s", why)
			}
		})
	}
}

// whyModel says what of the program needs a model; empty: nothing.
func (c *compiler) whyModel() string {
	if c.p.Flow == nil {
		return "without a FLOW a model leads the conversation"
	}
	for _, s := range c.p.Flow.Steps {
		if s.ByModel {
			return fmt.Sprintf("step %s is of MODE model", s.Name)
		}
	}
	for _, s := range c.p.Slots {
		if s.Extract == ExtractModel {
			return fmt.Sprintf("slot %s is extracted by a model", s.Name)
		}
	}
	return ""
}

// fits checks what belongs to no single directive.
func (c *compiler) fits(o *object) {
	if !c.p.NeedsModel() {
		c.p.Limits.ModelCalls = 0
	} else if c.p.Flow == nil || strings.Contains(c.whyModel(), "MODE model") {
		o.missing("GOAL", "is required unless every step of a FLOW is scripted")
	}
}

// Override is what a deployment says in place of an agent's MODEL; what is left out is as the
// source has it.
type Override struct {
	Tier         string   `json:"tier,omitempty"`
	ModelID      string   `json:"modelId,omitempty"`
	FallbackTier string   `json:"fallbackTier,omitempty"`
	ExtractTier  string   `json:"extractTier,omitempty"`
	Temperature  *float64 `json:"temperature,omitempty"`
	MaxTokens    int      `json:"maxTokens,omitempty"`
}

// Check names what of an override can never hold, below a field.
func (o Override) Check(field string, f *fault.Fields) {
	for name, tier := range map[string]string{"tier": o.Tier, "fallbackTier": o.FallbackTier, "extractTier": o.ExtractTier} {
		if tier != "" && !slices.Contains(tiers, tier) {
			f.Add(field+"."+name, "must be one of %s", strings.Join(tiers, ", "))
		}
	}
	if o.Tier != "" && o.ModelID != "" {
		f.Add(field+".modelId", "does not go with tier")
	}
	if o.Temperature != nil && (*o.Temperature < 0 || *o.Temperature > 2) {
		f.Add(field+".temperature", "must be a number from 0 to 2")
	}
	if o.MaxTokens < 0 || o.MaxTokens > mostTokens {
		f.Add(field+".maxTokens", "must be a whole number from 1 to %d", mostTokens)
	}
}

// With is the program with another MODEL.
func (p *Program) With(o Override) *Program {
	if o == (Override{}) {
		return p
	}
	own := *p
	m := &own.Model
	if o.Tier != "" || o.ModelID != "" {
		m.Tier, m.ID = o.Tier, o.ModelID
	}
	m.FallbackTier, m.ExtractTier = cmp.Or(o.FallbackTier, m.FallbackTier), cmp.Or(o.ExtractTier, m.ExtractTier)
	m.MaxTokens = cmp.Or(o.MaxTokens, m.MaxTokens)
	if o.Temperature != nil {
		m.Temperature = o.Temperature
	}
	return &own
}
