// Package contactcenter drives transfers to human agents through their lines, records
// and transcribes voicemails, and keeps conversations' people and summaries up to date.
// It decides nothing: transfers, voicemails and conversations have their own rules.
package contactcenter
