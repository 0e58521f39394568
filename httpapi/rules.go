package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"cellserver/httpapi/keysource"
	"cellserver/internal/quote"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// exchange is a request to rules and its reply.
type exchange struct {
	api  *API
	from keysource.Request
	question
	decision
}

// exchanges are used again, because they have the memory of the words and of the lists.
var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// begin returns an exchange for a request. end frees it.
func (a *API) begin(r *http.Request, cfg Config) *exchange {
	x := exchanges.Get().(*exchange)
	x.api, x.from = a, keysource.Request{Request: r, Trust: cfg.Trust}
	x.refused, x.asked.Quantity = http.StatusTooManyRequests, 1
	return x
}

func (x *exchange) end() {
	x.asked.Release()
	clear(x.rules)
	clear(x.keys)
	clear(x.sources)
	x.rules, x.keys, x.sources = x.rules[:0], x.keys[:0], x.sources[:0]
	x.from, x.missing, x.preflight, x.given = keysource.Request{}, missing{}, false, nil
	x.decision = decision{body: x.body}
	exchanges.Put(x)
}

// check answers /check/RULE?key=…. The rule may also be a parameter.
func (a *API) check(w http.ResponseWriter, r *http.Request, cfg Config, rule string) *Problem {
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
func (a *API) forward(w http.ResponseWriter, r *http.Request, cfg Config, _ string) *Problem {
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
	asked, keys := len(x.rules), len(x.keys)+len(x.sources)
	switch {
	case asked == 0:
		return wrong("name a rule: /check/RULE?key=…")
	case keys == 0:
		return x.api.noKey(x.from.Request, x.rules[0],
			"name a key: key=… in the query, or key in the body of a POST with Content-Type: application/json")
	case keys != 1 && asked != 1 && keys != asked:
		return wrong("there are %d rules and %d keys: give one key for all rules, or one for each",
			asked, keys)
	case x.missing.allow && asked > 1:
		return wrong("missing=allow beside several rules lets requests pass uncounted: use missing=skip")
	case x.missing.skip && asked != keys:
		return wrong("missing=skip needs a key for each rule: there are %d rules and %d keys", asked, keys)
	}
	if x.preflight && x.from.IsPreflight() {
		x.Allowed = true
		x.write(w, x.refused)
		return nil
	}
	if len(x.sources) > 0 || slices.Contains(x.keys, "") {
		if answered, err := x.find(w); err != nil || answered {
			return err
		}
	}
	if err := x.nameScopes(); err != nil {
		return err
	}
	words := x.asked.Words(x.rules, x.keys)
	if _, err := x.api.Commands.Ask(x.from.Context(), words, &x.asked); err != nil {
		return ofError(err)
	}
	if x.asked.Charge {
		x.refused = http.StatusOK // the action counts in any case
	}
	x.Allowed, x.hidden, x.Policies = x.asked.Refusing < 0, x.asked.Shadow, x.asked.Policies
	x.decides = inSeconds(&x.asked.Tightest)
	for i := range x.Policies {
		p := &x.Policies[i]
		inSeconds(&p.Answer)
		p.Window = limiters.Seconds(p.Window)
	}
	x.write(w, x.refused)
	return nil
}

// find finds the keys. It answers the request if a key is missing, and the question says how.
func (x *exchange) find(w http.ResponseWriter) (answered bool, p *Problem) {
	for _, key := range x.keys {
		x.sources = append(x.sources, keysource.Literal(key))
	}
	x.keys = x.keys[:0]
	for _, source := range x.sources {
		key, err := source.Key(&x.from)
		if errors.Is(err, keysource.ErrMissing) && x.missing.source != nil {
			source = *x.missing.source
			key, err = source.Key(&x.from)
		}
		switch {
		case err == nil:
			x.keys = append(x.keys, key)
		case !errors.Is(err, keysource.ErrMissing):
			return false, wrong("key %.64s: %v", quote.Word(source.Text), err)
		case x.missing.skip:
			if p := x.skipRule(err); p != nil {
				return false, p
			}
		case x.missing.allow || x.missing.deny:
			x.Allowed = x.missing.allow
			x.write(w, x.refused)
			return true, nil
		default:
			return false, problem(http.StatusBadRequest, missingKey,
				"key %.64s: %v; the parameter missing says what to do then", quote.Word(source.Text), err)
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

// nameScopes gives a rule that names its scopes a name for each of its keys, as pairs have it.
func (x *exchange) nameScopes() *Problem {
	if len(x.rules) > 1 || strings.IndexByte(x.rules[0], '@') < 0 {
		return nil
	}
	all := keys{all: x.keys}
	name, err := all.of(x.rules[0])
	if err == nil {
		x.rules = slices.AppendSeq(x.rules[:0], pairNames(name))
	}
	return err
}

// noKey is the problem of a request without any key. It has the scopes of the rule, if the server says them.
func (a *API) noKey(r *http.Request, rule, otherwise string) *Problem {
	tooMany := strings.Repeat(",", rules.MaxPairs) // no rule has so many scopes
	p := a.do(r.Context(), []string{"CL.EXPLAIN", rule + "@" + tooMany, ""}, func(resp.Reply) {})
	if p != nil && p.Status == http.StatusBadRequest && !strings.Contains(p.Detail, "has no scopes") {
		otherwise = p.Detail
	}
	return problem(http.StatusBadRequest, missingKey, "%s", otherwise)
}
