// Package campaigns starts runs, lists and paces their contacts, places their calls and texts and notes the outcomes.
//
// It owns the order in which that is done. It never decides who is called when: that is domain/pacing.
package campaigns
