// Package settings reads the variables of the rate limit service.
//
// settings.go has the settings and their defaults. reader.go parses the values. notes.go names variables
// that have no use, or that are refused.
//
// Invariants: every variable that does not parse is named in the error. An empty value is the default.
//
// It has no locks.
package settings
