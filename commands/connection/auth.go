package connection

import (
	"net/netip"
	"strings"

	"cellserver/acl"
	"cellserver/commands"
)

// AUTH [username] password authenticates the connection as a user, without a name as the default user.
var _ = commands.Register(&commands.Command{
	Name: "auth", Arity: -2,
	Flags: commands.ConnectionFlags | commands.Fast | commands.NoAuth | commands.AllowBusy,
	Group: commands.GroupConnection, Run: auth,
})

const (
	errWrongPass commands.Error = "WRONGPASS invalid username-password pair or user is disabled."
	errNoPass    commands.Error = "ERR AUTH <password> called without any password configured for the " +
		"default user. Are you sure your configuration is correct?"
)

func auth(c *commands.Call) error {
	user, password := []byte(acl.DefaultName), c.Args[len(c.Args)-1]
	c.Hide(1) // a password with spaces, too
	switch {
	case len(c.Args) > 3:
		return commands.ErrSyntax
	case len(c.Args) == 3:
		user = c.Args[1]
	case c.Server.Users.Default.NoPass():
		return errNoPass
	}
	if err := authenticate(c, user, password); err != nil {
		return err
	}
	return commands.ReplyOK(c)
}

// authenticate checks a password. The time does not depend on the number of right characters. ACL LOG keeps
// a failure, and auth-fail-limit bounds the failures of an address. Without any password there is nothing to
// guess, and no limit.
func authenticate(c *commands.Call, name, password []byte) error {
	users, addr := c.Server.Users, c.Conn.Link.Host()
	if user := users.Find(string(name)); user != nil && user.Open() || !users.Guessable() {
		addr = netip.Addr{}
	}
	var user *acl.User
	ok, wait := c.Server.Stats.Logins.Try(addr, name, password, func() bool {
		user = users.Authenticate(name, password)
		return user != nil
	})
	switch {
	case wait > 0:
		return commands.ErrManyGuesses(wait)
	case !ok:
		noteFailure(c, name)
		return errWrongPass
	}
	c.Conn.Identity.User = user
	c.Server.Clients.Self(c) // publishes the user, for DELUSER
	if user.Limits().Deleted() {
		c.Conn.Identity.User = users.Guest
		return errWrongPass
	}
	return nil
}

// noteFailure adds a failed attempt to ACL LOG.
func noteFailure(c *commands.Call, name []byte) {
	context := commands.ContextTop
	if c.Conn.Transaction.Running {
		context = commands.ContextMulti
	}
	self := c.Server.Clients.Self(c)
	c.Server.Stats.Logins.Note(commands.Denial{
		Reason: acl.DeniedAuth, Context: context, Object: string(c.Args[0]), User: string(name), At: c.Now,
		Client: strings.TrimSuffix(c.DescribeClient(&self), "\n"),
	})
}
