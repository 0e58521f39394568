package admin

import (
	"fmt"
	"slices"

	"cellserver/commands"
)

// ACL manages the users and their rights. The words of the rules are those of Redis 7.0.
var _ = commands.Register(&commands.Command{
	Name: "acl", Arity: -2, Group: commands.GroupServer, Since: "6.0.0",
	Summary: "A container for Access List Control commands ", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{Name: "cat", Arity: -2, Flags: commands.ConnectionFlags, Since: "6.0.0", Run: aclCat, Usage: "[categoryname]",
			Summary: "List the ACL categories or the commands inside a category", Complexity: "O(1) since the categories and commands are a fixed set.",
			Help: []string{"CAT [<category>]", "    List all commands that belong to <category>, or all command categories",
				"    when no category is specified."}},
		{Name: "deluser", Arity: -3, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclDelUser, Usage: "username [username ...]",
			Summary:    "Remove the specified ACL users and the associated rules",
			Complexity: "O(1) amortized time considering the typical user.",
			Help:       []string{"DELUSER <username> [<username> ...]", "    Delete a list of users."}},
		{Name: "dryrun", Arity: -4, Flags: commands.AdminFlags, Since: "7.0.0",
			Run: aclDryRun, Footprint: commands.RulesFootprint, Usage: "username command [arg [arg ...]]",
			Summary:    "Returns whether the user can execute the given command without executing the command.",
			Complexity: "O(1).",
			Help: []string{"DRYRUN <username> <command> [<arg> ...]",
				"    Returns whether the user can execute the given command without executing the command."}},
		{Name: "getuser", Arity: 3, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclGetUser, Usage: "username",
			Summary:    "Get the rules for a specific ACL user",
			Complexity: "O(N). Where N is the number of password, command and pattern rules that the user has.",
			Help:       []string{"GETUSER <username>", "    Get the user's details."}},
		{Name: "genpass", Arity: -2, Flags: commands.ConnectionFlags, Since: "6.0.0", Run: aclGenPass, Usage: "[bits]",
			Summary: "Generate a pseudorandom secure password to use for ACL users", Complexity: "O(1)",
			Help: []string{"GENPASS [<bits>]", "    Generate a secure 256-bit user password. The optional `bits` argument can",
				"    be used to specify a different size."}},
		{Name: "list", Arity: 2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclList,
			Summary:    "List the current ACL rules in ACL config file format",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"LIST", "    Show users details in config file format."}},
		{Name: "load", Arity: 2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclLoad,
			Summary:    "Reload the ACLs from the configured ACL file",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"LOAD", "    Reload users from the ACL file."}},
		{Name: "log", Arity: -2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclLog, Usage: "[count | RESET]",
			Summary:    "List latest events denied because of ACLs in place",
			Complexity: "O(N) with N being the number of entries shown.",
			Help:       []string{"LOG [<count> | RESET]", "    Show the ACL log entries."}},
		{Name: "save", Arity: 2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclSave,
			Summary:    "Save the current ACL rules in the configured ACL file",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"SAVE", "    Save the current config to the ACL file."}},
		{Name: "setuser", Arity: -3, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclSetUser, Usage: "username [rule [rule ...]]",
			Summary:    "Modify or create the rules for a specific ACL user",
			Complexity: "O(N). Where N is the number of rules provided.",
			Help: []string{"SETUSER <username> <attribute> [<attribute> ...]",
				"    Create or modify a user with the specified attributes."}},
		{Name: "users", Arity: 2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclUsers,
			Summary:    "List the username of all the configured ACL rules",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"USERS", "    List all the registered usernames."}},
		{Name: "whoami", Arity: 2, Flags: commands.ConnectionFlags, Since: "6.0.0", Run: aclWhoAmI,
			Summary: "Return the name of the user associated to the current connection", Complexity: "O(1)",
			Help: []string{"WHOAMI", "    Return the current connection username."}},
		commands.HelpCommand("6.0.0"),
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
