package acl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"cellserver/internal/quote"
)

// WordError says which word of a user's rules is wrong, and why.
type WordError struct {
	Word   string
	Reason error
}

// Error implements error.
func (e *WordError) Error() string { return fmt.Sprintf("'%s': %s", e.Word, e.Reason) }

// Unwrap returns the reason.
func (e *WordError) Unwrap() error { return e.Reason }

// OpenError says that a parenthesis is not closed.
type OpenError struct{ Word string }

// Error has the text of Redis.
func (e *OpenError) Error() string {
	return fmt.Sprintf("Unmatched parenthesis in acl selector starting at '%s'.", e.Word)
}

// editor changes definitions.
type editor struct {
	table       *Table
	allChannels bool // what acl-pubsub-default says of new selectors
}

// modify applies the words of ACL SETUSER to a definition.
func (e editor) modify(d *Definition, words []string) error {
	if err := short(words); err != nil {
		return err
	}
	words, err := join(words)
	if err != nil {
		return err
	}
	for _, w := range words {
		if err := e.word(d, w); err != nil {
			return &WordError{w, err}
		}
		if d.size() > MaxUserBytes {
			return &WordError{w, fmt.Errorf("the rules of one user have at most %d bytes", MaxUserBytes)}
		}
	}
	return nil
}

// maxWords bounds the words of one change in bytes.
const maxWords = 4 * MaxUserBytes

func short(words []string) error {
	n := 0
	for _, w := range words {
		n += len(w) + 1
	}
	if n > maxWords {
		return fmt.Errorf("the words of one change have at most %d bytes", maxWords)
	}
	return nil
}

// join makes one word of each selector: an argument may hold one word of it.
func join(words []string) ([]string, error) {
	var all []string
	open := -1 // the word that begins a selector
	for i, w := range words {
		switch {
		case open < 0 && strings.HasPrefix(w, "(") && !strings.HasSuffix(w, ")"):
			open = i
		case open < 0:
			all = append(all, w)
		case strings.HasSuffix(w, ")"):
			all, open = append(all, strings.Join(words[open:i+1], " ")), -1
		}
	}
	if open >= 0 {
		return nil, &OpenError{words[open]}
	}
	return all, nil
}

// word applies one word.
func (e editor) word(d *Definition, word string) error {
	if word == "" {
		return nil
	}
	switch lower := strings.ToLower(word); lower {
	case "on", "off":
		d.on = lower == "on"
		return nil
	case "sanitize-payload", "skip-sanitize-payload":
		d.payload = lower
		return nil
	case "nopass", "resetpass":
		d.noPass, d.passwords = lower == "nopass", nil
		return nil
	case "clearselectors":
		d.selectors = d.selectors[:1]
		return nil
	case "reset":
		e.reset(d)
		return nil
	}
	switch {
	case word[0] == '>' || word[0] == '#':
		return d.addPassword(word)
	case word[0] == '<' || word[0] == '!':
		return d.dropPassword(word)
	case word[0] == '(' && word[len(word)-1] == ')':
		return e.addSelector(d, word[1:len(word)-1])
	}
	return d.own().change(word)
}

// reset makes a definition as new.
func (e editor) reset(d *Definition) {
	*d = *newDefinition(e.table, e.allChannels)
	d.payload = "sanitize-payload"
}

// setPassword gives a user one password, or none if it is empty.
func (e editor) setPassword(d *Definition, password string) {
	d.noPass, d.passwords = password == "", nil
	if password != "" {
		d.passwords = [][sha256.Size]byte{sha256.Sum256([]byte(password))}
	}
}

// addSelector adds the selector whose words are between parentheses.
func (e editor) addSelector(d *Definition, text string) error {
	words, err := quote.Split(text)
	if err != nil {
		return errSyntax
	}
	if len(d.selectors) > MaxSelectors {
		return fmt.Errorf("a user has at most %d selectors", MaxSelectors)
	}
	s := newSelector(e.table, e.allChannels)
	for _, w := range words {
		if err := s.change(w); err != nil {
			return err
		}
	}
	d.selectors = append(d.selectors, s)
	return nil
}

// addPassword adds ">password" or "#hash".
func (d *Definition) addPassword(word string) error {
	sum, err := parsePassword(word, '>')
	if err != nil {
		return err
	}
	if !slices.Contains(d.passwords, sum) {
		d.passwords = append(d.passwords, sum)
	}
	d.noPass = false
	return nil
}

// dropPassword removes "<password" or "!hash".
func (d *Definition) dropPassword(word string) error {
	sum, err := parsePassword(word, '<')
	if err != nil {
		return err
	}
	i := slices.Index(d.passwords, sum)
	if i < 0 {
		return errNoPassword
	}
	d.passwords = slices.Delete(d.passwords, i, i+1)
	return nil
}

// parsePassword returns the SHA-256 of a password. The word has the password itself after the sign plain,
// else its hash.
func parsePassword(word string, plain byte) (sum [sha256.Size]byte, err error) {
	if word[0] == plain {
		return sha256.Sum256([]byte(word[1:])), nil
	}
	n, err := hex.Decode(sum[:], []byte(word[1:min(len(word), 1+2*sha256.Size)]))
	if err != nil || n != len(sum) || len(word) != 1+2*sha256.Size || strings.ToLower(word) != word {
		return sum, errHash
	}
	return sum, nil
}

// size returns about how many bytes the description has.
func (d *Definition) size() int {
	n := len(d.passwords) * (2*sha256.Size + 2)
	for _, s := range d.selectors {
		n += len("( resetchannels -@all)") + s.patternBytes + s.ruleBytes
	}
	return n
}
