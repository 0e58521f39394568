package limits

import (
	"cellserver/commands"
	"cellserver/store"
)

// CL.RULE keeps named limits on the server, so that they change without a change of the
// clients: CL.CHECK asks them. A rule is the name of one or several limiters with their
// parameters, without a key and a quantity. SHADOW lets it decide and count, but never
// limit, as a limit is tried out.
//
// All of them are kept in the string key cl.rules of database 0, whatever database is
// selected, one to a line; they hold in every database. A rule of the same name in the
// rules-file comes into force when this one is deleted.
var _ = commands.Register(&commands.Command{
	Name: "cl.rule", Arity: -2, Group: commands.GroupLimiter,
	Summary: "A container for commands of named limits", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{Name: "set", Arity: -4, Flags: commands.Write | commands.DenyOOM, Run: clRuleSet, Footprint: rulesFootprint,
			Usage: "name limiter args… [AND limiter args…]… [SHADOW]", Complexity: "O(N) where N is the number of rules",
			Summary: "Keeps a limit under a name.",
			Help: []string{"SET <name> <limiter> <args> ... [AND <limiter> <args> ...] ... [SHADOW]", "    Keep a limit under a name.",
				"    <limiter> <args> is as in CL.THROTTLE 15 30 60: without key and quantity."}},
		{Name: "get", Arity: 3, Flags: commands.ReadOnly, Run: clRuleGet, Footprint: rulesFootprint,
			Usage: "name", Complexity: "O(1)", Summary: "The limit of a name.",
			Help: []string{"GET <name>", "    Return the limit of a name."}},
		{Name: "del", Arity: 3, Flags: commands.Write, Run: clRuleDel, Footprint: rulesFootprint,
			Usage: "name", Complexity: "O(N) where N is the number of rules", Summary: "Forgets the limit of a name.",
			Help: []string{"DEL <name>", "    Forget the limit of a name; one of the rules-file comes back into force."}},
		{Name: "list", Arity: 2, Flags: commands.ReadOnly, Run: clRuleList, Footprint: rulesFootprint,
			Complexity: "O(N) where N is the number of rules", Summary: "All names and their limits.",
			Help: []string{"LIST", "    Return names, limits, and where they come from: key or file."}},
		commands.HelpCommand(""),
	},
})

func rulesFootprint(c *commands.Call, fp *store.Footprint) { c.Server.Rules.Lock(fp) }

func clRuleSet(c *commands.Call) error {
	if err := c.Server.Rules.Set(c.Tx, string(c.Args[2]), c.Args[3:]); err != nil {
		return err
	}
	return commands.ReplyOK(c)
}

// clRuleDel replies whether there was such a rule.
func clRuleDel(c *commands.Call) error {
	found, err := c.Server.Rules.Delete(c.Tx, c.Args[2])
	if err != nil {
		return err
	}
	c.ReplyBit(found)
	return nil
}

func clRuleGet(c *commands.Call) error {
	limits, found, err := c.Server.Rules.Get(c.Tx, c.Args[2])
	switch {
	case err != nil:
		return err
	case found:
		c.Out.BulkString(limits)
	default:
		c.Out.Null()
	}
	return nil
}

// clRuleList replies with an array for each rule: its name, its limits, and "key" or "file".
func clRuleList(c *commands.Call) error {
	all, err := c.Server.Rules.List(c.Tx)
	if err != nil {
		return err
	}
	c.Out.Array(len(all))
	for _, r := range all {
		commands.StringArray(c.Out, []string{r.Name, r.Limits, r.Source})
	}
	return nil
}
