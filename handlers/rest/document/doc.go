// Package document makes the OpenAPI document of what was declared. Huma's own says what
// the code needs to judge requests; here it is told as those need it who read it or make
// clients of it: each name spelt in one way, what is always sent is required, nothing that
// OpenAPI does not know.
//
// It changes nothing of what was declared: requests are judged by huma's schemas, so that
// what is left out here is taken as ever.
package document
