// Package value parses and formats the values of directives: yes and no, integers, memory, words, lists.
//
// Invariants: a kind accepts what it formats, and formats it to the same value.
//
// Bounds and error texts are those of CONFIG SET of Redis 7.0. Clients compare the texts, so they must not
// change.
//
//	kind.go      Kind: one sort of value, and how to make one
//	words.go     text, yes and no, one of several words
//	numbers.go   integers, octal permissions, memory
//	lists.go     values of several arguments
//	proxies.go   the number of proxies, or their networks
//	inert.go     values of Redis's directives that have no effect here
//
// The package keeps no state and takes no lock.
package value
