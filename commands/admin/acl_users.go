package admin

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/internal/config"
)

// aclEach replies with a text about each user.
func aclEach(text func(*acl.User) string) func(*commands.Call) error {
	return func(c *commands.Call) error {
		var texts []string
		for _, user := range c.Server.Users.All() {
			texts = append(texts, text(user))
		}
		commands.StringArray(c.Out, texts)
		return nil
	}
}

// aclGetUser describes a user. Its own rules come first, and then its selectors.
func aclGetUser(c *commands.Call) error {
	user := c.Server.Users.Find(string(c.Args[2]))
	if user == nil {
		c.Out.Null()
		return nil
	}
	w, d := c.Out, user.Definition()
	views := d.Views()
	w.Map(6)
	w.BulkString("flags")
	commands.StringSet(w, d.Flags())
	w.BulkString("passwords")
	commands.StringArray(w, d.Passwords())
	fields := func(v acl.View) {
		commands.Field(w, "commands", v.Commands)
		commands.Field(w, "keys", v.Keys)
		commands.Field(w, "channels", v.Channels)
	}
	fields(views[0])
	w.BulkString("selectors")
	w.Array(len(views) - 1)
	for _, v := range views[1:] {
		w.Map(3)
		fields(v)
	}
	return nil
}

// aclSetUser makes a user, or changes one. Its connections have the new rights with their next command. It
// disconnects subscribers of channels that the user may not have any more.
func aclSetUser(c *commands.Call) error {
	words := make([]string, 0, len(c.Args))
	c.Hide(2)
	for _, arg := range c.Args[2:] {
		words = append(words, string(arg))
	}
	user, err := c.Server.Users.Set(words[0], words[1:], c.Server.Config().ACLPubSubDefault == config.AllChannels)
	switch wrong, is := errors.AsType[*acl.WordError](err); {
	case is:
		return commands.Error("ERR Error in ACL SETUSER modifier " + wrong.Error())
	case err != nil:
		return commands.Error("ERR " + err.Error())
	}
	commands.WarnAbsent(c.Server.Log, user.Definition().Absent())
	revoke(c, user)
	return commands.ReplyOK(c)
}

// revoke disconnects the clients of a user that have a subscription for which the user has no right.
func revoke(c *commands.Call, user *acl.User) {
	limits := user.Limits()
	if limits == nil {
		return
	}
	ids := c.Server.PubSub.Without(limits.AllowsChannel)
	if len(ids) > 0 {
		c.Server.Clients.Kill(c.Conn, func(client *commands.ClientInfo) bool {
			of, _ := c.Server.Users.Rights(client.Identity.User)
			return of == user && ids[client.ID]
		})
	}
}

// aclDelUser deletes users and disconnects their clients. It replies with the number of users that existed.
func aclDelUser(c *commands.Call) error {
	var names []string
	for _, arg := range c.Args[2:] {
		if string(arg) == acl.DefaultName {
			return commands.Error("ERR The 'default' user cannot be removed")
		}
		names = append(names, string(arg))
	}
	deleted := c.Server.Users.Delete(names)
	disconnect(c, deleted)
	c.Out.Int(int64(len(deleted)))
	return nil
}

// aclDryRun says whether a user may make a call: it replies OK, or with the reason.
func aclDryRun(c *commands.Call) error {
	c.Hide(4) // the call may be AUTH
	user, args := c.Server.Users.Find(string(c.Args[2])), c.Args[3:]
	if user == nil {
		return commands.Error("ERR User '" + commands.Clip(c.Args[2], len(c.Args[2])) + "' not found")
	}
	cmd, err := commands.Resolve(commands.Lookup(args[0]), args)
	switch {
	case cmd == nil:
		return commands.Error("ERR Command '" + commands.Clip(args[0], len(args[0])) + "' not found")
	case err != nil:
		return err
	}
	asked := c.Other(cmd, args)
	why, at := asked.Denied(user.Limits(), 0)
	switch why {
	case acl.Allowed:
		return commands.ReplyOK(c)
	case acl.DeniedCommand:
		c.Out.BulkString("This user has no permissions to run the '" + asked.NameAt(at) + "' command")
		return nil
	}
	c.Out.BulkString(fmt.Sprintf("This user has no permissions to access the '%s' %s", args[at], why))
	return nil
}

// maxBits is the size of the largest password of GENPASS.
const maxBits = 4096

// aclGenPass replies with a random password in hexadecimal.
func aclGenPass(c *commands.Call) error {
	bits := int64(256)
	switch len(c.Args) {
	case 2:
	case 3:
		var err error
		if bits, err = c.Int(2); err != nil {
			return err
		}
	default:
		return c.SubcommandSyntax()
	}
	if bits <= 0 || bits > maxBits {
		return commands.Error(fmt.Sprintf("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to %d", maxBits))
	}
	var secret [maxBits / 8]byte
	rand.Read(secret[:])
	c.Out.BulkString(hex.EncodeToString(secret[:])[:(bits+3)/4])
	return nil
}
