package commands

import "slices"

// flagNames are the names of flags in COMMAND INFO, in the order of Redis.
var flagNames = []struct {
	flag Flags
	name string
}{
	{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"}, {PubSub, "pubsub"},
	{NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"}, {Stale, "stale"},
	{SkipMonitor, "skip_monitor"}, {SkipSlowlog, "skip_slowlog"}, {Fast, "fast"}, {NoAuth, "no_auth"},
	{NoMandatoryKeys, "no_mandatory_keys"}, {NoAsyncLoading, "no_async_loading"}, {NoMulti, "no_multi"},
	{movableKeys, "movablekeys"}, {AllowBusy, "allow_busy"},
}

// FlagNames returns the flags of a command as COMMAND INFO shows them.
func (c *Command) FlagNames() []string {
	flags := c.Flags
	if c.Keys.NumKeys > 0 || c.Keys.Inner != nil {
		flags |= movableKeys
	}
	var names []string
	for _, f := range flagNames {
		if flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// CategoryOrder lists all ACL categories in the order of Redis. Only "throttle" is not a category
// of Redis; Dragonfly has it.
var CategoryOrder = []string{"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
	"hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection",
	"transaction", "scripting", "throttle"}

var groupCategories = map[Group][]string{
	GroupString: {"string"}, GroupSortedSet: {"sortedset"}, GroupHash: {"hash"}, GroupSet: {"set"}, GroupList: {"list"}, GroupGeneric: {"keyspace"}, GroupConnection: {"connection"},
	GroupTransaction: {"transaction"}, GroupLimiter: {"throttle"}, GroupScripting: {"scripting"},
}

// ACLCategories returns the ACL categories of a command: those that its flags imply, and its own
// categories or those of its group.
func (c *Command) ACLCategories() []string {
	own := c.Categories
	if own == nil {
		own = groupCategories[c.Group]
	}
	has := map[string]bool{
		"write": c.Flags&Write != 0, "read": c.Flags&ReadOnly != 0 && c.Group != GroupScripting,
		"admin": c.Flags&Admin != 0, "pubsub": c.Flags&PubSub != 0,
		"fast": c.Flags&Fast != 0, "slow": c.Flags&Fast == 0, "blocking": c.Flags&Blocking != 0,
		"dangerous": c.Flags&Admin != 0,
	}
	var names []string
	for _, name := range CategoryOrder {
		if has[name] || slices.Contains(own, name) {
			names = append(names, "@"+name)
		}
	}
	return names
}
