package differential

import "strings"

var serverGrammar = []production{
	{"MULTI", 4, nothing},
	{"EXEC", 2, nothing},
	{"DISCARD", 1, nothing},
	{"WATCH", 3, func(g *generator) []string { return g.list(1, 2, g.anyKey) }},
	{"UNWATCH", 1, nothing},
	{"PING", 2, func(g *generator) []string { return g.list(0, 1, g.value) }},
	{"ECHO", 2, keyed(value)},
	{"SELECT", 3, func(g *generator) []string { return []string{g.database()} }},
	{"SWAPDB", 1, func(g *generator) []string { return []string{g.database(), g.database()} }},
	{"TIME", 1, nothing},
	{"MEMORY USAGE", 2, func(g *generator) []string {
		return append([]string{g.anyKey()}, g.some(0.2, "SAMPLES 5", "SAMPLES -1")...)
	}},
	{"CLIENT SETNAME", 1, func(g *generator) []string { return []string{g.pick("me", "", "a b", "x\n", "ü", "n~")} }},
	{"COMMAND INFO", 1, func(g *generator) []string { return g.list(1, 3, g.commandName) }},
	{"COMMAND GETKEYS", 3, func(g *generator) []string {
		if g.chance(0.1) {
			return []string{g.pick("PING", "nosuch", "MULTI", "GET", "EXEC", "CLIENT")}
		}
		return g.command()
	}},
	{"COMMAND GETKEYSANDFLAGS", 1, func(g *generator) []string { return g.command() }},
	{"EVAL", 8, inScript},
	{"EVAL_RO", 2, inScript},
	{"EVALSHA", 2, keyed(func(g *generator) string { return g.pick("e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x") }, func(*generator) string { return "0" })},
	{"EVALSHA_RO", 2, keyed(func(g *generator) string { return g.pick("e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x") }, func(*generator) string { return "0" })},
	{"SCRIPT LOAD", 3, func(g *generator) []string { return []string{g.pick("return 1", "return 1", "return", "x")} }},
	{"SCRIPT EXISTS", 1, oneOf("x", "x y")},
	{"SCRIPT FLUSH", 1, oneOf("", "ASYNC", "SYNC", "x")},
	{"SCRIPT KILL", 1, oneOf("")},
	{"FUNCTION", 1, oneOf("", "LIST", "LIST WITHCODE", "LIST LIBRARYNAME", "LIST x", "STATS", "DUMP", "FLUSH", "FLUSH SYNC", "FLUSH x")},
	{"MODULE", 1, oneOf("", "LIST", "LIST x")},
	{"", 1, func(g *generator) []string {
		return append([]string{g.pick("nosuch", "GETT", "", "foo\r\nbar", strings.Repeat("y", 200))}, g.list(0, 4, g.value)...)
	}},
}

// inScript makes a script of a string's command. Its declared key is right, or absent.
func inScript(g *generator) []string {
	p := stringGrammar[g.IntN(9)]
	args := append([]string{p.name}, p.make(g)...)
	script := g.pick("return redis.pcall(unpack(ARGV))", "redis.pcall('APPEND', ARGV[2], 'x') return redis.pcall(unpack(ARGV))",
		"redis.pcall(unpack(ARGV)) return {redis.pcall('GET', ARGV[2]), redis.pcall('TTL', ARGV[2])}")
	if g.chance(0.5) {
		return append([]string{script, "1", args[1]}, args...)
	}
	return append([]string{script, "0"}, args...)
}

func (g *generator) commandName() string {
	c := g.grammar[g.IntN(len(g.grammar))]
	if g.chance(0.05) || c.name == "" {
		return g.pick("nosuch", "", "client|list", "object|encoding", "client")
	}
	return strings.ToLower(strings.Fields(c.name)[0])
}

