package httpapi

import (
	"net/http"
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

// takeRule removes the name of a rule from the body.
func (f fields) takeRule() (string, *Problem) {
	name, ok := f["rule"].(string)
	delete(f, "rule")
	if !ok || name == "" {
		return "", wrong("rule must be the name of a rule")
	}
	return name, nil
}

// takeKeys removes the keys from the body: key, or keys with one for each scope.
func (f fields) takeKeys() ([]string, *Problem) {
	list, several := f["keys"].([]any)
	if one, ok := f["key"]; ok && !several {
		list = []any{one}
		delete(f, "key")
	}
	if several {
		delete(f, "keys")
	}
	if len(list) == 0 || len(list) > maxRules {
		return nil, problem(http.StatusBadRequest, missingKey, "give key, or keys with a key for each scope of the rule, at most %d", maxRules)
	}
	keys := make([]string, len(list))
	for i, one := range list {
		key, ok := one.(string)
		if !ok {
			return nil, wrong("a key must be a text: number %d of the keys is another value", i+1)
		}
		keys[i] = keysource.Shorten(key)
	}
	return keys, nil
}
