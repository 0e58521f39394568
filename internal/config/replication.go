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

var replicationDirectives = group("Following another server",
	field("replicaof", value.ReplicaOf, "", &fields.Replication.Of).alias("slaveof").immutable(),
	field("masteruser", value.Text, "", &fields.Replication.User).sensitive(),
	field("masterauth", value.Text, "", &fields.Replication.Password).sensitive(),
	field("repl-timeout", value.Int(1, maxInt), "60", &fields.Replication.Timeout),
	field("tls-replication", value.YesNo, "no", &fields.Replication.TLS),
)
