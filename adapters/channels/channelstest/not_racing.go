//go:build !race

package channelstest

// spared is how many times as much a request may allocate here: not more.
const spared = 1
