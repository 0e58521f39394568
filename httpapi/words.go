package httpapi

import (
	"encoding/json"
	"strings"

	"cellserver/internal/quote"
	"cellserver/limiters/phrase"
)

// inNumbers replaces the field limit, which is in people's words, by the fields of the limiter that they
// mean.
func (f fields) inNumbers(text string) (limiter string, p *Problem) {
	m, err := phrase.Read(text)
	switch {
	case err != nil:
		return "", wrong("limit: %v", err)
	case m.Scope != "":
		return "", wrong("limit: 'per' %s is for rules, whose limits have scopes: leave it out",
			quote.Word(m.Scope))
	}
	delete(f, "limit")
	command := strings.Fields(m.Command)
	limiter = strings.ToLower(strings.TrimPrefix(command[0], "CL."))
	numbers := rows[limiter].required[1:]
	values := map[string]any{}
	for i, name := range numbers {
		values[name] = json.Number(command[1+i])
	}
	for rest := command[1+len(numbers):]; len(rest) > 0; {
		name := strings.ToLower(rest[0])
		switch {
		case len(rest) == 1:
			values[name], rest = true, nil
		case name == "resolution":
			values[name], rest = json.Number(rest[1]), rest[2:]
		default:
			values[name], rest = rest[1], rest[2:]
		}
	}
	for name, value := range values {
		if f[name] != nil {
			return "", wrong("%s is there twice: limit says it in words", name)
		}
		f[name] = value
	}
	return limiter, nil
}
