package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// laterDirectives are ones without a value here: of Redis before 7.0, whose 7.0 takes
// them for nothing too, and of Redis after it.
var laterDirectives = []string{
	"list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands",
	"set-max-listpack-entries", "set-max-listpack-value", "locale-collate",
	"cluster-announce-human-nodename", "cluster-slot-stats-enabled",
	"max-new-connections-per-cycle", "max-new-tls-connections-per-cycle",
	"hide-user-data-from-log", "replica-full-sync-buffer-limit",
}

// special takes what is no row of the table.
func (l *loader) special(at place, name string, args []string) error {
	switch {
	case name == "loadmodule":
		l.warn(at, name, moduleNote(args))
	case slices.Contains(laterDirectives, name):
		l.ignore(at, name, "")
	case strings.Contains(strings.Trim(name, "."), ".") && len(args) > 0:
		l.ignore(at, name, "it belongs to a module, and there are none here")
	default:
		return fmt.Errorf("%s: %w", at, refusal(name))
	}
	return nil
}

// moduleNote answers a loadmodule line.
func moduleNote(args []string) string {
	if len(args) > 0 && strings.Contains(strings.ToLower(args[0]), "cell") {
		return "'loadmodule' is not needed: CL.THROTTLE is built in"
	}
	return ignores("loadmodule", "there are no modules here")
}

// refusal is the error for a directive that must not be ignored, or is none.
func refusal(name string) error {
	switch name {
	case "rename-command":
		return errors.New("rename-command is refused: commands keep their names here, and to ignore it would leave open what it closes")
	case "user":
		return errors.New("user is refused: there are no ACL users here, use requirepass")
	case "sentinel":
		return errors.New("sentinel is refused: this server is no sentinel")
	}
	return unknown(name)
}
