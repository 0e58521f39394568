package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
)

// Definition is what a user may do, and its passwords.
type Definition struct {
	on, noPass bool
	payload    string // "sanitize-payload", "skip-sanitize-payload", or "" until a rule names one of them
	passwords  [][sha256.Size]byte
	selectors  []*Selector // the first one has the user's own rules
}

// newDefinition returns the definition of a new user: it is off, and may do nothing.
func newDefinition(t *Table, allChannels bool) *Definition {
	return &Definition{selectors: []*Selector{newSelector(t, allChannels)}}
}

func (d *Definition) clone() *Definition {
	c := *d
	c.passwords, c.selectors = slices.Clone(d.passwords), slices.Clone(d.selectors)
	for i, s := range c.selectors {
		c.selectors[i] = s.clone()
	}
	return &c
}

// Absent returns the names of the commands that the rules name and that this server does not have, sorted.
func (d *Definition) Absent() (names []string) {
	for _, s := range d.selectors {
		for _, r := range s.rules {
			if s.absent(r) {
				names = append(names, r.name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// own returns the selector of the user's own rules.
func (d *Definition) own() *Selector { return d.selectors[0] }

// accepts reports whether a password is one of the user's. Its time depends on the number of passwords only.
func (d *Definition) accepts(sum [sha256.Size]byte) bool {
	right := 0
	for _, p := range d.passwords {
		right |= subtle.ConstantTimeCompare(p[:], sum[:])
	}
	return d.on && (d.noPass || right == 1)
}
