package httpapi

import (
	"net/http"

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
