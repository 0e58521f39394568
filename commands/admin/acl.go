package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"cellserver/commands"
)

// ACL describes the users and their rights. There is one user, "default": requirepass is its
// password, and it may run every command. Clients cannot create users.
var _ = commands.Register(&commands.Command{
	Name: "acl", Arity: -2, Group: commands.GroupServer, Since: "6.0.0",
	Summary: "A container for Access List Control commands ", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{Name: "cat", Arity: -2, Flags: commands.ConnectionFlags, Since: "6.0.0", Run: aclCat, Usage: "[categoryname]",
			Summary: "List the ACL categories or the commands inside a category", Complexity: "O(1) since the categories and commands are a fixed set.",
			Help: []string{"CAT [<category>]", "    List all commands that belong to <category>, or all command categories",
				"    when no category is specified."}},
		{Name: "getuser", Arity: 3, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclGetUser, Usage: "username",
			Summary:    "Get the rules for a specific ACL user",
			Complexity: "O(N). Where N is the number of password, command and pattern rules that the user has.",
			Help:       []string{"GETUSER <username>", "    Get the user's details."}},
		{Name: "list", Arity: 2, Flags: commands.AdminFlags, Since: "6.0.0", Run: aclList,
			Summary:    "List the current ACL rules in ACL config file format",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"LIST", "    Show users details in config file format."}},
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
	c.Out.BulkString(commands.DefaultUser)
	return nil
}

func aclUsers(c *commands.Call) error {
	c.Out.Array(1)
	c.Out.BulkString(commands.DefaultUser)
	return nil
}

func aclList(c *commands.Call) error {
	password := "nopass"
	if hash := passwordHash(c); hash != "" {
		password = "#" + hash
	}
	c.Out.Array(1)
	c.Out.BulkString(fmt.Sprintf("user %s on %s ~* &* +@all", commands.DefaultUser, password))
	return nil
}

// passwordHash returns the SHA-256 of requirepass in hexadecimal, "" without a password.
func passwordHash(c *commands.Call) string {
	password := c.Server.Config().RequirePass
	if password == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

func aclGetUser(c *commands.Call) error {
	if string(c.Args[2]) != commands.DefaultUser {
		c.Out.Null()
		return nil
	}
	flags, passwords := []string{"on", "nopass"}, []string{}
	if hash := passwordHash(c); hash != "" {
		flags, passwords = []string{"on"}, []string{hash}
	}
	w := c.Out
	w.Map(6)
	w.BulkString("flags")
	commands.StringSet(w, flags)
	w.BulkString("passwords")
	commands.StringArray(w, passwords)
	commands.Field(w, "commands", "+@all")
	commands.Field(w, "keys", "~*")
	commands.Field(w, "channels", "&*")
	w.BulkString("selectors")
	w.Array(0)
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
			return commands.Error(fmt.Sprintf("ERR Unknown category '%s'", commands.Clip(c.Args[2], len(c.Args[2]))))
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
