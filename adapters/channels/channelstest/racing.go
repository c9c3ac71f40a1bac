//go:build race

package channelstest

// spared is how many times as much a request may allocate here: the race detector has pools give nothing back now and then.
const spared = 3
