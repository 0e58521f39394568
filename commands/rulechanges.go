package commands

import "cellserver/limiters/ruleset"

// RuleChannel is the channel of publish/subscribe on which the server publishes each change of a rule.
const RuleChannel = "__cellserver__:rules"

// OverHTTP is the network of the address of a client that asks over HTTP.
const OverHTTP = "http"

// Author is who changed a rule.
type Author struct {
	User    string // the ACL user; "" for a file
	Address string // of the client
	Means   string // the command, or the name of the file or the URL
}

// RuleChanges hear of each change of a rule.
type RuleChanges interface {
	// Changed logs and publishes a change. No lock may be held.
	Changed(by Author, c ruleset.Change)
}

// RuleChanged says after the command that it has changed a rule. Nothing is said if the command is taken
// back.
func (c *Call) RuleChanged(change ruleset.Change) {
	from := c.Conn.Link.Peer.RemoteAddr()
	by := Author{Means: c.Name(), Address: from.String()}
	if from.Network() == OverHTTP {
		by.Means += " over HTTP"
	}
	if c.Conn.Identity.User != nil {
		by.User = c.Conn.Identity.User.Name()
	}
	hears := c.Server.RuleChanges // the call has ended by then
	c.Conn.After.Every(func() { hears.Changed(by, change) })
}
