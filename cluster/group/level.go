package group

import (
	"errors"
	"fmt"
)

// The feature level of a cluster says which forms its log and its snapshots may have. All members know it,
// so nodes of two releases can work together. The leader raises it in the log, and it never falls. A server
// refuses a level that it does not know. The first release has one level. A release with a new form has the
// next one, and writes the form once the cluster works at that level.
const (
	// FeatureLevel is the highest level that this server knows.
	FeatureLevel = 7
	// OldestFeatureLevel is the lowest level at which this server works. A new cluster begins with it,
	// unless [Found] makes it.
	OldestFeatureLevel = 7
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
	if newer, is := errors.AsType[*levelError](err); is {
		return newer
	}
	return fmt.Errorf("the snapshot cannot be loaded: empty the directory of this node, and start it again: %w", err)
}
