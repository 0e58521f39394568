package acl

import (
	"bytes"
	"slices"
	"strings"
)

// Command is one command or subcommand of a table.
type Command struct {
	Name       string // in lower case; "client|kill" is a subcommand
	Categories []string
	Free       bool // every user may run it, such as AUTH
	Data       bool // its first argument is data: a key, a channel or the name of a rule
	Scoped     bool // its first argument is the name of a rule, and may go on with @ and scopes
	Absent     bool // only another server has it: rules may name it, and have no effect
}

// isFirst reports whether a right to one first argument is a right to another. Data has one spelling. The
// case of other words does not count, as in Redis.
func (c *Command) isFirst(word string, arg []byte) bool {
	if c.Scoped {
		if rule, _, _ := bytes.Cut(arg, []byte("@")); word == string(rule) {
			return true
		}
	}
	return len(word) == len(arg) && (word == string(arg) || !c.Data && strings.EqualFold(word, string(arg)))
}

// Table holds the commands that rules name. It never changes.
type Table struct {
	commands   []Command
	targets    map[string]target // by the word after + or -: "get", "client|kill", "@read"
	categories []string
	every      set // all commands, and the future ones
	present    set // the commands that this server has
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
	t := &Table{commands: commands, targets: map[string]target{}, categories: categories}
	t.every, t.present = t.newSet(), t.newSet()
	for i := range t.bits() {
		t.every.add(i)
	}
	t.targets["@all"] = target{name: "@all", commands: t.every, own: -1}
	for i, c := range commands {
		_, _, sub := strings.Cut(c.Name, "|")
		own := target{name: c.Name, commands: t.newSet(), own: i, sub: sub}
		if own.commands.add(i); !c.Absent {
			t.present.add(i)
		}
		t.targets[c.Name] = own
	}
	for i, c := range commands {
		parent, _, sub := strings.Cut(c.Name, "|")
		if of, known := t.targets[parent]; sub && known {
			of.parent = true
			of.commands.add(i)
			t.targets[parent] = of
		}
	}
	for i, name := range categories {
		all := t.inCategory(name)
		all.add(len(commands) + i)
		t.targets["@"+name] = target{name: "@" + name, commands: all, own: -1}
	}
	return t
}

// bits is the size of a set: the commands, a bit for the future commands of each category, and one for all
// other future commands.
func (t *Table) bits() int { return len(t.commands) + len(t.categories) + 1 }

func (t *Table) newSet() set { return make(set, (t.bits()+63)/64) }

// inCategory returns the commands of a category, with all subcommands of such a command.
func (t *Table) inCategory(name string) set {
	all := t.newSet()
	for _, c := range t.commands {
		if slices.Contains(c.Categories, name) {
			all.apply(t.targets[c.Name].commands, true)
		}
	}
	return all
}

// set is a set of commands, by their positions in the table. The bits after the last command stand for
// commands that do not exist yet: -@list has an effect before there are lists.
type set []uint64

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

// Permission is what a command does with a key.
type Permission uint8

// The permissions. If a command neither reads nor writes a key, any pattern of the key allows it.
const (
	Read Permission = 1 << iota
	Write
)

// Selector is one set of rules: these commands, with these keys and channels.
type Selector struct {
	table       *Table
	commands    set
	first       map[int][]string // first arguments that commands outside of the set may have
	rules       []rule           // whose effect is commands and first
	allKeys     bool
	keys        []keyPattern
	allChannels bool
	channels    []string

	patternBytes, ruleBytes int // of the description
}

// rule is a rule about commands that is still in force.
type rule struct {
	target
	allow bool
	first string // "" for the whole target
}

// size returns about how many bytes the description has.
func (r *rule) size() int { return len("+| ") + len(r.name) + len(r.first) }

// keyPattern is a pattern of keys, with what it allows.
type keyPattern struct {
	pattern string
	literal int // bytes at its start that a key must have
	allows  Permission
}

func newSelector(t *Table, allChannels bool) *Selector {
	return &Selector{table: t, commands: t.newSet(), allChannels: allChannels}
}

func (s *Selector) clone() *Selector {
	c := *s
	c.commands, c.rules = slices.Clone(s.commands), slices.Clone(s.rules)
	c.keys, c.channels = slices.Clone(s.keys), slices.Clone(s.channels)
	c.first = cloneFirst(s.first)
	return &c
}

func cloneFirst(first map[int][]string) map[int][]string {
	var c map[int][]string
	for i, words := range first {
		if c == nil {
			c = map[int][]string{}
		}
		c[i] = slices.Clone(words)
	}
	return c
}

