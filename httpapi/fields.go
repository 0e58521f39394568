package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cellserver/httpapi/keysource"
)

// fields are the fields of a body.
type fields map[string]any

// readFields decodes the body of a request whose parameters are all in it.
func readFields(w http.ResponseWriter, r *http.Request) (fields, *Problem) {
	if err := allow(w, r, http.MethodPost); err != nil {
		return nil, err
	}
	isJSON, err := hasJSON(r)
	if err != nil {
		return nil, err
	}
	if !isJSON || r.URL.RawQuery != "" {
		return nil, wrong("send the parameters as JSON, with Content-Type: application/json")
	}
	body := fields{}
	return body, readBody(w, r, &body)
}

// ofScopes returns the problem of a request whose number of keys is not that of the scopes of the rule. The command
// then has too few words, or a word too much. p is the problem that the server has reported. If p is nil, the caller
// has noticed the wrong number itself.
func ofScopes(p *Problem) *Problem {
	if p == nil || strings.HasPrefix(p.Detail, "wrong number of arguments") ||
		strings.HasPrefix(p.Detail, "syntax error") {
		return wrong("give one key for each scope of the rule")
	}
	return p
}

// maxText is the most bytes of a text that is not a key.
const maxText = 1024

// take removes a text or a number from the body, as a word of a command.
func (f fields) take(name string) (word string, ok bool, p *Problem) {
	value := f[name]
	delete(f, name)
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	switch {
	case value == nil:
		return "", false, nil
	case isText && len(text) > maxText && name == "key":
		return keysource.Shorten(text), true, nil
	case isText && len(text) > maxText:
		return "", false, wrong("%s has more than %d bytes", name, maxText)
	case takesText(name) && !isText:
		return "", false, mustBe(name, "a text in quotes", value)
	case isText && (takesText(name) || name == "day"):
		return text, true, nil
	case !isNumber:
		return "", false, mustBe(name, "a number without quotes", value)
	}
	if word, ok = plain(number); !ok {
		return "", false, mustBe(name, fmt.Sprintf("a number of at most %d digits", maxNumber), value)
	}
	return word, true, nil
}

// mustBe is the problem of a value of the wrong type. It repeats the value.
func mustBe(name, kind string, value any) *Problem {
	text, err := json.Marshal(value)
	if err != nil {
		text = nil // the value was JSON, so this does not occur
	}
	return wrong("%s must be %s, and not %.40s", name, kind, text)
}

// takesText reports whether a field is a text. All others are numbers.
// A day may also be the name of a weekday.
func takesText(name string) bool {
	return slices.Contains([]string{"key", "holder", "id", "tz", "scope", "rule"}, name)
}

// takeOption removes an option from the body. It returns the words of the command for it.
func (f fields) takeOption(name string) ([]string, *Problem) {
	if unit, ok := f[name].(string); ok && name == "align" && slices.Contains(units, unit) {
		delete(f, name)
		return []string{"ALIGN", unit}, nil
	}
	if isSwitch(name) {
		on, err := f.takeSwitch(name)
		if !on {
			return nil, err
		}
		return []string{strings.ToUpper(name)}, nil
	}
	word, ok, err := f.take(name)
	if !ok {
		return nil, err
	}
	return []string{strings.ToUpper(name), word}, nil
}

// isSwitch reports whether a field is true or false.
func isSwitch(name string) bool {
	return slices.Contains([]string{"peek", "align", "strict", "release"}, name)
}

// units are the values of align beside true and false.
var units = []string{"day", "week", "month"}

// takeSwitch removes a field that is true or false from the body.
func (f fields) takeSwitch(name string) (on bool, p *Problem) {
	value := f[name]
	delete(f, name)
	on, ok := value.(bool)
	switch {
	case value == nil || ok:
		return on, nil
	case name == "align":
		return false, mustBe(name, "true, false, day, week or month", value)
	}
	return false, mustBe(name, "true or false", value)
}

// empty returns the problem of a body with fields that the request does not take.
func (f fields) empty() *Problem {
	for name := range f {
		return wrong("unknown field %.64q: this request does not take it", name)
	}
	return nil
}

// takeRule removes the name of a rule from the body.
func (f fields) takeRule() (string, *Problem) {
	name, _, err := f.take("rule")
	if err == nil && name == "" {
		err = wrong("rule is missing: give the name of a rule")
	}
	return name, err
}

// takeList removes a list from the body. It may have as many values as a request has rules.
func (f fields) takeList(name string) ([]any, *Problem) {
	value := f[name]
	delete(f, name)
	list, ok := value.([]any)
	switch {
	case value != nil && !ok:
		return nil, mustBe(name, "a list", value)
	case len(list) > maxRules:
		return nil, wrong("%s has more than %d values", name, maxRules)
	}
	return list, nil
}

// takeKeys removes the keys from the body: key, or keys with one for each scope.
func (f fields) takeKeys() (keys []string, p *Problem) {
	list, p := f.takeList("keys")
	if p != nil {
		return nil, p
	}
	if one := f["key"]; one != nil && list == nil {
		list = []any{one}
		delete(f, "key")
	}
	for _, one := range list {
		key, ok, err := fields{"key": one}.take("key")
		if err == nil && !ok {
			err = mustBe("key", "a text in quotes", one)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, keysource.Shorten(key))
	}
	return keys, nil
}

// needKeys removes the keys of a request that names them in its body only.
func (f fields) needKeys() ([]string, *Problem) {
	keys, err := f.takeKeys()
	if err == nil && len(keys) == 0 {
		err = problem(http.StatusBadRequest, missingKey,
			"give key, or keys with a key for each scope of the rule")
	}
	return keys, err
}
