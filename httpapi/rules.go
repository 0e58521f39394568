package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cellserver/httpapi/keysource"
	"cellserver/httpapi/line"
	"cellserver/limiters/rules"
)

// exchange is a request to rules and its reply. Exchanges are used again, so that a request allocates little.
type exchange struct {
	api  *API
	from keysource.Request
	question
	decision
	keys []string
	args []string
	read func(line.Reply) // readReply
	bad  *Problem         // of the reply
}

var exchanges = sync.Pool{New: func() any {
	x := new(exchange)
	x.read = x.readReply
	x.question.forget()
	return x
}}

// begin returns an exchange for a request. end frees it.
func (a *API) begin(r *http.Request, cfg *Config) *exchange {
	x := exchanges.Get().(*exchange)
	x.api, x.from = a, keysource.Request{Request: r, Trust: cfg.Trust}
	return x
}

func (x *exchange) end() {
	clear(x.keys)
	clear(x.args)
	x.question.forget()
	x.decision.forget()
	x.api, x.from, x.keys, x.args, x.bad = nil, keysource.Request{}, x.keys[:0], x.args[:0], nil
	exchanges.Put(x)
}

// check answers /check/RULE?key=…. The rule may also be a parameter.
func (a *API) check(w http.ResponseWriter, r *http.Request, cfg *Config, rule string) *Problem {
	x := a.begin(r, cfg)
	defer x.end()
	if err := x.readQuestion(w, r, rule); err != nil {
		return err
	}
	return x.ask(w)
}

// readQuestion reads the question of a request about a rule, from its query and its body.
func (x *exchange) readQuestion(w http.ResponseWriter, r *http.Request, rule string) *Problem {
	if err := allow(w, r, http.MethodGet, http.MethodPost, http.MethodHead); err != nil {
		return err
	}
	if rule != "" {
		x.rules = append(x.rules, rule)
	}
	if query := r.URL.RawQuery; query != "" {
		if err := x.addQuery(query); err != nil {
			return err
		}
	}
	isJSON, err := hasJSON(r)
	if isJSON {
		err = x.addBody(w, r)
	}
	return err
}

// forward answers /forward/PARAMETERS/PATH, for proxies that append the path of their client. The query
// belongs to the client of the proxy, so the parameters are in the path, and the method may be any.
func (a *API) forward(w http.ResponseWriter, r *http.Request, cfg *Config) *Problem {
	raw := r.URL.RawPath // as it was sent: the client must not change the escapes of the parameters
	if raw == "" {
		raw = r.URL.EscapedPath()
	}
	parameters, path, _ := strings.Cut(strings.TrimPrefix(raw, "/forward/"), "/")
	x := a.begin(r, cfg)
	defer x.end()
	x.from.Path = "/" + path
	if err := x.addQuery(parameters); err != nil {
		return err
	}
	return x.ask(w)
}

// ask asks the rules, and answers.
func (x *exchange) ask(w http.ResponseWriter) *Problem {
	asked, keys := len(x.rules), len(x.sources)
	switch {
	case asked == 0:
		return wrong("name a rule: /check/RULE?key=…")
	case keys == 0:
		return x.api.noKey(x.from.Request, x.rules[0],
			"name a key: key=… in the query, or key in a body with Content-Type: application/json")
	case keys != 1 && asked != 1 && keys != asked:
		return wrong("there are %d rules and %d keys: give one key for all rules, or one for each",
			asked, keys)
	case x.missing.allow && asked > 1:
		return wrong("missing=allow beside several rules lets requests pass uncounted: use missing=skip")
	case x.missing.skip && asked != keys:
		return wrong("missing=skip needs a key for each rule: there are %d rules and %d keys", asked, keys)
	}
	if x.preflight && x.from.IsPreflight() {
		x.allowed = true
		x.write(w, x.refused)
		return nil
	}
	answered, err := x.find(w)
	if err != nil || answered {
		return err
	}
	if err := x.setCommand(); err != nil {
		return err
	}
	if err := x.api.Commands.Decide(x.from.Context(), x.args, x, x.read); err != nil {
		return ofError(err)
	}
	if x.bad != nil {
		return x.bad
	}
	if x.charge {
		x.refused = http.StatusOK // the action counts in any case
	}
	x.write(w, x.refused)
	return nil
}