// unlimited reports whether the selector allows everything that this server has.
func (s *Selector) unlimited() bool {
	return s.allKeys && s.allChannels && s.table.present.within(s.commands)
}

// grant applies a rule about commands, and remembers it.
func (s *Selector) grant(r rule) {
	inForce := r.first != "" && s.allowsWord(r)
	switch {
	case inForce && !s.absent(r):
		return
	case r.name == "@all":
		s.rules, s.ruleBytes = nil, 0
	}
	if !inForce {
		s.apply(r)
	}
	if r.first == "" || s.absent(r) {
		s.rules = slices.DeleteFunc(s.rules, func(old rule) bool {
			gone := r.first == "" && old.target.commands.within(r.target.commands)
			if s.absent(old) {
				gone = old.own == r.own && (r.first == "" || strings.EqualFold(r.first, old.first))
			}
			if gone {
				s.ruleBytes -= old.size()
			}
			return gone
		})
	}
	if r.first != "" || s.absent(r) || s.matters(r) || !s.follows(s.rules) {
		s.rules = append(s.rules, r)
		s.ruleBytes += r.size()
	}
}

// absent reports whether a rule is about a command that only another server has. Such a rule stays, so that
// the other server may read the file again.
func (s *Selector) absent(r rule) bool { return r.own >= 0 && s.table.commands[r.own].Absent }

// matters reports whether a rule about a category may matter for commands that do not exist yet. Another
// rule about a category may have allowed or refused them.
func (s *Selector) matters(r rule) bool {
	return r.own < 0 && slices.ContainsFunc(s.rules, func(old rule) bool { return old.own < 0 && old.allow != r.allow })
}

// allowsWord reports whether a rule with a first argument allows nothing new.
func (s *Selector) allowsWord(r rule) bool {
	same := func(word string) bool { return s.table.commands[r.own].isFirst(word, []byte(r.first)) }
	return s.commands.has(r.own) || slices.ContainsFunc(s.first[r.own], same)
}

// apply is the effect of a rule.
func (s *Selector) apply(r rule) {
	if r.first != "" {
		if s.first == nil {
			s.first = map[int][]string{}
		}
		s.first[r.own] = append(s.first[r.own], r.first)
		return
	}
	s.commands.apply(r.target.commands, r.allow)
	for i := range s.first {
		if r.target.commands.has(i) {
			delete(s.first, i)
		}
	}
}

// follows reports whether rules alone have the effect that the selector has. First arguments of commands that
// are here need no look: a rule that takes them away has removed their rules.
func (s *Selector) follows(rules []rule) bool {
	other := newSelector(s.table, false)
	for _, r := range rules {
		if r.first == "" || s.absent(r) && !other.commands.has(r.own) {
			other.apply(r)
		}
	}
	for i, words := range other.first {
		if len(words) != len(s.first[i]) {
			return false
		}
	}
	return slices.Equal(other.commands, s.commands)
}

// addKeys allows the keys of a pattern.
func (s *Selector) addKeys(p keyPattern) {
	for i, old := range s.keys {
		if old.pattern == p.pattern {
			s.keys[i].allows |= p.allows
			return
		}
	}
	if p.literal = strings.IndexAny(p.pattern, `*?[\`); p.literal < 0 {
		p.literal = len(p.pattern)
	}
	s.keys = append(s.keys, p)
	s.patternBytes += len(p.pattern) + len("%R~ ")
}

// addChannels allows the channels of a pattern.
func (s *Selector) addChannels(pattern string) {
	if slices.Contains(s.channels, pattern) {
		return
	}
	s.channels = append(s.channels, pattern)
	s.patternBytes += len(pattern) + len("& ")
}

// setKeys drops all patterns of keys. Then all keys are allowed, or none.
func (s *Selector) setKeys(all bool) {
	for _, p := range s.keys {
		s.patternBytes -= len(p.pattern) + len("%R~ ")
	}
	s.allKeys, s.keys = all, nil
}

// setChannels drops all patterns of channels. Then all channels are allowed, or none.
func (s *Selector) setChannels(all bool) {
	for _, p := range s.channels {
		s.patternBytes -= len(p) + len("& ")
	}
	s.allChannels, s.channels = all, nil
}

// The bounds of the users. Each byte counts as ACL LIST shows it.
const (
	MaxUsers     = 10_000
	MaxBytes     = 16 << 20 // of all users together
	MaxUserBytes = 64 << 10 // of one user
	MaxSelectors = 64       // of one user, beside its own rules
)
