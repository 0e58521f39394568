// Package promisetest checks what limits have admitted against what they promise, when many processes decide
// at the same time. It knows no limiter: it counts.
//
//	actions.go   actions, and promises about them
//	windows.go   a bound for every window; the promise of a bucket, and of a log
//	aligned.go   the promises of an aligned window, and of a sliding one
//
// Invariant: a promise that is kept is never reported as broken, however late the replies were. So an action
// that may lie outside of a window does not count in it.
//
// Only tests import it. It holds no state and takes no locks.
package promisetest
