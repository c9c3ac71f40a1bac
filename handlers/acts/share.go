package acts

// few is the part of what a node has below which an account has few of it.
const few = 10

// Fits is whether one more of an account fits among so many as a node has, whosever they are; of is how many each account has. Where
// there is no room, one that has few is let in beside the one that has the most: else an account that is slow, or asks for much, would
// keep everybody else from being answered. Who is alone on a node has all of it.
func Fits(limit int, of map[string]int, account string) bool {
	all, most := 0, 0
	for _, n := range of {
		all += n
		most = max(most, n)
	}
	return all < limit || of[account] < limit/few && all-most < limit
}
