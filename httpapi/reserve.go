package httpapi

import (
	"net/http"
	"strings"

	"cellserver/httpapi/keysource"
	"cellserver/httpapi/line"
)

// reservation and settlement say how a body becomes the words of a command after the keys.
var (
	reservation = limiter{command: "CL.RESERVE", required: []string{"quantity", "id", "ttl"}, options: []string{"release", "peek"}}
	settlement  = limiter{command: "CL.SETTLE", required: []string{"id", "quantity"}, options: looks, always: true}
)

// budget answers /reserve and /settle: an estimate of a cost, and the real cost.
func (a *API) budget(w http.ResponseWriter, r *http.Request, row *limiter) *Problem {
	body, err := readFields(w, r)
	if err != nil {
		return err
	}
	rule, err := body.takeRule()
	if err != nil {
		return err
	}
	keys, err := body.takeKeys()
	if err != nil {
		return err
	}
	words, err := row.args(body)
	if err != nil {
		return err
	}
	var d decision
	args := append(append([]string{row.command, rule}, keys...), words[1:]...)
	if row == &reservation {
		args = append(args, "EXPLAIN")
	}
	if err := a.do(r.Context(), args, func(reply line.Reply) { d.readReserved(&reply, rule) }); err != nil {
		return ofScopes(err)
	}
	d.write(w, row.refused())
	return nil
}

// ofScopes returns the problem of a request whose number of keys is not that of the scopes of the rule. The command then has
// too few words, or a word too much. A nil p is such a problem.
func ofScopes(p *Problem) *Problem {
	if p == nil || strings.HasPrefix(p.Detail, "wrong number of arguments") || p.Detail == "syntax error" {
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
		if !ok || len(key) > keysource.MaxKey {
			return nil, wrong("a key must be a text of at most %d bytes", keysource.MaxKey)
		}
		keys[i] = key
	}
	return keys, nil
}
