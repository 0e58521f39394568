package config

import (
	"strconv"
	"strings"

	"cellserver/internal/config/value"
)

// Replication says which server this one follows, and how.
type Replication struct {
	Of             string // host and port, "": none
	User, Password string
	Timeout        int // seconds
	TLS            bool
}

// Address returns the server to follow, "" for none.
func (r *Replication) Address() (host string, port int) {
	host, digits, _ := strings.Cut(r.Of, " ")
	port, _ = strconv.Atoi(digits) // the kind of the value has checked it
	return host, port
}

var replicationDirectives = group("Following another server", "",
	field("replicaof", value.ReplicaOf, "", func(c *Config) *string { return &c.Replication.Of },
		"A Redis or a Valkey whose keys [replace](migrating.md#a-live-move) those of this server, until "+
			"REPLICAOF NO ONE.").alias("slaveof").immutable(),
	field("masteruser", value.Text, "", func(c *Config) *string { return &c.Replication.User },
		"User of this server at the other one; empty is the default user.").sensitive(),
	field("masterauth", value.Text, "", func(c *Config) *string { return &c.Replication.Password },
		"Password of this server at the other one.").sensitive(),
	field("repl-timeout", value.Int(1, maxInt), "60", func(c *Config) *int { return &c.Replication.Timeout },
		"Seconds without a byte of the other server after which this one connects again."),
	field("tls-replication", value.YesNo, "no", func(c *Config) *bool { return &c.Replication.TLS },
		"Whether this server speaks TLS with the other one. tls-ca-cert-file has the authorities that it "+
			"trusts. As in Redis, their certificates may have any name."),
)
