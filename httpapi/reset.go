package httpapi

import (
	"net/http"

	"cellserver/resp"
)

// reset answers /reset: a fresh start for keys under a rule. The field scope names one scope, whose key
// alone it resets.
func (a *API) reset(w http.ResponseWriter, r *http.Request, cfg Config, _ string) *Problem {
	if cfg.Token == "" && cfg.Locked {
		return problem(http.StatusForbidden, forbidden,
			"clients of this server need a password, so /reset needs a token: set http-token")
	}
	if crossOrigin.Check(r) != nil {
		return problem(http.StatusForbidden, forbidden, "another site has sent this request")
	}
	body, rule, keys, err := a.readKeyed(w, r)
	if err != nil {
		return err
	}
	scope, named, err := body.take("scope")
	if err != nil {
		return err
	}
	if named {
		rule += "@" + scope
	}
	if err := body.empty(); err != nil {
		return err
	}
	if rule, err = keys.of(rule); err != nil {
		return err
	}
	var answer struct {
		Removed int64 `json:"removed"` // states of limits
	}
	args := append([]string{"CL.RULE", "RESET", rule}, keys.all...)
	if err := a.do(r.Context(), args, func(reply resp.Reply) { answer.Removed = reply.Int() }); err != nil {
		return err
	}
	return writeJSON(w, &answer)
}
