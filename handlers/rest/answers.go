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

// Of is what the answer says about the page, of so many records in all.
func (p Page) Of(total int) Pagination {
	return Pagination{Total: total, Limit: p.Limit, Offset: p.Offset}
}

// Window is a page of a list that is there as a whole.
func Window[T any](all []T, limit, offset int) []T {
	from := min(offset, len(all))
	return all[from:min(from+limit, len(all))]
}

// Shown is the list of an answer: each of what was found, as it is shown. It is never null.
func Shown[F, S any](found []F, show func(F) S) []S {
	shown := make([]S, len(found))
	for i, f := range found {
		shown[i] = show(f)
	}
	return shown
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