// readReply reads the reply of the command: OK or an error.
func (x *exchange) readReply(r line.Reply) {
	if text := r.Error(); text != "" {
		x.bad = ofReply(text)
	}
}

// Decided implements [commands.Decisions].
func (x *exchange) Decided(allowed bool, by []*rules.Check) { x.takeChecks(allowed, by, x.args[2:]) }

// find finds the keys. It answers the request if a key is missing, and the question says how.
func (x *exchange) find(w http.ResponseWriter) (answered bool, p *Problem) {
	for _, source := range x.sources {
		key, err := source.Key(&x.from)
		if errors.Is(err, keysource.ErrMissing) && x.missing.source != nil {
			key, err = x.missing.source.Key(&x.from)
		}
		switch {
		case err == nil:
			x.keys = append(x.keys, key)
		case !errors.Is(err, keysource.ErrMissing):
			return false, wrong("%v", err)
		case x.missing.skip:
			if p := x.skipRule(err); p != nil {
				return false, p
			}
		case x.missing.allow || x.missing.deny:
			x.allowed = x.missing.allow
			x.write(w, x.refused)
			return true, nil
		default:
			return false, problem(http.StatusBadRequest, missingKey, "%v: the parameter missing says what to do then", err)
		}
	}
	return false, nil
}

// skipRule takes the rule of the next key out of the question, because of a missing key. A rule that occurs
// twice may have scopes, whose keys belong together: with fewer keys, one could count for another scope.
func (x *exchange) skipRule(cause error) *Problem {
	next := len(x.keys)
	name := x.rules[next]
	x.rules = slices.Delete(x.rules, next, next+1)
	if slices.ContainsFunc(x.rules, func(other string) bool { return isOf(other, name) }) {
		return problem(http.StatusBadRequest, missingKey,
			"%v: missing=skip skips no rule that occurs twice, such as %.64q", cause, name)
	}
	if len(x.rules) == 0 {
		return problem(http.StatusBadRequest, missingKey, "%v: missing=skip needs one rule with a key", cause)
	}
	return nil
}

// setCommand sets args to the command that asks the rules.
func (x *exchange) setCommand() *Problem {
	x.args = append(x.args, "CL.MCHECK", strconv.Itoa(max(len(x.rules), len(x.keys))))
	if err := x.setPairs(); err != nil {
		return err
	}
	if x.quantity != "" {
		x.args = append(x.args, "QUANTITY", x.quantity)
	}
	if x.peek {
		x.args = append(x.args, "PEEK")
	}
	if x.charge {
		x.args = append(x.args, "CHARGE")
	}
	x.args = append(x.args, "EXPLAIN")
	return nil
}

// setPairs adds the rules and their keys to args, in turn. Each rule has a key, or they share one. If there
// is one rule, it has all keys: one for each of its scopes, which the rule may name.
func (x *exchange) setPairs() *Problem {
	if len(x.rules) > 1 || strings.IndexByte(x.rules[0], '@') < 0 {
		for i := range max(len(x.rules), len(x.keys)) {
			x.args = append(x.args, x.rules[min(i, len(x.rules)-1)], x.keys[min(i, len(x.keys)-1)])
		}
		return nil
	}
	all := keys{all: x.keys}
	name, err := all.of(x.rules[0])
	if err != nil {
		return err
	}
	i := 0
	for pair := range pairNames(name) {
		x.args = append(x.args, pair, x.keys[i])
		i++
	}
	return nil
}

// noKey is the problem of a request without any key. It has the scopes of the rule, if the server says them.
func (a *API) noKey(r *http.Request, rule, otherwise string) *Problem {
	tooMany := strings.Repeat(",", rules.MaxPairs) // no rule has so many scopes
	p := a.do(r.Context(), []string{"CL.EXPLAIN", rule + "@" + tooMany, ""}, func(line.Reply) {})
	if p != nil && p.Status == http.StatusBadRequest && !strings.Contains(p.Detail, "has no scopes") {
		otherwise = p.Detail
	}
	return problem(http.StatusBadRequest, missingKey, "%s", otherwise)
}
