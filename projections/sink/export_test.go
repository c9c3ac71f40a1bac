package sink

// SelectRequest is what the index is asked for an old request.
var SelectRequest = selectRequest
