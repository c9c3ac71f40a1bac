package analytics

import (
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
)

const (
	erasing = "who was erased is nobody's figure"
	keeping = "for how long a project keeps things is no figure"
	erased  = "figures name nobody, and stay as they are when somebody is erased"
)

var (
	_ = Ignore[calls.Erased](erased)
	_ = Ignore[contactlists.Erased](erased)
	_ = Ignore[conversations.Attributed](keeping)
	_ = Ignore[conversations.Erased](erased)
	_ = Ignore[deliveries.Erased](erased)
	_ = Ignore[disclosures.Made]("who was told of a person is no figure")
	_ = Ignore[erasures.AttemptFailed](erasing)
	_ = Ignore[erasures.Completed](erasing)
	_ = Ignore[erasures.Erased](erased)
	_ = Ignore[erasures.Expired](keeping)
	_ = Ignore[erasures.Forgotten](erasing)
	_ = Ignore[erasures.Found](erasing)
	_ = Ignore[erasures.NotFound](erasing)
	_ = Ignore[erasures.Requested](erasing)
	_ = Ignore[erasures.Requeued](erasing)
	_ = Ignore[erasures.Started](erasing)
	_ = Ignore[retention.Looked](keeping)
	_ = Ignore[retention.RulesSet](keeping)
	_ = Ignore[contacts.Erased](erased)
	_ = Ignore[memories.Erased](erased)
	_ = Ignore[runs.Erased](erased)
	_ = Ignore[sessions.Erased](erased)
	_ = Ignore[texts.Erased](erased)
	_ = Ignore[transfers.Erased](erased)
	_ = Ignore[voicemails.Attributed](keeping)
	_ = Ignore[voicemails.Erased](erased)
)
