package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"cellserver/httpapi/keysource"
	"cellserver/internal/quote"
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
	return readBody(w, r)
}

// maxText is the most bytes of a text that is not a key.
const maxText = 1024

// take removes a text or a number from the body, as a word of a command.
func (f fields) take(name string) (word string, ok bool, p *Problem) {
	value := f[name]
	delete(f, name)
	text, isText := value.(string)
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
	}
	word, p = wordOf(name, value)
	return word, p == nil, p
}

// wordOf returns a number as a word of a command.
func wordOf(name string, value any) (string, *Problem) {
	number, isNumber := value.(json.Number)
	if !isNumber {
		return "", mustBe(name, "a number without quotes", value)
	}
	word, ok := plain(number)
	if !ok {
		return "", mustBe(name, fmt.Sprintf("a number of at most %d digits", maxNumber), value)
	}
	return word, nil
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
	return slices.Contains([]string{
		"key", "holder", "id", "tz", "scope", "rule", "by", "algorithm", "partition", "outcome",
	}, name)
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
	return slices.Contains([]string{"peek", "align", "strict", "release", "charge"}, name)
}

// units are the values of align beside true and false.
var units = []string{"day", "week", "month", "year"}

// takeSwitch removes a field that is true or false from the body.
func (f fields) takeSwitch(name string) (on bool, p *Problem) {
	value := f[name]
	delete(f, name)
	on, ok := value.(bool)
	switch {
	case value == nil || ok:
		return on, nil
	case name == "align":
		return false, mustBe(name, "true, false, day, week, month or year", value)
	}
	return false, mustBe(name, "true or false", value)
}

// empty returns the problem of a body with fields that the request does not take. A field with null is none.
func (f fields) empty() *Problem {
	if maps.DeleteFunc(f, func(_ string, value any) bool { return value == nil }); len(f) == 0 {
		return nil
	}
	name := slices.Min(slices.Collect(maps.Keys(f))) // the same request has the same answer
	return wrong("unknown field %.64q: this request does not take it", name)
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
	case value != nil && !ok && name == "keys":
		return nil, mustBe(name, "a list, or an object with the names of scopes", value)
	case value != nil && !ok:
		return nil, mustBe(name, "a list", value)
	case len(list) > maxRules:
		return nil, wrong("%s has more than %d values", name, maxRules)
	}
	return list, nil
}

// keys are those of a rule in a body. scopes has the name of the scope of each; it is nil if they have the
// order of the rule.
type keys struct{ all, scopes []string }

// takeKeys removes the keys of a rule from the body: key or keys. keys is a list, or an object with the
// names of the scopes.
func (f fields) takeKeys() (k keys, p *Problem) {
	if list, ok := f["keys"].([]any); f["key"] != nil && f["keys"] != nil && (!ok || len(list) > 0) {
		return k, wrong("key and keys are both there: give one of them")
	}
	object, named := f["keys"].(map[string]any)
	var values []any
	switch {
	case named:
		delete(f, "keys")
		for _, scope := range slices.Sorted(maps.Keys(object)) {
			k.scopes, values = append(k.scopes, scope), append(values, object[scope])
		}
	case f["keys"] != nil:
		if values, p = f.takeList("keys"); p != nil {
			return k, p
		}
	}
	if one := f["key"]; one != nil && values == nil && !named {
		values = []any{one}
		delete(f, "key")
	}
	for i, value := range values {
		name, text, ok := "key", "", false
		if named {
			name = k.scopes[i]
		}
		switch text, ok = value.(string); {
		case !ok:
			return k, mustBe(fmt.Sprintf("%.40s", name), "a text in quotes", value)
		case i == maxRules:
			return k, wrong("keys has more than %d values", maxRules)
		case name == "" || strings.Contains(name, ","):
			return k, wrong("keys: %s is not the name of a scope", quote.Word(name))
		}
		k.all = append(k.all, keysource.Shorten(text))
	}
	return k, nil
}

// missing reports whether a key is missing or empty.
func (k *keys) missing() bool { return k.all == nil || slices.Contains(k.all, "") }

const missingKeys = "give key, or keys with a key for each scope of the rule"

// of returns the name of a rule with the scopes of the keys, as the commands have it: llm@org,user. Without
// names of scopes there are only the commas, so that the command knows how many keys there are.
func (k *keys) of(rule string) (string, *Problem) {
	_, scopes, named := strings.Cut(rule, "@")
	switch {
	case named && k.scopes != nil:
		return "", wrong("rule %s and keys both name scopes: name them in keys alone", quote.Word(rule))
	case named && strings.Count(scopes, ",")+1 != len(k.all):
		return "", wrong("rule %s names %d scopes, and there are %d keys", quote.Word(rule),
			strings.Count(scopes, ",")+1, len(k.all))
	case named:
		return rule, nil
	case k.scopes != nil:
		return rule + "@" + strings.Join(k.scopes, ","), nil
	}
	return rule + "@" + strings.Repeat(",", len(k.all)-1), nil
}

// takeLimits removes the limits from the body, which must have no other field.
func (f fields) takeLimits() ([]string, *Problem) {
	value := f["limits"]
	limits, ok := value.(string)
	if value != nil && !ok {
		return nil, mustBe("limits", "a text in quotes", value)
	}
	delete(f, "limits")
	if err := f.empty(); err != nil {
		return nil, err
	}
	words := strings.Fields(limits)
	if len(words) == 0 {
		return nil, wrong("limits must be those of CL.RULE SET, such as 100/minute or CL.THROTTLE 4 5 60")
	}
	return words, nil
}
