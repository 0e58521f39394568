// Package clock is the only clock of the server: the time of its commands, and a monotonic one.
//
//	clock.go                        Clock
//	boot_linux.go, boot_other.go  a time that counts while the machine is suspended
//
// Invariants: the time of a command never goes back by more than the limit. Reading takes no lock.
//
// Locks: Clock.setting is held while the clock is set.
package clock
