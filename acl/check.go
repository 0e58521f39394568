package acl

import (
	"cellserver/internal/glob"
)

// Denial is the reason why a user may not run a command. A greater value is more specific.
type Denial uint8

// The denials. Denied credentials stand in ACL LOG only.
const (
	Allowed Denial = iota
	DeniedCommand
	DeniedKey
	DeniedAuth
	DeniedChannel
)

// String returns the reason as ACL LOG has it.
func (d Denial) String() string { return [...]string{"", "command", "key", "auth", "channel"}[d] }

// Key is a key of a request: its position in the arguments, and what the command does with it.
type Key struct {
	At   int
	Need Permission
}

// Request is a call of a command.
type Request struct {
	Command  int // position in the table
	Args     [][]byte
	Keys     []Key
	Channels int  // position of the first channel; 0 for none
	OneOnly  bool // there is one channel; otherwise all further arguments are channels
	Literal  bool // the channels are patterns, and a user must have the same pattern
}

// Limits are what a user may do, if that is not everything. They never change.
type Limits struct {
	selectors []*Selector
	deleted   bool // the user does not exist any more
}

// Deleted reports whether the user does not exist any more.
func (l *Limits) Deleted() bool { return l != nil && l.deleted }

// Check returns why a user may not run a command, and the position of the argument. One selector must allow
// all of the command. If none does, the reason is that of the selector that came furthest, as in Redis. Nil
// limits allow everything.
func (l *Limits) Check(r *Request) (denied Denial, at int) {
	if l == nil {
		return Allowed, 0
	}
	denied = DeniedCommand
	here := 0
	for _, s := range l.selectors {
		why, i := s.check(r)
		switch {
		case why == Allowed:
			return Allowed, 0
		case why != DeniedCommand:
			here = i
		}
		if why > denied || why == denied && here > at {
			denied, at = why, here
		}
	}
	return denied, at
}

func (s *Selector) check(r *Request) (denied Denial, at int) {
	if !s.table.commands[r.Command].Free && !s.commands.has(r.Command) && !s.allowsFirst(r) {
		return DeniedCommand, 0
	}
	if !s.allKeys {
		for _, k := range r.Keys {
			if !s.allowsKey(r.Args[k.At], k.Need) {
				return DeniedKey, k.At
			}
		}
	}
	if !s.allChannels && r.Channels > 0 {
		last := len(r.Args)
		if r.OneOnly {
			last = min(last, r.Channels+1) // a question of a script may lack it
		}
		for i := r.Channels; i < last; i++ {
			if !s.allowsChannel(r.Args[i], r.Literal) {
				return DeniedChannel, i
			}
		}
	}
	return Allowed, 0
}

// allowsFirst reports whether the command is allowed with its first argument.
func (s *Selector) allowsFirst(r *Request) bool {
	if s.first == nil || len(r.Args) < 2 {
		return false
	}
	for _, word := range s.first[r.Command] {
		if s.table.commands[r.Command].isFirst(word, r.Args[1]) {
			return true
		}
	}
	return false
}

func (s *Selector) allowsKey(key []byte, need Permission) bool {
	for i := range s.keys {
		p := &s.keys[i]
		if len(key) < p.literal || string(key[:p.literal]) != p.pattern[:p.literal] {
			continue
		}
		if p.allows&need == need && glob.Match([]byte(p.pattern), key) {
			return true
		}
	}
	return false
}

func (s *Selector) allowsChannel(channel []byte, literal bool) bool {
	for _, p := range s.channels {
		if literal && p == string(channel) || !literal && glob.Match([]byte(p), channel) {
			return true
		}
	}
	return false
}

// AllowsChannel reports whether a selector allows a subscription.
func (l *Limits) AllowsChannel(name string, pattern bool) bool {
	if l == nil {
		return true
	}
	for _, s := range l.selectors {
		if s.allChannels || s.allowsChannel([]byte(name), pattern) {
			return true
		}
	}
	return false
}
