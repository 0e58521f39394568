// Package notices has the licences of the modules that are linked into the server: cellserver --licenses prints them, and
// the image has them as a file. Their licences ask for that.
//
//	notices.go    the text
//	NOTICES.txt   the same as a file, which go generate writes from the module cache
//
// A test compares the file with the modules that the server imports, so a new module cannot be forgotten. The licence of
// the server itself is not here. There are no locks.
package notices

//go:generate go test . -run TestNoticesAreCurrent -update
