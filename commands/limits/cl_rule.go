package limits

import (
	"cmp"
	"strings"

	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// CL.RULE keeps named limits on the server: rules. CL.CHECK asks them, so limits change without a
// change of the clients. A rule has one or several limiters with their parameters, without key and
// quantity. With SHADOW a rule decides and counts, but never limits: so an operator can try a rule.
//
// The rule default decides for each name without a rule of its own. Each of these names counts for itself.
//
// A limit may be in words: 100/minute. The rule keeps the command that they mean.
//
// With SCOPE a limit belongs to a named scope, and CL.CHECK takes one key for each scope.
//
// RESET gives one client a fresh start: the states of all limits of the rule for its keys are removed in
// one step. It is a command of its own for ACL: +cl.rule|reset.
//
// With JSON a rule has the form of the rules-file: {"limits": ["CL.WINDOW 100 60"]}. It is then a whole
// rule, with its overrides.
//
// The rules lie in a database of the server itself, which no other command reaches. They are in force in
// every database. A rule replaces a rule of the rules-file with the same name, until it is deleted.
var _ = commands.Register(&commands.Command{
	Name: "cl.rule", Arity: -2, Group: commands.GroupLimiter,
	Subs: []*commands.Command{
		{
			Name: "set", Arity: -4, Flags: commands.Write | commands.DenyOOM, Run: clRuleSet,
			Footprint: rulesFootprint, Cost: costOfRule,
		},
		{
			Name: "override", Arity: -6, Flags: commands.Write | commands.DenyOOM, Run: clRuleOverride,
			Footprint: func(c *commands.Call, fp *store.Footprint) {
				rules.ResetFootprint(c.Server.Rules, c.Args[4:5], fp)
			},
		},
		{Name: "get", Arity: -3, Flags: commands.ReadOnly, Run: clRuleGet, Footprint: rulesFootprint, Cost: costOfRules},
		{Name: "del", Arity: 3, Flags: commands.Write, Run: clRuleDel, Footprint: rulesFootprint},
		{Name: "list", Arity: -2, Flags: commands.ReadOnly, Run: clRuleList, Footprint: rulesFootprint, Cost: costOfRules},
		{
			Name: "reset", Arity: -4, Flags: commands.Write,
			Keys: commands.Keys{First: 3, Last: -1, Step: 1, Access: "RW ACCESS DELETE"}, Run: clRuleReset,
			Footprint: resetFootprint,
		},
		{
			Name: "try", Arity: -4, Flags: commands.ReadOnly, Run: clRuleTry, Cost: commands.AlwaysLong,
			Footprint: commands.RulesFootprint,
		},
		commands.HelpCommand(),
	},
})

func rulesFootprint(c *commands.Call, fp *store.Footprint) { c.Server.Rules.Lock(fp) }

func clRuleSet(c *commands.Call) error {
	set := func() error { return c.Server.Rules.Set(c.Tx, string(c.Args[2]), c.Args[3:]) }
	if commands.Is(c.Args[3], "json") && len(c.Args) == 5 {
		set = func() error { return c.Server.Rules.SetJSON(c.Tx, string(c.Args[2]), c.Args[4]) }
	}
	change, err := c.Server.Rules.Observe(c.Tx, ruleset.Change{Rule: string(c.Args[2])}, set)
	if err != nil {
		return err
	}
	c.RuleChanged(change)
	return commands.ReplyOK(c)
}

// clRuleOverride replies OK, or with DEL how many overrides it removed: 1 or 0.
func clRuleOverride(c *commands.Call) error {
	words := c.Args[5:]
	deletes := len(words) == 1 && commands.Is(words[0], "del")
	if deletes {
		words = nil
	}
	had := false
	change, err := c.Server.Rules.Observe(c.Tx,
		ruleset.Change{Rule: string(c.Args[2]), Scope: string(c.Args[3]), Key: string(c.Args[4])},
		func() (err error) {
			of := rules.Overriding{Rule: string(c.Args[2]), Scope: string(c.Args[3]), Key: c.Args[4]}
			return of.Recount(c.Server.Rules, c.Tx, c.Server.Config().Databases, c.Now, func() error {
				had, err = c.Server.Rules.Override(c.Tx, of.Rule, of.Scope, of.Key, words)
				return err
			})
		})
	if err != nil {
		return err
	}
	if had || !deletes {
		c.RuleChanged(change)
	}
	switch {
	case deletes:
		c.ReplyBit(had)
		return nil
	}
	return commands.ReplyOK(c)
}

// clRuleDel replies 1, or 0 if there is no such rule.
func clRuleDel(c *commands.Call) error {
	found := false
	change, err := c.Server.Rules.Observe(c.Tx, ruleset.Change{Rule: string(c.Args[2])}, func() (err error) {
		found, err = c.Server.Rules.Delete(c.Tx, c.Args[2])
		return err
	})
	if err != nil {
		return err
	}
	if found {
		c.RuleChanged(change)
	}
	c.ReplyBit(found)
	return nil
}

func resetFootprint(c *commands.Call, fp *store.Footprint) {
	rules.ResetFootprint(c.Server.Rules, c.Args[3:], fp)
}

// clRuleReset replies with the number of states that it removed.
func clRuleReset(c *commands.Call) error {
	removed, err := rules.Reset(c.Server.Rules, c.Tx, c.Args[2], c.Args[3:])
	if err != nil {
		return err
	}
	c.Out.Int(int64(removed))
	return nil
}

// clRuleGet replies with the limits of a rule. With WORDS the reply has them in people's words, and then as
// commands. A limit without words is its command in both.
func clRuleGet(c *commands.Call) error {
	inWords := len(c.Args) == 4 && commands.Is(c.Args[3], "words")
	if asJSON, err := wantsJSON(c, 3, "WORDS", "JSON"); err != nil && !inWords {
		return err
	} else if asJSON {
		return replyJSON(c, func() ([]byte, error) { return c.Server.Rules.GetJSON(c.Tx, c.Args[2]) })
	}
	limits, found := c.Server.Rules.Get(c.Tx, c.Args[2])
	switch {
	case !found:
		c.Out.Null()
	case inWords:
		commands.StringArray(c.Out, []string{cmp.Or(ruleset.Words(limits), limits), limits})
	default:
		c.Out.BulkString(limits)
	}
	return nil
}

// clRuleList replies with an array for each rule: its name, its limits, and its source, "key" or
// "file". If the rule has overrides, a fourth element has an array for each: its scope, key, limits, and
// their words if there are any. If it hides a rule of the file, a fifth element has the limits of that one.
// If the limits have words, a sixth element has them.
func clRuleList(c *commands.Call) error {
	if asJSON, err := wantsJSON(c, 2, "JSON"); err != nil {
		return err
	} else if asJSON {
		return replyJSON(c, func() ([]byte, error) { return c.Server.Rules.ListJSON(c.Tx) })
	}
	all := c.Server.Rules.List(c.Tx)
	c.Out.Array(len(all))
	known := map[string]string{} // many overrides have the same limits
	for _, r := range all {
		replyListed(c, r, known)
	}
	return nil
}

// replyListed replies with a rule. The last elements are missing if they are empty. known has the words of
// the limits of overrides so far.
func replyListed(c *commands.Call, r ruleset.Listed, known map[string]string) {
	words, elements := ruleset.Words(r.Limits), 3
	switch {
	case words != "":
		elements = 6
	case r.Hides != "":
		elements = 5
	case len(r.Overrides) > 0:
		elements = 4
	}
	c.Out.Array(elements)
	for _, s := range []string{r.Name, r.Limits, r.Source} {
		c.Out.BulkString(s)
	}
	if elements == 3 {
		return
	}
	c.Out.Array(len(r.Overrides))
	for _, o := range r.Overrides {
		one := []string{o.Scope, o.Key, o.Limits}
		words, found := known[o.Limits]
		if !found {
			words = ruleset.Words(o.Limits)
			known[o.Limits] = words
		}
		if words != "" {
			one = append(one, words)
		}
		commands.StringArray(c.Out, one)
	}
	for _, s := range []string{r.Hides, words}[:elements-4] {
		c.Out.BulkString(s)
	}
}

// wantsJSON reports whether a call has the word JSON after its n words. use has the words that may stand there.
func wantsJSON(c *commands.Call, n int, use ...string) (bool, error) {
	switch {
	case len(c.Args) == n:
		return false, nil
	case len(c.Args) == n+1 && commands.Is(c.Args[n], "json"):
		return true, nil
	}
	return false, errOption(c.Args[n:], "CL.RULE "+strings.ToUpper(string(c.Args[1])), use...)
}

// errOption is the error of the words at the end of a command, where one of the words `use` may stand.
func errOption(end [][]byte, command string, use ...string) error {
	if len(end) > 1 {
		return limiters.OptionError(end[1], command)
	}
	return limiters.OptionError(end[0], command, use...)
}

// replyJSON replies with a text, or with null if there is none.
func replyJSON(c *commands.Call, make func() ([]byte, error)) error {
	text, err := make()
	switch {
	case err != nil:
		return err
	case text == nil:
		c.Out.Null()
	default:
		c.Out.Bulk(text)
	}
	return nil
}

// clRuleTry replies with five integers: the milliseconds that it looks back, the requests in this time, and
// how many of them the rule has refused. Then it has how many the rule would refuse in a replay, and how
// many the other limits would.
func clRuleTry(c *commands.Call) error {
	t, err := rules.Try(c.Server.Rules, c.Tx, string(c.Args[2]), c.Args[3:], c.Now, c.Server.Clock.Monotonic)
	if err != nil {
		return err
	}
	c.Out.Ints(t.Nanos/1e6, t.Asked, t.Limited, t.Same, t.Other)
	return nil
}
