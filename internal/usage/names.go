package usage

import "strings"

// types are the types of values by the word that names them. Any other word is a string. An entry
// with a command before the word is for that command alone.
var types = func() map[string]string {
	of := map[string]string{}
	for kind, words := range map[string]string{
		Key: "key key1 key2 newkey source destination src dst",
		"integer": "bits client-id cluster_bus_port config-epoch count cursor db decrement destination-db end end-slot frequency " +
			"increment index index1 index2 len limit max_burst milliseconds n num-matches numkeys " +
			"numreplicas offset port protover quantity rank " +
			"seconds slot start start-slot stop timeout tokens_per_period ttl version weight " +
			"lowerbound upperbound",
		"double":    "score lease period",
		"pattern":   "pattern",
		"unix-time": "unix-time-seconds unix-time-milliseconds",
	} {
		for _, word := range strings.Fields(words) {
			of[word] = kind
		}
	}
	for kind, words := range map[string][]string{
		"integer": {"cl.throttle period", "cl.probe period"},
		"double": {"hincrbyfloat increment", "incrbyfloat increment", "increx increment", "increx lowerbound", "increx upperbound",
			"zcount min", "zcount max", "zrangebyscore min", "zrangebyscore max", "zrevrangebyscore min", "zrevrangebyscore max",
			"zremrangebyscore min", "zremrangebyscore max", "cl.log seconds", "cl.pace seconds",
			"cl.reserve ttl", "blpop timeout", "brpop timeout", "blmove timeout", "brpoplpush timeout",
			"blmpop timeout",
			"bzpopmin timeout", "bzpopmax timeout", "bzmpop timeout"},
		"string": {"zrange start", "zrange stop"},
	} {
		for _, word := range words {
			of[word] = kind
		}
	}
	return of
}()

func typeOf(command, word string) string {
	if kind, ok := types[command+" "+word]; ok {
		return kind
	}
	if kind, ok := types[word]; ok {
		return kind
	}
	return "string"
}

// groupNames are names that Redis gives to groups, by the names of their members. redis-cli does
// not show them. Any other group has the names of its members.
var groupNames = map[string]string{
	"nx_xx": "condition", "nx_xx_gt_lt": "condition", "gt_lt": "comparison",
	"ex_px_exat_pxat_keepttl": "expiration", "ex_px_exat_pxat_persist": "expiration",
	"byscore_bylex": "sortby", "async_sync": "async", "count_reset": "operation", "min_max": "where", "left_right": "where", "before_after": "where",
	"count_withscores": "options", "count_withvalues": "options", "force_takeover": "options", "protover_auth_setname": "arguments",
	"write_all": "mode", "yes_no": "mode", "on_off": "status", "importing_migrating_node_stable": "subcommand",
	"normal_master_slave_replica_pubsub": "normal_master_slave_pubsub",
	"id_type_user_addr_laddr_skipme":     "new-format", "ip:port_new-format": "filter",
}

// groupName returns the name of a group with these members.
func groupName(members []Argument) string {
	var words []string
	for _, m := range members {
		words = append(words, label(m))
	}
	joined := strings.Join(words, "_")
	if given, ok := groupNames[joined]; ok {
		return given
	}
	return joined
}

// label is the name of a member: its token if it has one.
func label(a Argument) string {
	if a.Token != "" {
		return strings.ToLower(a.Token)
	}
	return a.Name
}

// choiceName returns the name of a choice behind a token. The kinds of clients are the one choice
// that Redis does not name after its token.
func choiceName(members, token string) string {
	if strings.HasPrefix(members, "normal_") {
		return members
	}
	return strings.ToLower(token)
}

// tokenName returns the name of a token without a value.
func tokenName(token string) string {
	switch token {
	case "CH":
		return "change"
	case "INCR":
		return "increment"
	}
	return strings.ToLower(token)
}
