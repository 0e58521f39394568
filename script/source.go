package script

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // Redis names scripts by SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/quote"
)

// SHA returns the name of a script: the SHA-1 of its text, in lower case.
func SHA(source []byte) string {
	sum := sha1.Sum(source)
	return hex.EncodeToString(sum[:])
}

// Flags are the flags in the first line of a script.
type Flags uint

// The flags. HasLine says that there is such a line: without it the rules of old scripts hold.
const (
	NoWrites Flags = 1 << iota
	AllowOOM
	AllowStale
	NoCluster
	AllowCrossSlotKeys
	AllowKeyLocking
	HasLine
)

var flagNames = map[string]Flags{
	"no-writes": NoWrites, "allow-oom": AllowOOM, "allow-stale": AllowStale, "no-cluster": NoCluster,
	"allow-cross-slot-keys": AllowCrossSlotKeys, "allow-key-locking": AllowKeyLocking,
}

// ParseFlags reads the first line of a script, if it begins with #!. rest is the script without it; line
// numbers stay.
func ParseFlags(source []byte) (flags Flags, rest []byte, err error) {
	if !bytes.HasPrefix(source, []byte("#!")) {
		return 0, source, nil
	}
	end := bytes.IndexByte(source, '\n')
	if end < 0 {
		return 0, nil, errors.New("Invalid script shebang")
	}
	options, err := quote.Split(string(source[:end]))
	if err != nil {
		return 0, nil, errors.New("Invalid engine in script shebang")
	}
	if engine := options[0]; engine != "#!lua" {
		return 0, nil, fmt.Errorf("Unexpected engine in script shebang: %s", engine)
	}
	flags = HasLine
	for _, option := range options[1:] {
		list, ok := strings.CutPrefix(option, "flags=")
		if !ok {
			return 0, nil, fmt.Errorf("Unknown lua shebang option: %s", option)
		}
		more, err := namedFlags(list)
		if err != nil {
			return 0, nil, err
		}
		flags |= more
	}
	return flags, source[end:], nil
}

// namedFlags returns the flags of a list of names. The empty list names none.
func namedFlags(list string) (flags Flags, err error) {
	if list == "" {
		return 0, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		flag, ok := flagNames[name]
		if !ok {
			return 0, fmt.Errorf("Unexpected flag in script shebang: %s", name)
		}
		flags |= flag
	}
	return flags, nil
}
