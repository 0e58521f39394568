package connection

import (
	"crypto/subtle"

	"cellserver/commands"
)

// AUTH [username] password authenticates the connection. There is one user, "default", and
// requirepass is its password.
var _ = commands.Register(&commands.Command{
	Name: "auth", Arity: -2, Flags: commands.ConnectionFlags | commands.Fast | commands.NoAuth | commands.AllowBusy, Group: commands.GroupConnection, Since: "1.0.0",
	Summary: "Authenticate to the server", Usage: "[username] password",
	Complexity: "O(N) where N is the number of passwords defined for the user", Run: auth,
})

const (
	errWrongPass commands.Error = "WRONGPASS invalid username-password pair or user is disabled."
	errNoPass    commands.Error = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
)

func auth(c *commands.Call) error {
	user, password := []byte(commands.DefaultUser), c.Args[len(c.Args)-1]
	if len(c.Args) <= 3 {
		c.Secret = []int{1, 2}
	}
	switch {
	case len(c.Args) > 3:
		return commands.ErrSyntax
	case len(c.Args) == 3:
		user = c.Args[1]
	case c.Server.Config().RequirePass == "":
		return errNoPass
	}
	if err := authenticate(c, user, password); err != nil {
		return err
	}
	return commands.ReplyOK(c)
}

// authenticate checks a password in constant time: the time does not depend on the number of right
// characters.
func authenticate(c *commands.Call, user, password []byte) error {
	want := c.Server.Config().RequirePass
	right := want == "" || subtle.ConstantTimeCompare(password, []byte(want)) == 1
	if string(user) != commands.DefaultUser || !right {
		return errWrongPass
	}
	c.Conn.Identity.Authed = true
	return nil
}
