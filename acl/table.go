package acl

import (
	"slices"
	"strings"
)

// Command is one command or subcommand of a table.
type Command struct {
	Name       string // in lower case; "client|kill" is a subcommand
	Categories []string
	Free       bool // every user may run it, such as AUTH
}

// Table holds the commands that rules name. It never changes.
type Table struct {
	commands   []Command
	targets    map[string]target // by the word after + or -: "get", "client|kill", "@read"
	categories []string
	every      set // all commands, and the future ones
}

// target is what a rule allows or refuses.
type target struct {
	name     string
	commands set
	own      int  // position of the command; -1 for a category
	parent   bool // the command has subcommands
	sub      bool // it is a subcommand
}

// NewTable returns a table. A rule and a check name a command by its position in commands.
func NewTable(commands []Command, categories []string) *Table {
	t := &Table{commands: commands, targets: map[string]target{}, categories: categories, every: newSet(len(commands))}
	for i := range len(commands) + 1 {
		t.every.add(i)
	}
	t.targets["@all"] = target{name: "@all", commands: t.every, own: -1}
	for i, c := range commands {
		_, _, sub := strings.Cut(c.Name, "|")
		own := target{name: c.Name, commands: newSet(len(commands)), own: i, sub: sub}
		own.commands.add(i)
		t.targets[c.Name] = own
	}
	for i, c := range commands {
		if parent, _, sub := strings.Cut(c.Name, "|"); sub {
			of := t.targets[parent]
			of.parent = true
			of.commands.add(i)
			t.targets[parent] = of
		}
	}
	for _, name := range categories {
		t.targets["@"+name] = target{name: "@" + name, commands: t.inCategory(name), own: -1}
	}
	return t
}

// inCategory returns the commands of a category, with all subcommands of such a command.
func (t *Table) inCategory(name string) set {
	all := newSet(len(t.commands))
	for _, c := range t.commands {
		if slices.Contains(c.Categories, name) {
			all.apply(t.targets[c.Name].commands, true)
		}
	}
	return all
}

// set is a set of commands, by their positions in the table. The bit after the last command stands for commands that
// do not exist yet.
type set []uint64

func newSet(commands int) set { return make(set, commands/64+1) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// apply adds the commands of other, or removes them.
func (s set) apply(other set, allow bool) {
	for i := range s {
		if allow {
			s[i] |= other[i]
		} else {
			s[i] &^= other[i]
		}
	}
}

// within reports whether other has all commands of s.
func (s set) within(other set) bool {
	for i := range s {
		if s[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) equal(other set) bool { return slices.Equal(s, other) }
