package httpapi

import (
	"net/http"
	"strings"

	"cellserver/resp"
)

// reservation and settlement say how a body becomes the words of a command after the keys.
var (
	reservation = limiter{command: "CL.RESERVE", required: []string{"quantity", "id", "ttl"}, options: []string{"release", "peek"}}
	settlement  = limiter{command: "CL.SETTLE", required: []string{"id", "quantity"}, options: looks, always: true}
)

// budget returns the route of /reserve or /settle: of an estimate of a cost, or of the real cost.
func budget(row *limiter) route {
	return func(a *API, w http.ResponseWriter, r *http.Request, _ Config, _ string) *Problem {
		return a.budget(w, r, row)
	}
}

func (a *API) budget(w http.ResponseWriter, r *http.Request, row *limiter) *Problem {
	body, rule, keys, err := a.readKeyed(w, r)
	if err != nil {
		return err
	}
	words, err := row.args(body)
	if err != nil {
		return err
	}
	scoped, err := keys.of(rule)
	if err != nil {
		return err
	}
	var d decision
	name, _, _ := strings.Cut(rule, "@")
	args := append(append([]string{row.command, scoped}, keys.all...), words[1:]...)
	if row == &reservation {
		args = append(args, "EXPLAIN")
	}
	if err := a.do(r.Context(), args, func(reply resp.Reply) { d.readReserved(&reply, name) }); err != nil {
		return err
	}
	d.write(w, row.refused(nil))
	return nil
}

// readKeyed reads the body of a request about a rule and its keys. It takes both out of the fields.
func (a *API) readKeyed(w http.ResponseWriter, r *http.Request) (f fields, rule string, k keys, p *Problem) {
	f, p = readFields(w, r)
	if p == nil {
		rule, p = f.takeRule()
	}
	if p == nil {
		k, p = f.takeKeys()
	}
	if p == nil && k.missing() {
		p = a.noKey(r, rule, missingKeys)
	}
	return f, rule, k, p
}
