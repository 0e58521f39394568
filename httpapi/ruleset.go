package httpapi

import (
	"net/http"
	"strings"

	"cellserver/resp"
)

// listedRule is a rule, as CL.RULE LIST shows it. Source is "key" or "file".
type listedRule struct {
	Name      string `json:"name"`
	Limits    string `json:"limits"`
	Words     string `json:"words,omitempty"` // the limits in people's words; "" for none
	Source    string `json:"source"`
	Overrides int    `json:"overrides"`       // how many keys have limits of their own
	Hides     string `json:"hides,omitempty"` // the limits of the rule of the file that it hides; "" for none
}

// listRules answers /rules with all rules.
func (a *API) listRules(w http.ResponseWriter, r *http.Request) *Problem {
	if err := allow(w, r, http.MethodGet, http.MethodHead); err != nil {
		return err
	}
	var answer struct {
		Rules []listedRule `json:"rules"`
	}
	if err := a.do(r.Context(), []string{"CL.RULE", "LIST"}, func(reply resp.Reply) { answer.Rules = readRules(reply) }); err != nil {
		return err
	}
	return writeJSON(w, &answer)
}

// readRules reads the reply of CL.RULE LIST. It leaves out the keys of overrides.
func readRules(reply resp.Reply) []listedRule {
	all := make([]listedRule, reply.Elements())
	for i := range all {
		elements := reply.Elements()
		all[i] = listedRule{Name: reply.Text(), Limits: reply.Text(), Source: reply.Text()}
		if elements < 4 {
			continue
		}
		all[i].Overrides = reply.Elements()
		for range all[i].Overrides {
			for range reply.Elements() {
				reply.Text()
			}
		}
		for _, to := range []*string{&all[i].Hides, &all[i].Words}[:min(elements-4, 2)] {
			*to = reply.Text()
		}
	}
	return all
}

// rule answers /rules/NAME: PUT sets the rule, DELETE deletes it.
func (a *API) rule(w http.ResponseWriter, r *http.Request, name string) *Problem {
	if err := allow(w, r, http.MethodPut, http.MethodDelete); err != nil {
		return err
	}
	if r.Method == http.MethodDelete {
		return a.change(w, r, []string{"CL.RULE", "DEL", name})
	}
	words, err := readLimits(w, r)
	if err != nil {
		return err
	}
	return a.change(w, r, append([]string{"CL.RULE", "SET", name}, words...))
}

// change runs the command of a change, and says whether it has changed something. DELETE may find nothing.
func (a *API) change(w http.ResponseWriter, r *http.Request, command []string) *Problem {
	answer := struct {
		Changed bool `json:"changed"`
	}{true}
	if err := a.do(r.Context(), command, func(reply resp.Reply) {
		answer.Changed = r.Method != http.MethodDelete || reply.Int() == 1
	}); err != nil {
		return err
	}
	return writeJSON(w, &answer)
}

// readLimits reads the limits of a rule from the body, as words of CL.RULE SET.
func readLimits(w http.ResponseWriter, r *http.Request) ([]string, *Problem) {
	body, err := readLimitsBody(w, r)
	if err != nil {
		return nil, err
	}
	return body.takeLimits()
}

// readLimitsBody reads a body with limits.
func readLimitsBody(w http.ResponseWriter, r *http.Request) (fields, *Problem) {
	isJSON, err := hasJSON(r)
	if err == nil && !isJSON {
		err = wrong("send the limits as JSON, with Content-Type: application/json")
	}
	if err != nil {
		return nil, err
	}
	return readBody(w, r)
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

// trial is the reply of CL.RULE TRY.
type trial struct {
	Millis  int64 `json:"millis"`  // how long it looks back
	Asked   int64 `json:"asked"`   // requests in this time
	Limited int64 `json:"limited"` // requests that the rule refused
	Same    int64 `json:"limited_by_rule"`
	Other   int64 `json:"limited_on_trial"`
}

// try answers /try/NAME: what other limits would have refused.
func (a *API) try(w http.ResponseWriter, r *http.Request, name string) *Problem {
	if err := allow(w, r, http.MethodPost); err != nil {
		return err
	}
	words, err := readLimits(w, r)
	if err != nil {
		return err
	}
	var t trial
	if err := a.do(r.Context(), append([]string{"CL.RULE", "TRY", name}, words...), func(reply resp.Reply) {
		reply.Int() // the number of elements
		t = trial{reply.Int(), reply.Int(), reply.Int(), reply.Int(), reply.Int()}
	}); err != nil {
		return err
	}
	return writeJSON(w, &t)
}
