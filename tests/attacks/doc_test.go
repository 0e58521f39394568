// Package attacks keeps attacks on the server as tests. Each file is one attack: a few
// kilobytes of requests, or a fault of the machine, that once ended, stalled or commanded the
// server. A test runs the real binary, so that its memory and its exit code can be measured.
//
// CI runs a share of each attack. ATTACKS=full runs the counts with which the attack was found.
package attacks
