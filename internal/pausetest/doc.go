// Package pausetest measures for how long the machine has stood still during a test. A bound on what a program does in real time
// does not hold for a machine that stops meanwhile.
//
// Invariant: a machine that only is busy does not count, and so the bound stays what it is.
//
// Only tests import it. A goroutine of each meter ends with its test. It takes no locks: what a meter has measured is atomic.
package pausetest
