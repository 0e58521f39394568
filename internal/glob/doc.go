// Package glob matches patterns such as "user:*" as Redis does.
//
// The files are glob.go, with Match, and long.go, with the match of long patterns and texts.
//
// Invariant: the time of a match is at most the product of the lengths of pattern and text. If that is large, it
// is a small part of the product. Of a pattern as long as the text, it is almost nothing.
//
// Source: stringmatchlen of Redis's util.c. The package holds no state and takes no locks.
package glob
