package commands

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// ACL says who may do what. There is one user, "default", whose password is
// requirepass and who may do everything; users cannot be made.
var _ = register(&Command{
	Name: "acl", Arity: -2, Group: ServerGroup, Since: "6.0.0",
	Summary: "A container for Access List Control commands ", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{Name: "cat", Arity: -2, Flags: connectionFlags, Since: "6.0.0", Run: aclCat, Usage: "[categoryname]",
			Summary: "List the ACL categories or the commands inside a category", Complexity: "O(1) since the categories and commands are a fixed set.",
			Help: []string{"CAT [<category>]", "    List all commands that belong to <category>, or all command categories",
				"    when no category is specified."}},
		{Name: "getuser", Arity: 3, Flags: adminFlags, Since: "6.0.0", Run: aclGetUser, Usage: "username",
			Summary:    "Get the rules for a specific ACL user",
			Complexity: "O(N). Where N is the number of password, command and pattern rules that the user has.",
			Help:       []string{"GETUSER <username>", "    Get the user's details."}},
		{Name: "list", Arity: 2, Flags: adminFlags, Since: "6.0.0", Run: aclList,
			Summary:    "List the current ACL rules in ACL config file format",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"LIST", "    Show users details in config file format."}},
		{Name: "users", Arity: 2, Flags: adminFlags, Since: "6.0.0", Run: aclUsers,
			Summary:    "List the username of all the configured ACL rules",
			Complexity: "O(N). Where N is the number of configured users.",
			Help:       []string{"USERS", "    List all the registered usernames."}},
		{Name: "whoami", Arity: 2, Flags: connectionFlags, Since: "6.0.0", Run: aclWhoAmI,
			Summary: "Return the name of the user associated to the current connection", Complexity: "O(1)",
			Help: []string{"WHOAMI", "    Return the current connection username."}},
		helpCommand("6.0.0"),
	},
})

func aclWhoAmI(c *Call) error {
	c.Out.BulkString(defaultUser)
	return nil
}

func aclUsers(c *Call) error {
	c.Out.Array(1)
	c.Out.BulkString(defaultUser)
	return nil
}

func aclList(c *Call) error {
	password := "nopass"
	if hash := c.passwordHash(); hash != "" {
		password = "#" + hash
	}
	c.Out.Array(1)
	c.Out.BulkString(fmt.Sprintf("user %s on %s ~* &* +@all", defaultUser, password))
	return nil
}

// passwordHash is requirepass's SHA-256 in hexadecimal, "" without one.
func (c *Call) passwordHash() string {
	password := c.Server.Config().RequirePass
	if password == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

func aclGetUser(c *Call) error {
	if string(c.Args[2]) != defaultUser {
		c.Out.Null()
		return nil
	}
	flags, passwords := []string{"on", "nopass"}, []string{}
	if hash := c.passwordHash(); hash != "" {
		flags, passwords = []string{"on"}, []string{hash}
	}
	w := c.Out
	w.Map(6)
	w.BulkString("flags")
	stringSet(w, flags)
	w.BulkString("passwords")
	stringArray(w, passwords)
	field(w, "commands", "+@all")
	field(w, "keys", "~*")
	field(w, "channels", "&*")
	w.BulkString("selectors")
	w.Array(0)
	return nil
}

func aclCat(c *Call) error {
	if len(c.Args) > 3 {
		return c.subcommandSyntax()
	}
	names := categoryOrder
	if len(c.Args) == 3 {
		i := slices.IndexFunc(categoryOrder, func(name string) bool { return is(c.Args[2], name) })
		if i < 0 {
			return Error(fmt.Sprintf("ERR Unknown category '%s'", clip(c.Args[2], len(c.Args[2]))))
		}
		names = inCategory("@" + categoryOrder[i])
	}
	stringArray(c.Out, names)
	return nil
}

// inCategory lists the commands and subcommands of an ACL category by name.
func inCategory(category string) (names []string) {
	for _, cmd := range byName() {
		if slices.Contains(cmd.categories(), category) {
			names = append(names, cmd.FullName())
		}
	}
	return names
}
