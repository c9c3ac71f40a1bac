// Package privacy is the reactors that erase persons: what the jobs of domain/erasures ask
// for is done here, step by step.
//
// It never decides who is erased, or when it is done: the job does.
package privacy
