package sink

// SelectRequest and SelectErasures are what the index is asked for an old request, and for who was erased.
const SelectErasures = selectErasures

var SelectRequest = selectRequest
