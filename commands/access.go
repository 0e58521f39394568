package commands

import (
	"strings"

	"cellserver/acl"
)

// Channels says which arguments of a command are channels of pub/sub.
type Channels uint8

// The kinds of channel arguments.
const (
	NoChannels   Channels = iota
	FirstChannel          // the first argument is a channel
	AllChannels           // all arguments are channels
	AllPatterns           // all arguments are patterns of channels
	FirstShard            // the first argument is a channel of a shard, which has a slot as a key has
	AllShards             // all arguments are channels of shards
	LeftShards            // the same, of a client that leaves them, which needs no right
)

// NeedRight reports whether ACL rules of channels say who may name them.
func (c Channels) NeedRight() bool { return c != NoChannels && c != LeftShards }

// permissions returns what each key specification of [Keys.Access] does with its keys, as ACL counts it.
func permissions(access string) []acl.Permission {
	if access == "" {
		return []acl.Permission{acl.Read}
	}
	var all []acl.Permission
	for spec := range strings.SplitSeq(access, ";") {
		var p acl.Permission
		for flag := range strings.FieldsSeq(spec) {
			switch flag {
			case "ACCESS":
				p |= acl.Read
			case "INSERT", "DELETE", "UPDATE":
				p |= acl.Write
			}
		}
		all = append(all, p)
	}
	return all
}

// Subject is the kind of a subscription: a channel, a channel of a shard, or a pattern of channels.
type Subject uint8

// The kinds of subscriptions.
const (
	Channel Subject = iota
	Shard
	Pattern
	subjects // how many there are
)
