// Package engine reads the log into the read models, in one transaction for the rows and
// the checkpoint: leases, the gate, waiting for what is visible, and the versions of
// what is stored. It knows no read model; it is given them.
package engine
