package admin

import (
	"slices"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/internal/config"
)

const (
	errNoUserFile commands.Error = "ERR This Redis instance is not configured to use an ACL file. You " +
		"may want to specify users via the " +
		"ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration " +
		"file set) in order to store users " +
		"in the Redis configuration."
	errNotSaved commands.Error = "ERR There was an error trying to save the ACLs. Please check the " +
		"server logs for more information"
)

// aclLoad replaces all users by those of the aclfile. It disconnects the clients of users that the file does
// not name.
func aclLoad(c *commands.Call) error {
	file := c.Server.Settings.UserFile()
	if file == nil {
		return errNoUserFile
	}
	text, err := file.Read()
	if err != nil {
		return commands.Error("ERR Error loading ACLs, " + err.Error())
	}
	cfg := c.Server.Config()
	change, err := c.Server.Users.Load(file.Name(), text, cfg.RequirePass, cfg.ACLPubSubDefault == config.AllChannels)
	if err != nil {
		return commands.Error("ERR " + err.Error())
	}
	commands.WarnAbsent(c.Server.Log, c.Server.Users.Absent())
	disconnect(c, change.Deleted)
	for _, user := range change.Changed {
		revoke(c, user)
	}
	return commands.ReplyOK(c)
}

// aclSave writes all users to the aclfile.
func aclSave(c *commands.Call) error {
	file := c.Server.Settings.UserFile()
	if file == nil {
		return errNoUserFile
	}
	if err := file.Write(c.Server.Users.File()); err != nil {
		c.Server.Log.Error("ACL SAVE failed, and the aclfile is as before: make the file and its directory writable", "error", err)
		return errNotSaved
	}
	return commands.ReplyOK(c)
}

// disconnect closes the connections of deleted users.
func disconnect(c *commands.Call, deleted []*acl.User) {
	if len(deleted) > 0 {
		c.Server.Clients.Kill(c.Conn, func(client *commands.ClientInfo) bool { return slices.Contains(deleted, client.Identity.User) })
	}
}
