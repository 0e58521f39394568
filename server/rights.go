package server

import (
	"slices"
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
		if c.asksSentinel(call) {
			return nil
		}
		return commands.ErrNoAuth
	}
	if c.conn.Transaction.Queue.Active && flags&commands.NoMulti != 0 {
		return commands.ErrNotInMulti
	}
	return c.Permit(call, 0)
}

// asksSentinel reports whether a command asks a sentinel that needs no AUTH.
func (c *Client) asksSentinel(call *commands.Call) bool {
	cfg, name := c.server.Config(), call.Cmd.FullName()
	if !cfg.ClusterEnabled || cfg.Cluster.SentinelAuth {
		return false
	}
	if name != "subscribe" {
		return name == "ping" || strings.HasPrefix(name, "sentinel|")
	}
	for _, channel := range call.Args[1:] {
		if !slices.Contains(sentinelChannels, string(channel)) {
			return false
		}
	}
	return true
}

// sentinelChannels are those that libraries subscribe to at a sentinel.
var sentinelChannels = []string{
	"+switch-master", "switch-master", "+slave-reconf-done", "+replica-reconf-done",
}

// Permit implements [commands.Runner].
func (c *Client) Permit(call *commands.Call, lastKey int) error {
	if _, limits := c.server.parts.Users.Rights(c.conn.Identity.User); limits == nil || c.follower != nil {
		return nil
	}
	why, at := c.denied(call, lastKey)
	return denial(call, why, at)
}

// denial returns the error of a denied command, nil if it is allowed.
func denial(call *commands.Call, why acl.Denial, at int) error {
	switch {
	case why == acl.Allowed:
		return nil
	case call.InScript:
		return inScript[why]
	case why == acl.DeniedKey:
		return errNoKey
	case why == acl.DeniedChannel:
		return errNoChannel
	default:
		name := call.NameAt(at)
		return commands.Error("NOPERM this user has no permissions to run the '" + name + "' command")
	}
}

// The errors of Redis 7.0.
const (
	errNoKey commands.Error = "NOPERM this user has no permissions to access one of the keys used " +
		"as arguments"
	errNoChannel commands.Error = "NOPERM this user has no permissions to access one of the channels " +
		"used as arguments"

	errChanged = "NOPERM ACLs rules changed between the moment the transaction was accumulated and the " +
		"EXEC call. " +
		"This command is no longer allowed for the following reason: "
)

// inScript has the errors of Redis 7.0 for the commands of a script.
var inScript = [...]error{
	acl.DeniedCommand: commands.Error("ERR The user executing the script can't run this command " +
		"or subcommand"),
	acl.DeniedKey: commands.Error("ERR The user executing the script can't access at least one of the keys " +
		"mentioned in the command arguments"),
	acl.DeniedChannel: commands.Error("ERR The user executing the script can't publish to the channel " +
		"mentioned in the command"),
}

// denied returns why a user may not run a command, and the position of the argument, and adds it to ACL LOG.
func (c *Client) denied(call *commands.Call, lastKey int) (why acl.Denial, at int) {
	user, limits := c.server.parts.Users.Rights(c.conn.Identity.User)
	why, at = call.Denied(limits, lastKey)
	if why == acl.Allowed {
		return why, at
	}
	object := call.NameAt(at)
	if why != acl.DeniedCommand {
		object = string(call.Args[at])
	}
	outer := &c.call // of a script or of EXEC, as in Redis
	self := c.server.clients.Self(outer)
	c.server.stats.Logins.Note(commands.Denial{
		Reason: why, Context: contextOf(call), Object: object, User: user.Name(), At: call.Now,
		Client: strings.TrimSuffix(outer.DescribeClient(&self), "\n"),
	})
	return why, at
}

// contextOf returns where a command stands, for ACL LOG.
func contextOf(call *commands.Call) string {
	switch t := &call.Conn.Transaction; {
	case call.InScript:
		return commands.ContextScript
	case t.Running, t.Queue.Active:
		return commands.ContextMulti
	}
	return commands.ContextTop
}

// refuseQueued answers a command of EXEC that its user may not run any more.
func (c *Client) refuseQueued(inner *commands.Call) bool {
	reason := ""
	switch why, _ := c.denied(inner, 0); why {
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
	c.replyError(inner, commands.Error(errChanged+reason))
	return true
}
