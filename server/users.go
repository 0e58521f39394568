package server

import (
	"fmt"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/internal/config"
)

// Users returns the users of the server.
func (s *Server) Users() *acl.Users { return s.parts.Users }

// Logins returns what bounds the guesses of passwords and tokens.
func (s *Server) Logins() commands.Logins { return s.stats.Logins }

// Become makes a connection of the edge a user, without a password, and gives it a name.
func (c *Client) Become(user *acl.User, name string) {
	c.conn.Identity.User, c.conn.Identity.Name = user, name
	c.entry.Publish(nil)
}

// BecomeForeign shows a connection as that of a user whose rights another server checks.
func (c *Client) BecomeForeign(name string) {
	c.Become(c.server.parts.Users.Foreign(name), c.conn.Identity.Name)
}

// DefineUsers makes the users of the configuration: its lines, or its aclfile. The edge calls it before
// clients connect.
func (s *Server) DefineUsers() error {
	err := defineUsers(s.parts.Users, s.Config(), s.settings.userFile)
	if err == nil {
		commands.WarnAbsent(s.parts.Log, s.parts.Users.Absent())
		if s.parts.Users.Shut() {
			s.parts.Log.Warn("nobody can log in, because no user is on and has a password: " +
				"stop the server, and add a line such as 'user admin on >PASSWORD ~* &* +@all' to its ACL")
		}
	}
	return err
}

// CheckUsers returns the error that DefineUsers would return for a configuration. file is its aclfile, or
// nil.
func CheckUsers(cfg *config.Config, file commands.UserFile) error {
	return defineUsers(acl.New(commands.Rights()), cfg, file)
}

func defineUsers(users *acl.Users, cfg *config.Config, file commands.UserFile) error {
	allChannels := cfg.ACLPubSubDefault == config.AllChannels
	if file != nil {
		text, err := file.Read()
		if err == nil {
			_, err = users.Load(file.Name(), text, cfg.RequirePass, allChannels)
		}
		if err != nil {
			return fmt.Errorf("aclfile: %w", err)
		}
		return nil
	}
	var lines []acl.Line
	for _, l := range cfg.Users {
		lines = append(lines, acl.Line(l))
	}
	return users.Define(lines, allChannels)
}
