package blob

// Address is where a bucket is, for the tests.
var Address = address
