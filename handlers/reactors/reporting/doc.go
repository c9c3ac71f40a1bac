// Package reporting builds the files of search index exports and keeps them as blobs.
package reporting
