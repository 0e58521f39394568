// Package glob matches patterns such as "user:*" as Redis does.
//
// Invariant: the time of a match is at most the product of the lengths of pattern and text. If that is large, it
// is a small part of the product (long.go): 32 KB of each take some 30 ms.
//
// Source: stringmatchlen of Redis's util.c. The package holds no state and takes no locks.
package glob
