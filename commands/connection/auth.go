package connection

import (
	"crypto/subtle"
	"fmt"
	"net/netip"
	"strings"

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
// characters. ACL LOG keeps a failure, and auth-fail-limit bounds the failures of an address.
// Without a password there is nothing to guess, and no limit.
func authenticate(c *commands.Call, user, password []byte) error {
	want, addr := c.Server.Config().RequirePass, c.Conn.Link.Host()
	if want == "" {
		addr = netip.Addr{}
	}
	ok, wait := c.Server.Stats.Logins.Try(addr, func() bool {
		right := want == "" || subtle.ConstantTimeCompare(password, []byte(want)) == 1
		return string(user) == commands.DefaultUser && right
	})
	switch {
	case wait > 0:
		return errManyFailures(wait)
	case !ok:
		self := c.Server.Clients.Self(c)
		c.Server.Stats.Logins.Note(commands.LoginFailure{
			InMulti: c.Conn.Transaction.Running, Object: string(c.Args[0]), User: string(user), At: c.Now,
			Client: strings.TrimSuffix(describe(c, &self), "\n"),
		})
		return errWrongPass
	}
	c.Conn.Identity.Authed = true
	return nil
}

// errManyFailures is the error of an attempt that auth-fail-limit refuses. wait is in nanoseconds.
func errManyFailures(wait int64) error {
	return commands.Error(fmt.Sprintf("ERR too many failed attempts to authenticate from this address: try again in %d seconds", (wait+1e9-1)/1e9))
}
