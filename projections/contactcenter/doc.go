// Package contactcenter has the read models of human agents, conversations, transfers, voicemails and the details of calls: one file says
// what a model stores and how it
// is asked.
package contactcenter
