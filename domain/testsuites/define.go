package testsuites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Limits of suites.
const (
	MaxSuites = 100 // of a project
	MaxCases  = 200
	MaxTurns  = 50 // of one case
	MaxMocks  = 50 // of one case
	MaxListed = 50 // texts and tools of one expectation
	MaxSuite  = 256 << 10
)

// DefineSuite makes or changes a suite (manifest kind TestSuite).
type DefineSuite struct {
	TenantID  string
	ProjectID string // spec.projectId, resolved
	Suite
}

// SuiteDefined says what the suite now asks.
type SuiteDefined struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	Suite
}

var _ = event.Register[SuiteDefined](Suites, "defined", 1)

// Decide checks the suite by itself, then against the project's others.
func (c DefineSuite) Decide(s State) ([]event.Payload, error) {
	suite, err := c.checked()
	if err != nil {
		return nil, err
	}
	old, exists := s.Suites[suite.ID]
	if exists && same(old, suite) {
		return nil, nil
	}
	if other, taken := s.Named(suite.Name); taken && other.ID != suite.ID {
		return nil, fault.New(fault.Conflict, "the test suite name %q belongs to test suite %s", suite.Name, other.ID)
	}
	if !exists && len(s.Suites) >= MaxSuites {
		return nil, fault.New(fault.LimitReached, "a project has at most %d test suites", MaxSuites)
	}
	return []event.Payload{SuiteDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, Suite: suite}}, nil
}

// same reports whether two suites are one on the log.
func same(a, b Suite) bool {
	before, err := json.Marshal(a)
	after, failed := json.Marshal(b)
	return err == nil && failed == nil && bytes.Equal(before, after)
}

func (c DefineSuite) checked() (Suite, error) {
	var f fault.Fields
	suite := c.Suite
	access.CheckID(&f, "metadata.id", suite.ID)
	access.CheckID(&f, "spec.projectId", c.ProjectID)
	suite.Name = access.CheckPathName(&f, "metadata.name", suite.Name)
	if strings.HasPrefix(suite.Name, OwnPrefix) {
		f.Add("metadata.name", "must not begin with %s, by which agents' own TESTS are named", OwnPrefix)
	}
	if !agents.ValidName(suite.Agent) {
		f.Add("spec.agentName", "is no name of an agent")
	}
	if suite.Language != "" && !access.ValidLanguage(suite.Language) {
		f.Add("spec.language", "must be a language tag, such as en or de-AT")
	}
	if n := len(suite.Cases); n == 0 || n > MaxCases {
		f.Add("spec.cases", "must be 1 to %d, are %d", MaxCases, n)
	}
	seen := map[string]bool{}
	suite.Cases = slices.Clone(suite.Cases)
	for i := range suite.Cases {
		one, field := &suite.Cases[i], fmt.Sprintf("spec.cases[%d]", i)
		if one.Name = access.CheckName(&f, field+".name", one.Name); seen[one.Name] {
			f.Add(field+".name", "is the name of an earlier case")
		}
		seen[one.Name] = true
		one.check(&f, field)
	}
	if data, err := json.Marshal(suite); err != nil || len(data) > MaxSuite {
		f.Add("spec.cases", "must be at most %d bytes of JSON together", MaxSuite)
	}
	return suite, f.Err()
}

func (c Case) check(f *fault.Fields, field string) {
	if n := len(c.Context.ToolMocks); n > MaxMocks {
		f.Add(field+".context.toolMocks", "must be at most %d, are %d", MaxMocks, n)
	}
	for i, m := range c.Context.ToolMocks {
		at := fmt.Sprintf("%s.context.toolMocks[%d]", field, i)
		if m.Tool == "" {
			f.Add(at+".tool", "is required")
		}
		if m.Result != nil && m.Error != "" {
			f.Add(at, "has result and error: take one of them away")
		}
	}
	if n := len(c.Turns); n == 0 || n > MaxTurns {
		f.Add(field+".turns", "must be 1 to %d, are %d", MaxTurns, n)
	}
	for i, t := range c.Turns {
		t.check(f, fmt.Sprintf("%s.turns[%d]", field, i))
	}
}

var actions = []string{"continue", "suspended", "escalated", "end"}

func (t Turn) check(f *fault.Fields, field string) {
	switch {
	case (t.User == "") == (t.Action == ""):
		f.Add(field, "must have user or action: one of them")
	case t.Action == "" && sessions.Blank(t.User):
		f.Add(field+".user", "must have at least one character that is no blank")
	case utf8.RuneCountInString(t.User) > turns.LongestText:
		f.Add(field+".user", "may have at most %d characters", turns.LongestText)
	case t.Value != nil && t.Action == "":
		f.Add(field+".value", "goes with an action")
	}
	e := t.Expect
	if e == nil {
		return
	}
	if e.empty() {
		f.Add(field+".expect", "says nothing: leave it out, or say what must be so")
	}
	if e.Action != "" && !slices.Contains(actions, e.Action) {
		f.Add(field+".expect.action", "must be one of %s", strings.Join(actions, ", "))
	}
	if e.ModelCalls != nil && *e.ModelCalls < 0 {
		f.Add(field+".expect.modelCalls", "must not be negative")
	}
	atMost := func(name string, n int) {
		if n > MaxListed {
			f.Add(field+".expect."+name, "must be at most %d, are %d", MaxListed, n)
		}
	}
	atMost("contains", len(e.Contains))
	atMost("tools", len(e.Tools))
}

// Apply folds the event.
func (e SuiteDefined) Apply(s *State) {
	if s.Suites == nil {
		s.Suites = map[string]Suite{}
	}
	s.Suites[e.ID] = e.Suite
}

// RemoveSuite takes a suite away; runs of it stay.
type RemoveSuite struct{ TenantID, ProjectID, ID string }

// SuiteRemoved says that the suite is gone and its name free.
type SuiteRemoved struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	SuiteID   string `json:"suiteId"`
}

var _ = event.Register[SuiteRemoved](Suites, "removed", 1)

// Decide does nothing for a suite that is not there.
func (c RemoveSuite) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Suites[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{SuiteRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, SuiteID: c.ID}}, nil
}

// Apply folds the event.
func (e SuiteRemoved) Apply(s *State) {
	s.Suites = maps.Clone(s.Suites)
	delete(s.Suites, e.SuiteID)
}
