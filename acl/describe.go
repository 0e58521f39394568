package acl

import (
	"encoding/hex"
	"strings"

	"cellserver/internal/quote"
)

// View is a selector as ACL GETUSER shows it.
type View struct{ Commands, Keys, Channels string }

// Flags returns the flags of a user: "on", "nopass".
func (d *Definition) Flags() []string {
	flags := []string{"off"}
	if d.on {
		flags[0] = "on"
	}
	if d.noPass {
		flags = append(flags, "nopass")
	}
	if d.payload != "" {
		flags = append(flags, d.payload)
	}
	return flags
}

// Passwords returns the SHA-256 of each password in hexadecimal.
func (d *Definition) Passwords() []string {
	all := make([]string, len(d.passwords))
	for i, sum := range d.passwords {
		all[i] = hex.EncodeToString(sum[:])
	}
	return all
}

// Views returns the user's own rules, and then its selectors.
func (d *Definition) Views() []View {
	all := make([]View, len(d.selectors))
	for i, s := range d.selectors {
		all[i] = View{Commands: s.describeCommands(), Keys: strings.Join(s.describeKeys(), " "), Channels: strings.Join(s.describeChannels(), " ")}
	}
	return all
}

// String returns the words that make the user, such as "on nopass ~* &* +@all".
func (d *Definition) String() string { return strings.Join(d.words(), " ") }

func (d *Definition) words() []string {
	words := d.Flags()
	for _, p := range d.Passwords() {
		words = append(words, "#"+p)
	}
	words = append(words, d.own().words()...)
	for _, s := range d.selectors[1:] {
		inner := s.words()
		for i, w := range inner {
			if strings.ContainsAny(w, `"'`) {
				inner[i] = quote.Quote(w)
			} else if strings.HasSuffix(w, ")") { // without quotes it would end the selector
				inner[i] = `'` + w + `'`
			}
		}
		words = append(words, "("+strings.Join(inner, " ")+")")
	}
	return words
}

// words returns the words that make the selector.
func (s *Selector) words() []string {
	words := s.describeKeys()
	for i, word := range words {
		if word == "~*" && !s.allKeys { // after ~* a file may have no further pattern
			words[i] = "%RW~*"
		}
	}
	if !s.allChannels {
		words = append(words, "resetchannels")
	}
	words = append(words, s.describeChannels()...)
	return append(words, strings.Split(s.describeCommands(), " ")...)
}

func (s *Selector) describeKeys() []string {
	if s.allKeys {
		return []string{"~*"}
	}
	var words []string
	for _, p := range s.keys {
		sign := map[Permission]string{Read: "%R~", Write: "%W~", Read | Write: "~"}[p.allows]
		words = append(words, sign+p.pattern)
	}
	return words
}

func (s *Selector) describeChannels() []string {
	if s.allChannels {
		return []string{"&*"}
	}
	var words []string
	for _, p := range s.channels {
		words = append(words, "&"+p)
	}
	return words
}

// describeCommands returns the rules about commands. As in Redis, +@all or -@all comes first.
func (s *Selector) describeCommands() string {
	var words []string
	if len(s.rules) == 0 || s.rules[0].name != "@all" {
		words = append(words, "-@all")
	}
	for _, r := range s.rules {
		word := "-" + r.name
		if r.allow {
			word = "+" + r.name
		}
		if r.first != "" {
			word += "|" + r.first
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
