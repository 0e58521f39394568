package config

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/config/value"
	"cellserver/internal/topology"
)

// Upstream has the values of a sidecar. They have no effect while Nodes is empty.
type Upstream struct {
	Nodes          []string // host:port of each node of the hub; empty: the server is no sidecar
	User, Password string   // of clients that do not authenticate
	TLS            bool
	Mode           Mode
	Interval       int64 // milliseconds
	Lease          int64 // milliseconds
	Lost           Lost
	Keys           int
	Timeout        int // milliseconds
}

// Mode says how a sidecar decides.
type Mode string

// The values of upstream-mode.
const (
	ModeExact  Mode = "exact"  // with units that the hub has counted
	ModeReport Mode = "report" // at once, and the hub counts later
)

// Lost says what a sidecar does while the hub does not answer.
type Lost string

// The values of upstream-lost.
const (
	LostDeny  Lost = "deny"  // refuse what no lease covers
	LostAllow Lost = "allow" // allow everything
	LostLocal Lost = "local" // decide by the limit divided by the number of sidecars
)

// mostUpstreams bounds the nodes of a hub.
const mostUpstreams = topology.MostNodes

var upstreamDirectives = group("Sidecar",
	field("upstream", hubAddresses, "", &fields.Upstream.Nodes).immutable(),
	field("upstream-user", value.Text, "", &fields.Upstream.User).immutable(),
	field("upstream-password", value.Text, "", &fields.Upstream.Password).immutable().sensitive(),
	field("upstream-tls", value.YesNo, "no", &fields.Upstream.TLS).immutable(),
	field("upstream-mode", value.Enum(ModeExact, ModeReport), "exact", &fields.Upstream.Mode),
	field("upstream-interval", value.Int64(20, 10_000), "100", &fields.Upstream.Interval),
	field("upstream-lease", value.Int64(10, 60_000), "1000", &fields.Upstream.Lease),
	field("upstream-lost", value.Enum(LostDeny, LostAllow, LostLocal), "deny", &fields.Upstream.Lost),
	field("upstream-keys", value.Int(1, 100_000_000), "100000", &fields.Upstream.Keys),
	field("upstream-timeout", value.Int(1, 60_000), "100", &fields.Upstream.Timeout),
)

// hubAddresses is the kind of upstream: addresses with spaces or commas between them.
var hubAddresses = value.Kind[[]string]{
	Values: fmt.Sprintf("up to %d addresses, host:port", mostUpstreams),
	Many:   true,
	Parse: func(args []string) (all []string, err error) {
		isComma := func(r rune) bool { return r == ',' }
		for _, text := range strings.FieldsFunc(strings.Join(args, ","), isComma) {
			if !topology.IsHostPort(text) {
				return nil, fmt.Errorf("'%s' is not host:port, such as 10.0.0.1:6379", text)
			}
			all = append(all, text)
		}
		if len(all) > mostUpstreams {
			return nil, fmt.Errorf("at most %d nodes", mostUpstreams)
		}
		return all, nil
	},
	Format: func(list []string) string { return strings.Join(list, " ") },
}

// validateUpstream checks the directives of a sidecar against the rest.
func (c *Config) validateUpstream() error {
	u := &c.Upstream
	switch {
	case len(u.Nodes) == 0 && (u.User != "" || u.Password != "" || u.TLS):
		return errors.New("upstream-user, upstream-password and upstream-tls need upstream: name the hub")
	case len(u.Nodes) == 0:
		return nil
	case len(c.Cluster.Nodes) > 0 || c.ClusterEnabled:
		return errors.New("upstream cannot go with cluster-nodes or cluster-enabled: a sidecar has no " +
			"keys, so it is no node; name the nodes of the cluster in upstream")
	case c.AppendOnly:
		return errors.New("upstream cannot go with appendonly yes: a sidecar has no keys to keep, " +
			"the hub has them")
	case len(c.Save) > 0:
		return errors.New("upstream cannot go with save: a sidecar has no keys to keep, the hub has them")
	case c.RulesFile != "" || c.RulesURL != "":
		return errors.New("upstream cannot go with rules-file or rules-url: the hub has the rules")
	case c.RequirePass != "" || c.ACLFile != "" || len(c.Users) > 0:
		return errors.New("upstream cannot go with requirepass, aclfile or user: the users are those " +
			"of the hub")
	case c.HTTP.User != "default":
		return errors.New("upstream cannot go with http-user: requests over HTTP are those of upstream-user")
	case u.TLS && (c.TLSCertFile == "") != (c.TLSKeyFile == ""):
		return errors.New("upstream-tls needs both tls-cert-file and tls-key-file, or none of them")
	case u.User != "" && u.Password == "":
		return errors.New("upstream-user needs upstream-password")
	}
	return nil
}
