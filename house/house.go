// Package house holds the tests of the house itself: who may import whom, how large a
// folder and how long a line may be, that every command has a way in, and that the
// documents say what is there. It imports nothing of ours and reads sources, so that it
// is built and run in seconds.
package house
