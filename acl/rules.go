package acl

import (
	"errors"
	"strings"
)

// The faults of a rule, with the texts of Redis.
var (
	errSyntax    = errors.New("Syntax error")
	errUnknown   = errors.New("Unknown command or category name in ACL")
	errAfterKeys = errors.New("Adding a pattern after the * pattern (or the 'allkeys' flag) is not " +
		"valid and does not have any effect. " +
		"Try 'resetkeys' to start with an empty list of patterns")
	errAfterChannels = errors.New("Adding a pattern after the * pattern (or the 'allchannels' flag) is " +
		"not valid and does not have any effect. " +
		"Try 'resetchannels' to start with an empty list of channels")
	errNoPassword = errors.New("The password you are trying to remove from the user does not exist")
	errHash       = errors.New("The password hash must be exactly 64 characters and contain only " +
		"lowercase hexadecimal characters")
	errFirstOfSub = errors.New("Allowing first-arg of a subcommand is not supported")
)

// change applies one word to a selector: "allkeys", "~key:*", "+get".
func (s *Selector) change(word string) error {
	switch strings.ToLower(word) {
	case "allkeys", "~*":
		s.setKeys(true)
		return nil
	case "resetkeys":
		s.setKeys(false)
		return nil
	case "allchannels", "&*":
		s.setChannels(true)
		return nil
	case "resetchannels":
		s.setChannels(false)
		return nil
	case "alldbs": // of Valkey: a right counts in all databases here
		return nil
	case "allcommands":
		word = "+@all"
	case "nocommands":
		word = "-@all"
	case "":
		return errSyntax
	}
	switch word[0] {
	case '~', '%':
		return s.allowKeys(word)
	case '&':
		return s.allowChannels(word[1:])
	case '+':
		return s.allowCommands(word[1:])
	case '-':
		t, known := s.table.targets[strings.ToLower(word[1:])]
		if !known {
			return errUnknown
		}
		s.grant(rule{target: t})
		return nil
	}
	return errSyntax
}

// allowKeys applies "~pattern", "%R~pattern", "%W~pattern" or "%RW~pattern".
func (s *Selector) allowKeys(word string) error {
	if s.allKeys {
		return errAfterKeys
	}
	p := keyPattern{pattern: word[1:], allows: Read | Write}
	if word[0] == '%' {
		var ok bool
		if p, ok = splitPattern(word[1:]); !ok {
			return errSyntax
		}
	}
	if hasSpaces(p.pattern) {
		return errSyntax
	}
	s.addKeys(p)
	return nil
}

// splitPattern parses "R~pattern". As in Redis, the ~ of an empty pattern may be missing.
func splitPattern(word string) (p keyPattern, ok bool) {
	for i := range len(word) {
		switch c := word[i]; {
		case (c == 'R' || c == 'r') && p.allows&Read == 0:
			p.allows |= Read
		case (c == 'W' || c == 'w') && p.allows&Write == 0:
			p.allows |= Write
		case c == '~' && p.allows != 0:
			p.pattern = word[i+1:]
			return p, true
		default:
			return p, false
		}
	}
	return p, p.allows != 0
}

func (s *Selector) allowChannels(pattern string) error {
	switch {
	case s.allChannels:
		return errAfterChannels
	case hasSpaces(pattern):
		return errSyntax
	}
	s.addChannels(pattern)
	return nil
}

// allowCommands applies "get", "@read", "client|kill", or "select|0": a command with a first argument.
func (s *Selector) allowCommands(word string) error {
	if t, known := s.table.targets[strings.ToLower(word)]; known {
		s.grant(rule{target: t, allow: true})
		return nil
	}
	at := strings.LastIndexByte(word, '|')
	if at < 0 {
		return errUnknown
	}
	t, known := s.table.targets[strings.ToLower(word[:at])]
	first := word[at+1:]
	switch {
	case !known || t.own < 0:
		return errUnknown
	case t.sub:
		return errFirstOfSub
	case first == "" || hasSpaces(first):
		return errSyntax
	case t.parent:
		return errUnknown
	}
	s.grant(rule{target: t, allow: true, first: first})
	return nil
}

// hasSpaces reports whether a word has white space or a zero byte. Such a word could not stand in a file.
func hasSpaces(word string) bool { return strings.ContainsAny(word, " \t\n\v\f\r\x00") }
