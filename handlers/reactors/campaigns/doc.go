// Package campaigns starts runs, lists and paces their contacts, places their calls and
// texts and notes the outcomes. Who is called when is decided in domain/pacing.
package campaigns