// fixedGrammar is sent unchanged. A changed word could close the connection, block it, or stop its replies.
var fixedGrammar = []production{
	{"FLUSHALL", 1, oneOf("", "ASYNC", "SYNC")},
	{"FLUSHDB", 1, oneOf("", "ASYNC", "SYNC", "NOW", "SYNC SYNC")},
	{"RESET", 1, oneOf("")},
	{"HELLO", 4, oneOf("", "2", "3", "3", "3", "1", "4", "abc", "3 SETNAME x", "3 SETNAME", "2 AUTH default pw", "3 AUTH nobody pw",
		"3 AUTH x", "3 FOO", "3 SETNAME a SETNAME b", "-3", "9223372036854775808")},
	{"AUTH", 1, oneOf("", "pw", "default pw", "nobody pw", "a b c")},
	{"WAIT", 1, oneOf("0 0", "0 -1", "a 0", "0 b", "0", "-1 0")},
	{"CLIENT", 6, oneOf("", "GETNAME", "GETNAME x", "ID", "ID x", "INFO", "LIST", "LIST TYPE normal", "LIST TYPE nosuch", "LIST ID", "LIST ID abc",
		"LIST FOO", "LIST ID 0", "LIST TYPE", "KILL", "KILL nosuch", "KILL ID", "KILL ID abc", "KILL ID 99999999", "KILL ID 0", "KILL TYPE nosuch", "KILL FOO bar",
		"KILL ADDR 1.2.3.4:5", "KILL USER nosuch", "KILL SKIPME maybe", "KILL 1.2.3.4:5", "NO-EVICT on", "NO-EVICT off", "NO-EVICT maybe",
		"NO-EVICT", "REPLY ON", "REPLY maybe", "REPLY", "PAUSE", "PAUSE abc", "PAUSE -1", "PAUSE 10 FOO", "UNPAUSE", "UNPAUSE x",
		"TRACKING", "TRACKING maybe", "TRACKING OFF", "TRACKING ON FOO", "TRACKING ON REDIRECT abc", "TRACKING ON REDIRECT 99999999",
		"TRACKING ON OPTIN OPTOUT", "TRACKING ON PREFIX a", "TRACKING ON BCAST OPTIN", "CACHING yes", "CACHING no", "CACHING maybe", "TRACKINGINFO",
		"GETREDIR", "NOSUCH", "SETNAME", "GETREDIR x", "UNBLOCK", "UNBLOCK abc", "UNBLOCK 9999999", "UNBLOCK 1 FOO")},
	{"CONFIG", 2, oneOf("", "GET", "GET nosuch", "GET databases", "GET databases nosuch databases", "GET DATABASES", "SET", "SET nosuch 1", "SET maxmemory", "SET maxmemory abc",
		"SET databases 5", "SET maxmemory-policy nosuch", "RESETSTAT", "RESETSTAT x", "NOSUCH", "GET maxmemory", "GET maxmemory-policy",
		"SET timeout 0 timeout 0", "SET hz", "SET maxclients abc", "GET timeou[t]", "SET appendonly maybe", "REWRITE x")},
	{"DEBUG", 1, oneOf("", "NOSUCH", "NOSUCH a b", "SLEEP", "SLEEP 0", "SET-ACTIVE-EXPIRE")},
	{"COMMAND", 1, oneOf("NOSUCH", "COUNT", "COUNT x", "GETKEYS", "LIST x", "LIST FILTERBY", "LIST FILTERBY FOO x", "LIST FILTERBY MODULE nosuch", "DOCS nosuch", "INFO nosuch", "COUNT")},
	{"OBJECT", 1, oneOf("", "ENCODING", "NOSUCH", "ENCODING a b", "FREQ never", "IDLETIME never")},
	{"MEMORY", 1, oneOf("", "NOSUCH", "USAGE", "USAGE never", "USAGE s1 SAMPLES", "USAGE s1 FOO 1")},
	{"SLOWLOG", 1, oneOf("", "LEN", "RESET", "GET", "GET abc", "GET -1", "GET -2", "NOSUCH", "LEN x", "GET 1 2")},
	{"LATENCY", 1, oneOf("", "LATEST", "RESET", "RESET a", "HISTORY a", "HISTORY", "NOSUCH")},
	{"CLUSTER", 1, oneOf("", "INFO", "SLOTS", "NODES", "KEYSLOT a", "NOSUCH", "MYID", "KEYSLOT")},
	{"READONLY", 1, oneOf("", "x")},
	{"READWRITE", 1, oneOf("")},
	{"ASKING", 1, oneOf("")},
	{"ROLE", 1, oneOf("", "x")},
	{"LASTSAVE", 1, oneOf("", "x")},
	{"INFO", 1, oneOf("", "nosuch", "server")},
	{"PUBLISH", 1, oneOf("", "channel", "channel message", "channel a b")},
	{"PUBSUB", 1, oneOf("", "CHANNELS", "CHANNELS *", "NUMSUB", "NUMSUB a b", "NUMPAT", "NUMPAT x", "NOSUCH")},
	{"ACL", 1, oneOf("", "WHOAMI", "USERS", "WHOAMI x", "CAT nosuch", "NOSUCH")},
	{"SUBSCRIBE", 1, oneOf("")},
	{"PSUBSCRIBE", 1, oneOf("")},
	{"MULTI", 1, oneOf("x")},
	{"EXEC", 1, oneOf("x")},
	{"SPOP", 2, func(g *generator) []string {
		return []string{g.setKey(), g.pick("1000", "0", "-1", "abc", "1000", "9999999999")}
	}},
}

func oneOf(tails ...string) func(*generator) []string {
	return func(g *generator) []string { return strings.Fields(g.pick(tails...)) }
}

// isFixed reports whether mutate must leave a production unchanged.
func isFixed(name string) bool {
	for _, c := range fixedGrammar {
		if c.name == name {
			return true
		}
	}
	return strings.HasPrefix(name, "COMMAND") || name == ""
}
