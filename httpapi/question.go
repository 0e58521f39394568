package httpapi

import (
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"cellserver/httpapi/keysource"
	"cellserver/internal/quote"
	"cellserver/limiters/rules"
)

// question is what a request asks of one rule or several. There is a key for each rule, or one for all.
type question struct {
	asked   rules.Question
	rules   []string
	keys    []string           // of a body
	sources []keysource.Source // of a query
	missing missing
	refused int // the status of a refusal
	// preflight says that preflight requests of browsers pass and do not count.
	preflight bool
	given     []string // the parameters that may occur once, and have occurred
}

// missing is the answer to a request without a key.
type missing struct {
	allow, deny bool
	skip        bool              // the rule of the key is not asked; those of the other keys decide
	source      *keysource.Source // another source; nil for none
}

// maxRules is the most rules of one request: what CL.MCHECK takes.
const maxRules = 16

// addQuery adds the parameters of a query: rule=…&key=…&quantity=…&peek&charge&missing=…&status=….
func (q *question) addQuery(query string) *Problem {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		value, err := unescape(value)
		plain, wrongName := unescape(name)
		if err != nil || wrongName != nil {
			return wrong("%.64s has a wrong escape", quote.Word(pair))
		}
		if err := q.set(plain, value); err != nil {
			return err
		}
	}
	return nil
}

// unescape decodes a value of a query. Most values need no decoding.
func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// once returns the problem of a parameter that occurs again: it is unknown which value its sender means.
func (q *question) once(name string) *Problem {
	if slices.Contains(q.given, name) {
		return wrong("%s is there twice: give it once", name)
	}
	q.given = append(q.given, name)
	return nil
}

// set sets one parameter.
func (q *question) set(name, value string) *Problem {
	switch name {
	case "quantity", "peek", "charge", "missing", "status", "preflight":
		if err := q.once(name); err != nil {
			return err
		}
	}
	switch name {
	case "rule":
		q.rules = append(q.rules, value)
	case "key":
		return q.addKey(value)
	case "quantity":
		return q.setQuantity(value)
	case "peek":
		return setSwitch(&q.asked.Peek, name, value)
	case "charge":
		return setSwitch(&q.asked.Charge, name, value)
	case "missing":
		return q.setMissing(value)
	case "status":
		n, err := strconv.Atoi(value)
		if err != nil || n != http.StatusUnauthorized && n != http.StatusForbidden && n != http.StatusTooManyRequests {
			return wrong("status %s: use 401, 403 or 429", quote.Word(value))
		}
		q.refused = n
	case "preflight":
		if q.preflight = value == "allow"; !q.preflight {
			return wrong("preflight must be allow, and not %.64q", value)
		}
	case "":
	default:
		return wrong("unknown parameter %.64q: "+
			"use rule, key, quantity, peek, charge, missing, preflight or status", name)
	}
	if len(q.rules) > maxRules {
		return wrong("a request has at most %d rules", maxRules)
	}
	return nil
}

// setSwitch sets a parameter that is on without a value.
func setSwitch(to *bool, name, value string) *Problem {
	on, err := strconv.ParseBool(value)
	if value != "" && err != nil {
		return wrong("%s %s: use true or false", name, quote.Word(value))
	}
	*to = on || value == ""
	return nil
}

// setQuantity accepts integers only: another word would be an option of the command. A negative quantity
// would give actions back. A request that asks for an action must not do this.
func (q *question) setQuantity(text string) *Problem {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != text: // the commands take neither +5 nor 05
		return wrong("quantity %s is not an integer or out of range", quote.Word(text))
	case n < 0:
		return wrong("quantity %s must not be negative", quote.Word(text))
	}
	q.asked.Quantity = n
	return nil
}

// maxSource is the most bytes of the text of a source. The head of a request has no more.
const maxSource = 32 << 10

func (q *question) addKey(text string) *Problem {
	if len(text) > maxSource {
		return wrong("key has more than %d bytes", maxSource)
	}
	source, err := keysource.Parse(text)
	if err != nil {
		return wrong("key: %v", err)
	}
	if len(q.sources) == maxRules {
		return wrong("a request has at most %d keys", maxRules)
	}
	q.sources = append(q.sources, source)
	return nil
}

func (q *question) setMissing(text string) *Problem {
	q.missing = missing{allow: text == "allow", deny: text == "deny", skip: text == "skip"}
	if q.missing.allow || q.missing.deny || q.missing.skip {
		return nil
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "allow", "deny", "skip":
		return wrong("missing %s: use allow, deny, skip or a source of a key, or write text: before a text",
			quote.Word(text))
	}
	source, err := keysource.Parse(text)
	if err != nil {
		return wrong("missing: %v", err)
	}
	q.missing.source = &source
	return nil
}

