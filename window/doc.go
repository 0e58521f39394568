// Package window decides whether a request may pass by counting in windows of time, as pure
// functions of (counts, now, window, quantity). It knows no clock, no key, no byte and no
// lock, as package gcra beside it.
package window
