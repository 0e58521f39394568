// Package document reads a file as YAML, in a time that grows with its size.
//
// document.go reads a file. keys.go checks the keys of its maps.
//
// Invariant: what the library does with a document that was read takes no more than a few seconds, and a few
// times the memory of the file.
//
// It has no locks.
package document
