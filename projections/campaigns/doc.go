// Package campaigns has the read models of campaigns, their lists, runs and contacts: one file says what a model stores and how it
// is asked.
package campaigns
