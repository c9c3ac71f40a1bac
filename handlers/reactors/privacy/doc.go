// Package privacy is the reactors that erase persons, and what projects keep no longer: what
// the jobs of domain/erasures ask for is done here, step by step.
//
// It never decides who is erased, or when it is done: the job does. Nor for how long anything
// is kept: the rules of domain/retention do.
package privacy
