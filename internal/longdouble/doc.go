// Package longdouble computes with the 80-bit long double of x86: INCRBYFLOAT and HINCRBYFLOAT do so in Redis.
//
// There are no locks.
package longdouble
