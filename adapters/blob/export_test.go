package blob

// Address is where a bucket is, and NewFile the name of a file that is being written, for
// the tests.
var (
	Address = address
	NewFile = newFile
)
