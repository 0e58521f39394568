// Package longdouble computes with the 80-bit long double of x86, as INCRBYFLOAT and HINCRBYFLOAT do in
// Redis.
//
// Invariant: a result has the digits that Redis prints on x86.
//
// There are no locks.
package longdouble
