package ruleurl

import (
	"bytes"
	"fmt"
)

// A Copy is a file with the last valid rules. A server that starts without the rules service uses them.
type Copy interface {
	Read() ([]byte, error)
	Write(text []byte) error
}

// heading is the first line of the copy. It says of which URL the rules are.
func heading(name string) []byte {
	return fmt.Appendf(nil, "# cellserver writes this file. It has the last rules of %s\n", name)
}

// restore puts the rules of the copy in force, if they are of this URL.
func (s *Source) restore() (restored bool) {
	kept, err := s.Copy.Read()
	if err != nil {
		return false // there is no copy yet
	}
	text, ok := bytes.CutPrefix(kept, heading(s.name))
	if !ok {
		return false
	}
	if err := s.Use(s.name, text); err != nil {
		s.Log.Warn("the copy of the last rules is refused: the rules-url replaces it when it answers",
			"error", err)
		return false
	}
	s.Log.Info("the copy of the last rules is in force until the rules-url answers", "url", s.name)
	return true
}

// keep writes the copy.
func (s *Source) keep(text []byte) {
	if err := s.Copy.Write(append(heading(s.name), text...)); err != nil {
		s.Log.Warn("the copy of the rules cannot be written, so a start without the rules-url has no rules: make room in dir", "error", err)
	}
}
