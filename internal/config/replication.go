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
	field("replicaof", value.ReplicaOf, "", &fields.Replication.Of,
		"A Redis or a Valkey whose keys [replace](migrating.md#a-live-move) those of this server, until "+
			"REPLICAOF NO ONE.").alias("slaveof").immutable(),
	field("masteruser", value.Text, "", &fields.Replication.User,
		"User of this server at the other one; empty is the default user.").sensitive(),
	field("masterauth", value.Text, "", &fields.Replication.Password,
		"Password of this server at the other one.").sensitive(),
	field("repl-timeout", value.Int(1, maxInt), "60", &fields.Replication.Timeout,
		"Seconds without a byte of the other server after which this one connects again."),
	field("tls-replication", value.YesNo, "no", &fields.Replication.TLS,
		"Whether this server speaks TLS with the other one. tls-ca-cert-file has the authorities that it "+
			"trusts. As in Redis, their certificates may have any name."),
)
