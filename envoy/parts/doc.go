// Package parts bounds the messages inside a message, which take a hundred times as much memory as their bytes.
//
// parts.go counts them, and has a codec that refuses too many.
//
// Invariant: a message with too many messages inside is refused before they take memory.
//
// It has no locks.
package parts
