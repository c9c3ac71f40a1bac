// Package reporting builds the files of search index exports and keeps them as blobs.
//
// It owns the attempts at a file. It never answers a download: the operation does, by a signed address.
package reporting