// addBody adds the fields of a body. Its keys are never sources.
func (q *question) addBody(w http.ResponseWriter, r *http.Request) *Problem {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if body["limit"] != nil {
		return wrong("limit belongs into a rule, or into POST /throttle, which needs no rule")
	}
	for _, name := range []string{"rule", "quantity"} {
		if body[name] == nil {
			continue
		}
		value, _, err := body.take(name)
		if err == nil {
			err = q.set(name, value)
		}
		if err != nil {
			return err
		}
	}
	if list, ok := body["rules"].([]any); body["rules"] == nil || ok && len(list) == 0 {
		delete(body, "rules")
		err = q.addKeys(body)
	} else {
		err = q.addRules(body)
	}
	if err != nil {
		return err
	}
	if len(q.sources) > 0 && len(q.keys) > 0 {
		return wrong("there are keys in the query and in the body: give them in one place")
	}
	if len(body) == 0 {
		return nil // most bodies have a key alone
	}
	if err := q.addSwitch(body, "peek", &q.asked.Peek); err != nil {
		return err
	}
	if err := q.addSwitch(body, "charge", &q.asked.Charge); err != nil {
		return err
	}
	return body.empty()
}

// addSwitch adds a field of a body that is true or false.
func (q *question) addSwitch(body fields, name string, to *bool) *Problem {
	given := body[name] != nil
	on, err := body.takeSwitch(name)
	if given && err == nil {
		*to, err = on, q.once(name)
	}
	return err
}

// addKeys adds the keys of a body.
func (q *question) addKeys(body fields) *Problem {
	keys, err := body.takeKeys()
	switch {
	case err != nil:
		return err
	case keys.scopes == nil:
		q.keys = append(q.keys, keys.all...)
		return nil
	case len(q.rules) != 1:
		return wrong("keys has the scopes of one rule, and the path names %d: "+
			"ask /check/RULE, or give each rule its keys in rules", len(q.rules))
	}
	name := q.rules[0]
	q.rules = q.rules[:0]
	return q.addScoped(name, keys)
}

// addRules adds the further rules of a body. The field key is the key of each rule without one.
func (q *question) addRules(body fields) *Problem {
	further, err := body.takeList("rules")
	if err != nil {
		return err
	}
	shared, isShared, err := body.take("key")
	unused := isShared && len(q.rules) != 1
	if shared = keysource.Shorten(shared); isShared && !unused {
		q.keys = append(q.keys, shared)
	}
	for _, one := range further {
		object, ok := one.(map[string]any)
		if err == nil && !ok {
			err = mustBe("rules", "a list of objects, each with rule and key", one)
		}
		if err != nil {
			return err
		}
		var own bool
		own, err = q.addRule(object, shared, isShared)
		unused = unused && own
	}
	if err == nil && unused {
		err = wrong("key %.64s is for no rule: each of rules has a key of its own", quote.Word(shared))
	}
	return err
}

// addScoped adds a rule with its keys: a pair of name@scope and a key for each scope.
func (q *question) addScoped(name string, k keys) *Problem {
	name, err := k.of(name)
	if err != nil {
		return err
	}
	if q.keys = append(q.keys, k.all...); len(k.all) == 1 && k.scopes == nil {
		q.rules = append(q.rules, strings.TrimSuffix(name, "@"))
	} else {
		q.rules = slices.AppendSeq(q.rules, pairNames(name))
	}
	if len(q.rules) > maxRules {
		return wrong("a request has at most %d rules, and a rule counts once for each of its keys", maxRules)
	}
	return nil
}

// pairNames returns the names of the pairs of a rule for CL.MCHECK: llm@org,user is llm@org and llm@user.
func pairNames(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		rule, scopes, _ := strings.Cut(name, "@")
		for scope := range strings.SplitSeq(scopes, ",") {
			if !yield(rule + "@" + scope) {
				return
			}
		}
	}
}

// addRule adds a rule of a body. It reports whether the rule has a key of its own. Without one, it has the shared
// key, if there is one.
func (q *question) addRule(body fields, shared string, isShared bool) (own bool, p *Problem) {
	name, p := body.takeRule()
	if p != nil {
		return own, p
	}
	keys, p := body.takeKeys()
	if p != nil {
		return own, p
	}
	if own = keys.all != nil; !own {
		if keys.all = []string{shared}; !isShared {
			return own, problem(http.StatusBadRequest, missingKey, "the rule %.64q has no key", name)
		}
	}
	if p = q.addScoped(name, keys); p != nil {
		return own, p
	}
	return own, body.empty()
}
