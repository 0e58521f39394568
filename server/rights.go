package server

import (
	"strings"

	"cellserver/acl"
	"cellserver/commands"
)

// permit returns an error if the user of a connection must not run a command now. limits are those of the
// connection. The checks and their order are those of processCommand of Redis.
func (c *Client) permit(call *commands.Call, limits *acl.Limits) error {
	flags := call.Cmd.Flags
	switch {
	case limits.Deleted():
		c.conn.Modes.Leaving = true
		return commands.ErrNoAuth
	case flags&commands.NoAuth == 0 && c.conn.MustAuthenticate(&c.server.parts):
		return commands.ErrNoAuth
	}
	if c.conn.Transaction.Queue.Active && flags&commands.NoMulti != 0 {
		return commands.ErrNotInMulti
	}
	context := commands.ContextTop
	if c.conn.Transaction.Queue.Active {
		context = commands.ContextMulti
	}
	switch c.denied(call, context) {
	case acl.Allowed:
		return nil
	case acl.DeniedKey:
		return errNoKey
	case acl.DeniedChannel:
		return errNoChannel
	}
	return commands.Error("NOPERM this user has no permissions to run the '" + call.Cmd.FullName() + "' command")
}

// The errors of Redis 7.0.
const (
	errNoKey     commands.Error = "NOPERM this user has no permissions to access one of the keys used as arguments"
	errNoChannel commands.Error = "NOPERM this user has no permissions to access one of the channels used as arguments"

	errScriptCommand commands.Error = "ERR The user executing the script can't run this command or subcommand"
	errScriptKey     commands.Error = "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments"
	errScriptChannel commands.Error = "ERR The user executing the script can't publish to the channel mentioned in the command"

	errChanged = "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: "
)

// denied returns why a user may not run a command, and adds it to ACL LOG.
func (c *Client) denied(call *commands.Call, context string) acl.Denial {
	user, limits := c.server.parts.Users.Rights(c.conn.Identity.User)
	why, at := call.Cmd.Denied(limits, call.Args)
	if why == acl.Allowed {
		return why
	}
	object := call.Cmd.FullName()
	if why != acl.DeniedCommand {
		object = string(call.Args[at])
	}
	self := c.server.clients.Self(call)
	c.server.stats.Logins.Note(commands.Denial{
		Reason: why, Context: context, Object: object, User: user.Name(), At: call.Now,
		Client: strings.TrimSuffix(call.DescribeClient(&self), "\n"),
	})
	return why
}

// refuseQueued answers a command of EXEC that its user may not run any more.
func (c *Client) refuseQueued(inner *commands.Call) bool {
	reason := ""
	switch c.denied(inner, commands.ContextMulti) {
	case acl.Allowed:
		return false
	case acl.DeniedCommand:
		reason = "no permission to execute the command or subcommand"
	case acl.DeniedKey:
		reason = "no permission to touch the specified keys"
	case acl.DeniedChannel:
		reason = "no permission to access one of the channels used as arguments"
	}
	c.server.stats.Commands.Of(inner.Cmd).Rejected.Add(1)
	c.server.replyError(inner, commands.Error(errChanged+reason))
	return true
}

// Permit implements [commands.Runner].
func (c *Client) Permit(inner *commands.Call) error {
	switch c.denied(inner, commands.ContextScript) {
	case acl.DeniedCommand:
		return errScriptCommand
	case acl.DeniedKey:
		return errScriptKey
	case acl.DeniedChannel:
		return errScriptChannel
	}
	return nil
}
