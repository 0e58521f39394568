package rules

import (
	"bytes"
	"strings"

	"cellserver/internal/quote"
	"cellserver/limiters/ruleset"
)

// A request has a key for each scope of its rule, in their order. Or it names the scopes, in any order:
// CL.CHECK llm@user,org ann acme. So a rule that gets another scope, or another order, never counts a key in
// the wrong scope.

// placing puts the keys of a request in the order of the scopes of its rule.
type placing struct {
	*ruleset.Rule
	keys  [][]byte // in the order of the scopes
	given int      // how many were put
	has   uint8    // has a bit for each scope with a key
}

// place returns the start of a request with named scopes.
func (c *Check) place() placing {
	n := len(c.found.Scopes)
	c.used = max(c.used, n)
	return placing{Rule: c.found, keys: c.pairKeys[:n]}
}

// put adds the key of a scope. A scope without a name is the next one of the rule.
func (p *placing) put(scope, key []byte) error {
	i := p.given
	if len(scope) > 0 {
		i = p.ScopeIndex(string(scope))
	}
	switch {
	case i < 0:
		return errScopes(p.Rule, quote.Word(scope)+" is not one of them")
	case i >= len(p.Scopes):
		return errScopes(p.Rule, "give one key for each, and no more")
	case p.has&(1<<i) != 0:
		return errScopes(p.Rule, quote.Word(p.Scopes[i].Name)+" has two keys")
	}
	p.keys[i], p.has = key, p.has|1<<i
	p.given++
	return nil
}

// missing returns an error that names the scopes without a key, nil if there are none.
func (p *placing) missing() error {
	var without []string
	for i := range p.Scopes {
		if p.has&(1<<i) == 0 {
			without = append(without, p.Scopes[i].Name)
		}
	}
	if without != nil {
		return errScopes(p.Rule, "there is no key for "+strings.Join(without, ", "))
	}
	return nil
}

// takeKeys sets Keys to the keys of a request, in the order of the scopes of its rule. words are its words
// from the name of the rule on. n is the number of keys: as many as the request names scopes, else one for
// each scope of the rule.
func (c *Check) takeKeys(words [][]byte) (n int, err error) {
	named := c.named(words)
	if n = len(c.found.Scopes); named {
		n = 1 + bytes.Count(words[0], comma)
	}
	if len(words) < 1+n {
		return n, errScopes(c.found, inOrder)
	}
	c.Keys = words[1 : 1+n]
	if !named {
		return n, nil
	}
	p, scopes := c.place(), words[0][len(c.asked)+1:]
	for _, key := range c.Keys {
		var scope []byte
		scope, scopes, _ = bytes.Cut(scopes, comma)
		if err := p.put(scope, key); err != nil {
			return n, err
		}
	}
	c.Keys = p.keys
	return n, p.missing()
}

// takePairs sets Keys to the keys of the pairs of one rule. It returns the position of the next pair.
func (c *Check) takePairs(pairs [][]byte, at int) (next int, err error) {
	if err := c.faultOfRule(); err != nil {
		return at, err
	}
	one, p, named := c.found, c.place(), c.named(pairs[at:])
	for next = at; next < len(pairs) && (named || p.given < len(one.Scopes)); next += 2 {
		name, scope := ruleset.CutScopes(pairs[next])
		if !bytes.Equal(name, c.asked) || named != (scope != nil) {
			break
		}
		if err := p.put(scope, pairs[next+1]); err != nil {
			return at, err
		}
	}
	switch {
	case !named && p.given < len(one.Scopes):
		return at, errScopes(one, inOrder)
	case !named && p.given > 1 && next < len(pairs) && bytes.Equal(pairs[next], pairs[at]):
		return at, errScopes(one, "more keys of this rule follow, and a request asks a rule once")
	case p.given < len(one.Scopes):
		return next, p.missing()
	}
	c.Keys = p.keys
	return next, nil
}

const inOrder = "give a key for each, in this order"

var comma = []byte(",")

// errScopes is the error of a request that has not the keys that the scopes of the rule need.
func errScopes(r *ruleset.Rule, what string) error { return r.ScopesError(what, "give one key") }
