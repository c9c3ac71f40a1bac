package rest

import "time"

// Page is the paging of simple lists (docs/api-rules.md "Paging").
type Page struct {
	Limit  int `query:"limit" default:"50" minimum:"1" maximum:"200" doc:"Records to return."`
	Offset int `query:"offset" default:"0" minimum:"0" doc:"Records to skip."`
}

// Pagination is what a simple list says about its page (docs/api-rules.md "Paging").
type Pagination struct {
	Total  int `json:"total"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

// OrNone is the list, which is never null in an answer.
func OrNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ISOTime is a time as responses show it: ISO 8601, UTC, with Z; empty for none.
func ISOTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
