package admin

import (
	"fmt"
	"slices"

	"cellserver/acl"
	"cellserver/commands"
)

// ACL manages the users and their rights. The words of the rules are those of Redis 7.0.
var _ = commands.Register(&commands.Command{
	Name: "acl", Arity: -2, Group: commands.GroupServer,
	Subs: []*commands.Command{
		{Name: "cat", Arity: -2, Flags: commands.ConnectionFlags, Run: aclCat},
		{Name: "deluser", Arity: -3, Flags: commands.AdminFlags, Run: aclDelUser},
		{
			Name: "dryrun", Arity: -4, Flags: commands.AdminFlags, Run: aclDryRun,
			Footprint: commands.RulesFootprint,
		},
		{Name: "getuser", Arity: 3, Flags: commands.AdminFlags, Run: aclGetUser},
		{Name: "genpass", Arity: -2, Flags: commands.ConnectionFlags, Run: aclGenPass},
		{Name: "list", Arity: 2, Flags: commands.AdminFlags, Run: aclEach((*acl.User).Line)},
		{Name: "load", Arity: 2, Flags: commands.AdminFlags, Run: aclLoad},
		{Name: "log", Arity: -2, Flags: commands.AdminFlags, Run: aclLog},
		{Name: "save", Arity: 2, Flags: commands.AdminFlags, Run: aclSave},
		{Name: "setuser", Arity: -3, Flags: commands.AdminFlags, Run: aclSetUser},
		{Name: "users", Arity: 2, Flags: commands.AdminFlags, Run: aclEach((*acl.User).Name)},
		{Name: "whoami", Arity: 2, Flags: commands.ConnectionFlags, Run: aclWhoAmI},
		commands.HelpCommand(),
	},
})

func aclWhoAmI(c *commands.Call) error {
	c.Out.BulkString(c.Conn.Identity.User.Name())
	return nil
}

func aclCat(c *commands.Call) error {
	if len(c.Args) > 3 {
		return c.SubcommandSyntax()
	}
	names := commands.CategoryOrder
	if len(c.Args) == 3 {
		i := slices.IndexFunc(commands.CategoryOrder, func(name string) bool { return commands.Is(c.Args[2], name) })
		if i < 0 {
			return commands.Error(fmt.Sprintf("ERR Unknown category '%s'",
				commands.Clip(c.Args[2], len(c.Args[2]))))
		}
		names = inCategory("@" + commands.CategoryOrder[i])
	}
	commands.StringArray(c.Out, names)
	return nil
}

// inCategory returns the commands and subcommands of an ACL category, sorted by name.
func inCategory(category string) (names []string) {
	for _, cmd := range commands.ByName() {
		if slices.Contains(cmd.ACLCategories(), category) {
			names = append(names, cmd.FullName())
		}
	}
	return names
}
