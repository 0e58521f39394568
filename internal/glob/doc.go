// Package glob matches patterns such as "user:*" as Redis does.
//
// Source: stringmatchlen of Redis's util.c. The package holds no state and takes no locks.
package glob
