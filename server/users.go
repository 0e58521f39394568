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

// DefineUsers makes the users of the configuration: its lines, or its aclfile. The edge calls it before
// clients connect.
func (s *Server) DefineUsers() error {
	err := s.defineUsers()
	if err == nil {
		commands.WarnAbsent(s.parts.Log, s.parts.Users.Absent())
	}
	return err
}

func (s *Server) defineUsers() error {
	cfg := s.Config()
	allChannels := cfg.ACLPubSubDefault == config.AllChannels
	if file := s.settings.userFile; file != nil {
		text, err := file.Read()
		if err == nil {
			_, err = s.parts.Users.Load(file.Name(), text, cfg.RequirePass, allChannels)
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
	return s.parts.Users.Define(lines, allChannels)
}
