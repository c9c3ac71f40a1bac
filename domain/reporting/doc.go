// Package reporting has the rules of what is told of sessions that have ended: what each
// came to, where it went, who had it and for how long (docs/api-rules.md "Call details").
// They are functions of what is known of a session. How that is read is the read models'
// affair, and how it is shown that of call-details.
package reporting
