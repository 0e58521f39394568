package commands

// LookupCache remembers the last two commands of a client under the names that the client sent. Pipelines
// mostly repeat one name byte for byte, or two by turns. A comparison takes less time than the search in the
// table.
type LookupCache struct{ last, before lookedUp }

// lookedUp is a name with its command. Both are empty if the name is unknown.
type lookedUp struct {
	cmd  *Command
	size int
	name [longestName]byte
}

// is reports whether a name equals the remembered one byte for byte.
func (n *lookedUp) is(name []byte) bool { return string(name) == string(n.name[:n.size]) }

// Recall returns the command of a name that is remembered, nil if it is not.
func (l *LookupCache) Recall(name []byte) *Command {
	switch {
	case l.last.is(name):
		return l.last.cmd
	case l.before.is(name):
		return l.before.cmd
	}
	return nil
}

// Lookup is [Lookup], and remembers the command.
func (l *LookupCache) Lookup(name []byte) *Command {
	if l.last.is(name) {
		return l.last.cmd
	}
	return l.other(name)
}

// other is Lookup for a name that is not the last one.
func (l *LookupCache) other(name []byte) *Command {
	l.last, l.before = l.before, l.last
	if l.last.is(name) {
		return l.last.cmd
	}
	l.last.cmd, l.last.size = Lookup(name), 0
	if l.last.cmd != nil {
		l.last.size = copy(l.last.name[:], name)
	}
	return l.last.cmd
}
