package group

import (
	"errors"
	"fmt"
)

// The feature level of a cluster says which forms its log and its snapshots may have. All members know it,
// so nodes of two releases can work together. The leader raises it in the log, and it never falls. A server
// refuses a level that it does not know.
//
//	3, 4  the forms of effects: see body_levels.go of package aof
//	5     entries of kind LevelRaised, and snapshots that name the level
//	6     changes of the server's own database, which has the rules
const (
	// FeatureLevel is the highest level that this server knows.
	FeatureLevel = 6
	// OldestFeatureLevel is the lowest level at which this server works. A new cluster begins with it,
	// unless [Found] makes it.
	OldestFeatureLevel = 3

	// levelOfRaises is the lowest level to which an entry can raise a cluster: older releases do not know
	// such an entry.
	levelOfRaises = 5
)

// levelError says that this server does not know the level of a cluster.
type levelError struct{ level, known uint16 }

// Error implements error.
func (e *levelError) Error() string {
	if e.level > e.known {
		return fmt.Sprintf("the cluster works at feature level %d, and this server knows level %d: install the newer release", e.level, e.known)
	}
	return fmt.Sprintf("the cluster works at feature level %d, and this server knows levels %d to %d: "+
		"first install a release that knows levels %d and %d on all nodes",
		e.level, OldestFeatureLevel, e.known, e.level, OldestFeatureLevel)
}

// checkLevel returns an error if a server that knows a level cannot be a member of a cluster of another
// level.
func checkLevel(level, known uint16) error {
	if level < OldestFeatureLevel || level > known {
		return &levelError{level, known}
	}
	return nil
}

// whyUnloaded returns an error that says what to do about a snapshot that cannot be loaded.
func whyUnloaded(err error) error {
	if newer := (*levelError)(nil); errors.As(err, &newer) {
		return newer
	}
	return fmt.Errorf("the snapshot cannot be loaded: empty the directory of this node, and start it again: %w", err)
}

// errTooNew is the error of an epoch in which a command has made a value of a type that some members do not
// know.
func errTooNew(level uint16) error {
	return fmt.Errorf("a key got a value of a type that a node of feature level %d does not know: upgrade all nodes first", level)
}
