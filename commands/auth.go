package commands

import "crypto/subtle"

// AUTH [username] password authenticates the connection. There is one user, "default",
// whose password is requirepass.
var _ = register(&Command{
	Name: "auth", Arity: -2, Flags: connectionFlags | Fast | NoAuth | AllowBusy, Group: Connection, Since: "1.0.0",
	Summary: "Authenticate to the server", Usage: "[username] password",
	Complexity: "O(N) where N is the number of passwords defined for the user", Run: auth,
})

// defaultUser is the only user.
const defaultUser = "default"

const (
	errWrongPass Error = "WRONGPASS invalid username-password pair or user is disabled."
	errNoPass    Error = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
)

func auth(c *Call) error {
	user, password := []byte(defaultUser), c.Args[len(c.Args)-1]
	if len(c.Args) <= 3 {
		c.Secret = []int{1, 2}
	}
	switch {
	case len(c.Args) > 3:
		return errSyntax
	case len(c.Args) == 3:
		user = c.Args[1]
	case c.Server.Config().RequirePass == "":
		return errNoPass
	}
	if err := c.authenticate(user, password); err != nil {
		return err
	}
	return replyOK(c)
}

// authenticate checks a password, in a time that does not depend on how much of it is
// right.
func (c *Call) authenticate(user, password []byte) error {
	want := c.Server.Config().RequirePass
	right := want == "" || subtle.ConstantTimeCompare(password, []byte(want)) == 1
	if string(user) != defaultUser || !right {
		return errWrongPass
	}
	c.Client.authed = true
	return nil
}
