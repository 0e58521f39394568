package ruleset

import (
	"bytes"
	"fmt"
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters/phrase"
)

// MaxRuleBytes bounds the text of a rule and of an override.
const MaxRuleBytes = 1024

// ErrRuleBytes is the error of a longer text.
var ErrRuleBytes = rediserr.Error(fmt.Sprintf("ERR a rule has at most %d bytes", MaxRuleBytes))

// noScope is the word for the scope of a rule without SCOPE.
const noScope = "-"

// commandsOf translates limits in people's words to commands, which are what is stored. Limits of commands
// stay as they are. One argument may have several words. An override is `in` the scope of its key.
func commandsOf(words [][]byte, in string) ([][]byte, error) {
	text := bytes.Join(words, space)
	if len(text) > MaxRuleBytes {
		return nil, ErrRuleBytes
	}
	words = bytes.Fields(text)
	all := make([][]byte, 0, len(words))
	for {
		one, rest := cutAnd(words)
		own, err := commandOf(one, in)
		if err != nil {
			return nil, err
		}
		if all = append(all, own...); rest == nil {
			return all, nil
		}
		all, words = append(all, words[len(one)]), rest
	}
}

var space = []byte(" ")

// cutAnd splits words at the first AND. Without AND, after is nil.
func cutAnd(words [][]byte) (before, after [][]byte) {
	for i, w := range words {
		if word.Is(w, "and") {
			return words[:i], words[i+1:]
		}
	}
	return words, nil
}

// commandOf translates one limit, which may begin with SCOPE and end with SHADOW.
func commandOf(words [][]byte, in string) ([][]byte, error) {
	limit, shadow, scope := words, [][]byte(nil), in
	if in == "" && len(words) > 1 && word.Is(words[0], "scope") {
		limit, scope = words[2:], string(words[1])
	}
	if len(limit) == 0 || !phrase.Is(limit[0]) {
		return words, nil
	}
	if last := len(limit) - 1; word.Is(limit[last], "shadow") && !word.Is(limit[last-1], "per") {
		limit, shadow = limit[:last], limit[last:]
	}
	m, err := phrase.Read(string(bytes.Join(limit, space)))
	switch {
	case err != nil:
		return nil, rediserr.Error("ERR " + err.Error())
	case in == noScope && m.Scope != "" && m.Scope != noScope:
		return nil, rediserr.Error("ERR 'per' " + quote.Word(m.Scope) + ": the rule has no scopes: leave it out")
	case scope != "" && m.Scope != "" && m.Scope != scope:
		return nil, rediserr.Error("ERR 'per' " + quote.Word(m.Scope) +
			": the scope of this limit is " + quote.Word(scope))
	case m.Scope != "":
		scope = m.Scope
	}
	if in == "" && scope != "" {
		m.Command = "SCOPE " + scope + " " + m.Command
	}
	return append(bytes.Fields([]byte(m.Command)), shadow...), nil
}

// Words translates the text of a rule or of an override to people's words, as CL.RULE SET reads them. A limit
// without words is its command. If no limit has words, or a rule cannot have as many, the result is "".
func Words(text string) string {
	found := false
	var all []string
	for rest := bytes.Fields([]byte(text)); rest != nil; {
		var one [][]byte
		one, rest = cutAnd(rest)
		words := wordsOf(one)
		if words == "" {
			words = string(bytes.Join(one, space))
		} else {
			found = true
		}
		all = append(all, words)
	}
	if text = strings.Join(all, " AND "); !found || len(text) > MaxRuleBytes {
		return ""
	}
	return text
}

// wordsOf translates one limit, which may begin with SCOPE and end with SHADOW, to people's words. It returns
// "" if no words mean it.
func wordsOf(limit [][]byte) string {
	scope, shadow := "", ""
	if last := len(limit) - 1; last > 0 && word.Is(limit[last], "shadow") {
		limit, shadow = limit[:last], " SHADOW"
	}
	if len(limit) > 1 && word.Is(limit[0], "scope") {
		scope, limit = string(limit[1]), limit[2:]
	}
	command := string(bytes.Join(limit, space))
	if words := phrase.Words(command, scope); words != "" {
		return words + shadow
	}
	if words := phrase.Words(command, ""); words != "" {
		return "SCOPE " + scope + " " + words + shadow
	}
	return ""
}
