package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cellserver/resp"
)

// explain answers /explain/RULE?key=…: the decision of the rule, limit by limit. It counts nothing.
func (a *API) explain(w http.ResponseWriter, r *http.Request, cfg Config, rule string) *Problem {
	x := a.begin(r, cfg)
	defer x.end()
	if err := x.readQuestion(w, r, rule); err != nil {
		return err
	}
	switch {
	case rule == "" || slices.ContainsFunc(x.rules, func(name string) bool { return !isOf(name, rule) }):
		return wrong("name one rule: /explain/RULE?key=…")
	case x.missing.allow || x.missing.deny || x.missing.skip || x.preflight ||
		x.refused != http.StatusTooManyRequests:
		return wrong("/explain takes key, quantity and charge, and missing with another source")
	case len(x.keys)+len(x.sources) == 0:
		return a.noKey(r, rule, "name a key: key=…")
	}
	if _, err := x.find(w); err != nil {
		return err
	}
	if err := x.nameScopes(); err != nil {
		return err
	}
	scopes := make([]string, max(len(x.rules), len(x.keys)))
	for i := range scopes {
		_, scopes[i], _ = strings.Cut(x.rules[min(i, len(x.rules)-1)], "@")
	}
	name, _, _ := strings.Cut(rule, "@")
	args := append([]string{"CL.EXPLAIN", name + "@" + strings.Join(scopes, ",")}, x.keys...)
	if args = append(args, "QUANTITY", strconv.FormatInt(x.asked.Quantity, 10)); x.asked.Charge {
		args = append(args, "CHARGE")
	}
	var text string
	if err := a.do(r.Context(), args, func(reply resp.Reply) { text = explanation(&reply, explained) }); err != nil {
		return err
	}
	return writeJSON(w, json.RawMessage(text))
}

// isOf reports whether the name of a pair asks the same rule as another.
func isOf(name, rule string) bool {
	name, _, _ = strings.Cut(name, "@")
	rule, _, _ = strings.Cut(rule, "@")
	return name == rule
}

// explained is how deep the maps of CL.EXPLAIN lie in each other: the reply, its limits, and their states.
const explained = 3

// explanation returns a map of CL.EXPLAIN as an object of JSON. It reads no map that lies deeper than depth.
func explanation(r *resp.Reply, depth int) string {
	elements := r.Elements()
	if depth == 0 {
		return "{}"
	}
	var fields []string
	for range elements / 2 {
		name, value := r.Text(), ""
		switch name {
		case "rule", "source", "scope", "key", "limiter", "arguments", "state_key", "words":
			if text := r.Text(); text != "" || name != "scope" && name != "words" {
				quoted, _ := json.Marshal(text)
				value = string(quoted)
			}
		case "limited":
			name, value = "allowed", strconv.FormatBool(r.Int() == 0)
		case "shadow":
			value = strconv.FormatBool(r.Int() != 0)
		case "state":
			value = explanation(r, depth-1)
		case "limits":
			limits := make([]string, r.Elements())
			for i := range limits {
				limits[i] = explanation(r, depth-1)
			}
			value = "[" + strings.Join(limits, ",") + "]"
		default:
			if value = strconv.FormatInt(r.Int(), 10); name == "retry_after" && value[0] == '-' {
				value = "null"
			}
		}
		if value != "" {
			fields = append(fields, `"`+name+`":`+value)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}
