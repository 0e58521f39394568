// Package strictjson reads JSON for requests.
//
//	decode.go  Decode
//	flat.go    reads the usual form of a body faster
//
// Invariants: different texts never become the same value, so a name that occurs twice is an error, and
// so is half of a character. The caller has checked the UTF-8. Nesting is bounded.
//
// The package takes no locks.
package strictjson
