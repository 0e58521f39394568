package acl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// MaxFileBytes bounds the size of a file of users.
const MaxFileBytes = 2 * MaxBytes

// Change says which users no longer exist or have other rights.
type Change struct{ Deleted, Changed []*User }

// Load replaces all users by those of a file. A user whose name stays keeps its connections. A file with an
// error changes nothing; the error names all faults with their lines, in the words of Redis. password is
// requirepass: the default user has it if the file does not name that user.
func (u *Users) Load(name string, text []byte, password string, allChannels bool) (Change, error) {
	f := file{name: name, editor: editor{u.table, allChannels}, found: map[string]*Definition{}}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) { // editors put a byte order mark before a text
		number++
		f.line(number, strings.Trim(string(line), " \t\r\n"))
	}
	if f.found[DefaultName] == nil {
		d := defaultDefinition(u.table)
		f.editor.setPassword(d, password)
		f.found[DefaultName] = d
	}
	if f.faults.Len() == 0 {
		if err := bounded(f.found); err != nil {
			f.fault("%v. ", err)
		}
	}
	if f.faults.Len() > 0 {
		return Change{}, errors.New(f.faults.String() + "WARNING: ACL errors detected, no change to " +
			"the previously active ACL rules was performed")
	}
	return u.replace(f.found), nil
}

// file is a file of users while it is read.
type file struct {
	name string
	editor
	found  map[string]*Definition
	faults strings.Builder
}

// maxFaults bounds the bytes of an error before its last fault.
const maxFaults = 4096

func (f *file) fault(format string, args ...any) {
	if f.faults.Len() < maxFaults {
		fmt.Fprintf(&f.faults, format, args...)
	}
}

// line reads "user name word…".
func (f *file) line(number int, line string) {
	if line == "" {
		return
	}
	words := strings.Split(line, " ")
	if words[0] != "user" || len(words) < 2 {
		f.fault("%s:%d should start with user keyword followed by the username. ", f.name, number)
		return
	}
	name, words := words[1], words[2:]
	switch {
	case hasSpaces(name):
		f.fault("'%s:%d: username '%s' contains invalid characters. ", f.name, number, name)
		return
	case f.found[name] != nil:
		f.fault("WARNING: Duplicate user '%s' found on line %d. ", name, number)
		return
	}
	d := newDefinition(f.table, f.allChannels)
	f.found[name] = d
	words, err := join(words)
	if err != nil {
		f.fault("%s:%d: Unmatched parenthesis in selector definition. ", f.name, number)
		return
	}
	for _, w := range words {
		w = strings.Trim(w, "\t\r\n")
		switch err := f.modify(d, []string{w}); {
		case errors.Is(err, errUnknown):
			f.fault("%s:%d: Error in applying operation '%s': %v. ", f.name, number, w, errUnknown)
		case err != nil:
			f.fault("%s:%d: %v. ", f.name, number, reason(err))
		}
	}
}

// reason returns what is wrong with a word, without the word.
func reason(err error) error {
	if wrong, is := errors.AsType[*WordError](err); is {
		return wrong.Reason
	}
	return err
}

// Line is the definition of a user in the configuration.
type Line struct {
	Place string   // where it stands, for the error
	Words []string // the name and the words of ACL SETUSER
}

// Define makes the users of the configuration. An error names the line, and changes nothing.
func (u *Users) Define(lines []Line, allChannels bool) error {
	e, found := editor{u.table, allChannels}, map[string]*Definition{DefaultName: u.Default.Definition()}
	named := map[string]bool{}
	for _, l := range lines {
		name := l.Words[0]
		switch {
		case hasSpaces(name):
			return fmt.Errorf("%s: Error in user declaration '%s': %w", l.Place, name, ErrName)
		case named[name]:
			return fmt.Errorf("%s: Error in user declaration '%s': Duplicate user found. A user can only be defined once in config files", l.Place, name)
		}
		d := newDefinition(u.table, allChannels)
		if name == DefaultName {
			e.reset(d)
		}
		named[name], found[name] = true, d
		if err := e.modify(d, l.Words[1:]); err != nil {
			return fmt.Errorf("%s: Error in user declaration '%s': %w", l.Place, name, err)
		}
	}
	if err := bounded(found); err != nil {
		return err
	}
	u.replace(found)
	return nil
}

// bounded returns an error if there are too many users, or their lines are too long.
func bounded(all map[string]*Definition) error {
	bytes := 0
	for name, d := range all {
		bytes += lineSize(name, d)
	}
	switch {
	case len(all) > MaxUsers:
		return errUsers
	case bytes > MaxBytes:
		return errBytes
	}
	return nil
}

// replace puts the definitions of all users into force.
func (u *Users) replace(all map[string]*Definition) (c Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, user := range u.byName {
		if all[name] == nil {
			u.remove(user)
			c.Deleted = append(c.Deleted, user)
		}
	}
	u.bytes = 0
	for name, d := range all {
		u.bytes += lineSize(name, d)
		if user := u.byName[name]; user != nil {
			user.become(d)
			c.Changed = append(c.Changed, user)
		} else {
			u.byName[name] = newUser(name, d)
		}
	}
	return c
}

// File returns all users as the lines of a file.
func (u *Users) File() []byte {
	var b bytes.Buffer
	for _, user := range u.All() {
		b.WriteString(user.Line() + "\n")
	}
	return b.Bytes()
}

// Lines returns the users for the configuration. It leaves out the default user if requirepass alone makes
// the same.
func (u *Users) Lines(password string) []Line {
	plain := defaultDefinition(u.table)
	editor{table: u.table}.setPassword(plain, password)
	var lines []Line
	for _, user := range u.All() {
		if d := user.Definition(); user != u.Default || d.String() != plain.String() {
			lines = append(lines, Line{Words: append([]string{user.name}, d.words()...)})
		}
	}
	return lines
}
