// Package glob matches patterns such as "user:*" as Redis does.
//
// Invariant: the time of a match is at most the product of the lengths of pattern and text.
//
// Source: stringmatchlen of Redis's util.c. The package holds no state and takes no locks.
package glob
