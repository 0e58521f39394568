package commands

import (
	"strings"
	"sync"

	"cellserver/acl"
	"cellserver/store"
)

// Rights returns the table of commands for ACL. A command has the position of [Command.Index]. The absent
// commands follow.
var Rights = sync.OnceValue(func() *acl.Table {
	var all []acl.Command
	for _, c := range everyCommand {
		data := c.HasKeys() || c.Channels.NeedRight()
		one := acl.Command{
			Name: c.FullName(), Free: c.Flags&NoAuth != 0, Data: data,
			Scoped: c.LastKey != nil && c.Keys.Inner == nil, // its first word is a rule
		}
		for _, name := range c.ACLCategories() {
			one.Categories = append(one.Categories, strings.TrimPrefix(name, "@"))
		}
		all = append(all, one)
	}
	return acl.NewTable(append(all, Absent()...), CategoryOrder)
})

// RulesFootprint adds the key of the rules, unless they are parsed. The rules may say which keys another
// command has.
func RulesFootprint(c *Call, fp *store.Footprint) { c.Server.Rules.LockUnparsed(fp) }

// KeysNow returns where the keys of the call are. If rules say how many there are, the rules in force count.
func (c *Call) KeysNow() Keys {
	if c.Cmd.LastKey == nil || len(c.Args) < 2 {
		return c.Cmd.Keys.resolve(c.Args)
	}
	return c.keysTo(c.Cmd.LastKey(c))
}

// keysTo returns where the keys of the call are, if the last one has a position.
func (c *Call) keysTo(last int) Keys {
	keys := c.Cmd.Keys.resolve(c.Args)
	if last > 0 {
		keys.Last = max(keys.Last, min(last, len(c.Args)-1))
	}
	return keys
}

// request returns a call as ACL sees it. Its keys go to the memory of buf, if there is room.
func (c *Command) request(args [][]byte, k *Keys, buf []acl.Key) acl.Request {
	r := acl.Request{Command: c.index, Args: args, Keys: c.appendKeys(args, k, buf[:0])}
	if c.Channels.NeedRight() {
		r.Channels, r.Literal = 1, c.Channels == AllPatterns
		r.OneOnly = c.Channels == FirstChannel || c.Channels == FirstShard
	}
	return r
}

// appendKeys appends the keys of a call, in the order of [Keys.Each].
func (c *Command) appendKeys(args [][]byte, k *Keys, to []acl.Key) []acl.Key {
	needs := c.needs
	if c.KeyAccess != nil {
		needs = permissions(c.KeyAccess(args))
	}
	need := func(i int) acl.Permission { return needs[min(i, len(needs)-1)] }
	last, spec := k.Last, 0
	if last < 0 {
		last += len(args)
	}
	for i := k.First; i > 0 && i <= last && i < len(args); i += k.Step {
		to = append(to, acl.Key{At: i, Need: need(spec)})
		if k.NumKeys == 0 {
			spec++
		}
	}
	if k.NumKeys > 0 {
		at := k.firstCounted()
		for range k.Counted(args) {
			to = append(to, acl.Key{At: at, Need: need(len(needs) - 1)})
			at += k.step(args[at:])
		}
	}
	return to
}

// Denied returns why a user with these limits may not make the call, and the position of the argument.
// lastKey is as in Runner.Permit. A call with a command inside needs the right to that command, too. Then the
// position is that of its name.
func (c *Call) Denied(limits *acl.Limits, lastKey int) (why acl.Denial, at int) {
	if limits == nil {
		return acl.Allowed, 0
	}
	var keys Keys
	if lastKey > 0 {
		keys = c.keysTo(lastKey)
	} else {
		keys = c.KeysNow()
	}
	var buf [keysHeld]acl.Key
	r := c.Cmd.request(c.Args, &keys, buf[:0])
	if why, at = limits.Check(&r); why != acl.Allowed || c.Cmd.Keys.Inner == nil {
		return why, at
	}
	at, _ = c.Cmd.Keys.Inner(c.Args)
	if at >= len(c.Args) {
		return acl.Allowed, 0
	}
	cmd, err := Resolve(Lookup(c.Args[at]), c.Args[at:])
	if err != nil || cmd.Keys.Inner != nil {
		return acl.Allowed, 0 // the call is an error
	}
	inner := c.Other(cmd, c.Args[at:])
	if why, inside := inner.Denied(limits, 0); why != acl.Allowed {
		return why, at + inside
	}
	return acl.Allowed, 0
}

// NameAt returns the name of the command at a position that Denied returns.
func (c *Call) NameAt(at int) string {
	if at == 0 {
		return c.Cmd.FullName()
	}
	return strings.ToLower(string(c.Args[at]))
}

// keysHeld is for how many keys of a checked call there is room on the stack.
const keysHeld = 8
