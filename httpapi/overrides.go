package httpapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"cellserver/httpapi/keysource"
	"cellserver/internal/quote"
	"cellserver/limiters/ruleset"
	"cellserver/resp"
)

// listedOverride is the override of a key. The scope of a rule without scopes is "-".
type listedOverride struct {
	Scope  string   `json:"scope"`
	Key    string   `json:"key"`
	Limits []string `json:"limits"`
	Words  string   `json:"words,omitempty"` // the limits in people's words; "" for none
}

// overrides answers /overrides/NAME: GET lists the overrides of a rule, PUT sets that of a key, and DELETE
// removes it.
func (a *API) overrides(w http.ResponseWriter, r *http.Request, cfg Config, rule string) *Problem {
	if err := allow(w, r, http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete); err != nil {
		return err
	}
	var words []string
	var scope, key string
	var err *Problem
	switch r.Method {
	case http.MethodPut:
		scope, key, words, err = readOverride(w, r)
	case http.MethodDelete:
		words = []string{"DEL"}
		scope, key, err = overrideOf(r.URL.RawQuery)
	default:
		return a.listOverrides(w, r, cfg, rule)
	}
	if err != nil {
		return err
	}
	command := append([]string{"CL.RULE", "OVERRIDE", rule, scope, keysource.Shorten(key)}, words...)
	return a.change(w, r, command)
}

// readOverride reads the override of a body.
func readOverride(w http.ResponseWriter, r *http.Request) (scope, key string, words []string, p *Problem) {
	body, p := readLimitsBody(w, r)
	if p != nil {
		return "", "", nil, p
	}
	scope, named, p := body.take("scope")
	if !named {
		scope = noScope
	}
	keyed := false
	if p == nil {
		key, keyed, p = body.take("key")
	}
	if p == nil && !keyed {
		p = problem(http.StatusBadRequest, missingKey, "key is missing: give that of the override")
	}
	if p == nil {
		words, p = body.takeLimits()
	}
	if p == nil && len(words) == 1 && strings.EqualFold(words[0], "DEL") {
		p = wrong("limits %s: to remove an override, send DELETE", quote.Word(words[0]))
	}
	return scope, key, words, p
}

// noScope names the scope of a rule without scopes.
const noScope = "-"

// overrideOf reads the scope and the key of a query.
func overrideOf(query string) (scope, key string, p *Problem) {
	all, err := url.ParseQuery(query)
	if err != nil {
		return "", "", wrong("the query has a wrong escape")
	}
	for name, values := range all {
		switch {
		case name != "scope" && name != "key":
			return "", "", wrong("unknown parameter %s: use scope and key", quote.Word(name))
		case len(values) > 1:
			return "", "", wrong("%s is there twice", name)
		}
	}
	if !all.Has("key") {
		return "", "", problem(http.StatusBadRequest, missingKey, "name the key of the override: ?key=…")
	}
	return cmp.Or(all.Get("scope"), noScope), all.Get("key"), nil
}

// listOverrides answers with the overrides of a rule, sorted by scope and key. They show keys.
func (a *API) listOverrides(w http.ResponseWriter, r *http.Request, cfg Config, rule string) *Problem {
	if !cfg.Keys && !cfg.Writes {
		return problem(http.StatusForbidden, forbidden,
			"overrides show keys: set http-page-keys to yes, or http-page to write")
	}
	text, get := "", []string{"CL.RULE", "GET", rule, "JSON"}
	if err := a.do(r.Context(), get, func(reply resp.Reply) { text = reply.Text() }); err != nil {
		return err
	}
	if text == "" {
		return ofReply("ERR no such rule: " + quote.Word(rule))
	}
	var found struct {
		Limits    []string        `json:"limits"` // nil if the rule has scopes
		Overrides json.RawMessage `json:"overrides"`
	}
	own, byScope := map[string][]string{}, map[string]map[string][]string{}
	_ = json.Unmarshal([]byte(text), &found) // the server has written it
	if found.Limits != nil {
		_ = json.Unmarshal(found.Overrides, &own)
		byScope[noScope] = own
	} else {
		_ = json.Unmarshal(found.Overrides, &byScope)
	}
	answer := struct {
		Overrides []listedOverride `json:"overrides"`
	}{[]listedOverride{}}
	for _, scope := range slices.Sorted(maps.Keys(byScope)) {
		for _, key := range slices.Sorted(maps.Keys(byScope[scope])) {
			limits := byScope[scope][key]
			words := ruleset.Words(strings.Join(limits, " AND "))
			answer.Overrides = append(answer.Overrides, listedOverride{scope, key, limits, words})
		}
	}
	return writeJSON(w, &answer)
}
