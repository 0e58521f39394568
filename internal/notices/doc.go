// Package notices has the licences of the modules that are linked into the server, because these licences
// ask for that. cellserver --licenses prints them, and the image has them as a file. The test makes the
// file of the rate limit service of Envoy, too.
//
//	notices.go    the text
//	NOTICES.txt   the same as a file, which go generate writes from the module cache
//
// Invariant: a file has every module that its program imports. A test compares them. The licence of
// the server itself is not here. There are no locks.
package notices

//go:generate go test . -run TestNoticesAreCurrent -update
