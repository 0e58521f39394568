package commands

import "cellserver/store"

// CL.RULE keeps named limits on the server, so that they change without a change of the
// clients: CL.CHECK asks them. A rule is the name of one or several limiters with their
// parameters, without a key and a quantity. SHADOW lets it decide and count, but never
// limit, as a limit is tried out.
//
// All of them are kept in the string key cl.rules of database 0, whatever database is
// selected, one to a line; they hold in every database. A rule of the same name in the
// rules-file comes into force when this one is deleted.
var _ = register(&Command{
	Name: "cl.rule", Arity: -2, Group: Limiter,
	Summary: "A container for commands of named limits", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{Name: "set", Arity: -4, Flags: Write | DenyOOM, Run: clRuleSet, Footprint: rulesFootprint,
			Usage: "name limiter args… [AND limiter args…]… [SHADOW]", Complexity: "O(N) where N is the number of rules",
			Summary: "Keeps a limit under a name.",
			Help: []string{"SET <name> <limiter> <args> ... [AND <limiter> <args> ...] ... [SHADOW]", "    Keep a limit under a name.",
				"    <limiter> <args> is as in CL.THROTTLE 15 30 60: without key and quantity."}},
		{Name: "get", Arity: 3, Flags: ReadOnly, Run: clRuleGet, Footprint: rulesFootprint,
			Usage: "name", Complexity: "O(1)", Summary: "The limit of a name.",
			Help: []string{"GET <name>", "    Return the limit of a name."}},
		{Name: "del", Arity: 3, Flags: Write, Run: clRuleDel, Footprint: rulesFootprint,
			Usage: "name", Complexity: "O(N) where N is the number of rules", Summary: "Forgets the limit of a name.",
			Help: []string{"DEL <name>", "    Forget the limit of a name; one of the rules-file comes back into force."}},
		{Name: "list", Arity: 2, Flags: ReadOnly, Run: clRuleList, Footprint: rulesFootprint,
			Complexity: "O(N) where N is the number of rules", Summary: "All names and their limits.",
			Help: []string{"LIST", "    Return names, limits, and where they come from: key or file."}},
		helpCommand(""),
	},
})

const errFileRule Error = "ERR the rule comes from the rules-file: take it out there"

func rulesFootprint(c *Call, fp *store.Footprint) { c.Server.rules.lock(fp) }

func clRuleSet(c *Call) error {
	name := string(c.Args[2])
	one, err := parseRule(name, c.Args[3:])
	if err != nil {
		return err
	}
	set, err := c.Server.rules.load(c.Tx)
	if err != nil {
		return err
	}
	next := set.without(name)
	if len(next.byName) == mostRules {
		return errMostRules
	}
	next.byName[name] = one
	c.Server.rules.keep(c.Tx, next)
	return replyOK(c)
}

// clRuleDel replies whether there was such a rule.
func clRuleDel(c *Call) error {
	name := string(c.Args[2])
	set, err := c.Server.rules.load(c.Tx)
	if err != nil {
		return err
	}
	if set.byName[name] == nil {
		if c.Server.rules.find(set, c.Args[2]) != nil {
			return errFileRule
		}
		c.replyDone(false)
		return nil
	}
	c.Server.rules.keep(c.Tx, set.without(name))
	c.replyDone(true)
	return nil
}

func clRuleGet(c *Call) error {
	set, err := c.Server.rules.load(c.Tx)
	if err != nil {
		return err
	}
	if one := c.Server.rules.find(set, c.Args[2]); one != nil {
		c.Out.BulkString(one.text)
	} else {
		c.Out.Null()
	}
	return nil
}

// clRuleList replies with arrays of a rule's name, its limits, and "key" or "file".
func clRuleList(c *Call) error {
	set, err := c.Server.rules.load(c.Tx)
	if err != nil {
		return err
	}
	all := &ruleSet{byName: map[string]*rule{}}
	for _, source := range []*ruleSet{c.Server.rules.file.Load(), set} {
		if source != nil {
			for name, one := range source.byName {
				all.byName[name] = one
			}
		}
	}
	c.Out.Array(len(all.byName))
	for _, one := range all.sorted() {
		source := "file"
		if set.byName[one.name] != nil {
			source = "key"
		}
		stringArray(c.Out, []string{one.name, one.text, source})
	}
	return nil
}

// without returns a copy of the set without a name.
func (s *ruleSet) without(name string) *ruleSet {
	next := &ruleSet{byName: map[string]*rule{}}
	for other, one := range s.byName {
		if other != name {
			next.byName[other] = one
		}
	}
	return next
}

// keep makes the key hold a set.
func (r *rules) keep(tx *store.Tx, set *ruleSet) {
	e, done := rulesEntry(tx)
	defer done()
	set.text = set.format()
	r.adopt(set, &r.parsed, &r.file)
	if len(set.text) == 0 {
		e.Delete()
	} else {
		e.SetBytes(set.text, e.ExpireAt())
	}
}
