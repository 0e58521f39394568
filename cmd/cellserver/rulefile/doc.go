// Package rulefile keeps the rules of a file in force: the server looks at the rules-file again and again.
//
//	file.go  File: which file, what it said last, and when its rules come into force
//
// Invariants: a file that is wrong, empty or missing is refused as a whole, and the rules before it stay in
// force. A look compares the text, so the size and the time of a file do not matter. A file that somebody
// still writes waits: two looks in a row must find the same.
//
// Locks: File.mu guards the path and what was seen. It is held while the file is read and its rules come into
// force. The state is an atomic pointer.
package rulefile
