// Package phrase translates limits between people's words and commands: "100/minute" is CL.LOG 100 60.
//
//	read.go    Read: from words to a command
//	meaning.go which limiter the words mean
//	number.go  numbers: 100, 1,000, 1.5k, five
//	unit.go    units of time, nouns, and words that are near
//	words.go   Words: from a command to words, if there are any
//
// docs/rules.md has the grammar and its meaning as a table. testdata/phrases.json has phrases with their
// commands, and texts that are refused.
//
// Invariants: a text has one meaning or an error. An error repeats the wrong word, and says which words may
// stand there. If Words returns a text, Read returns the same command for it.
//
// The package keeps no state and takes no locks.
package phrase
