package differential

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// coverage counts the outcomes of Redis by command: "ok", "nil", or an error's text without the words of this one call.
type coverage map[string]map[string]int

var variable = regexp.MustCompile(`'[^']*'|‘[^’]*’|[0-9]+`)

func (c coverage) add(args []string, r reply) {
	name := strings.ToUpper(args[0])
	outcome := "ok"
	switch {
	case r.isError():
		outcome = variable.ReplaceAllString(r.text, "…")
	case r.null:
		outcome = "nil"
	}
	if strings.Contains(outcome, "unknown command") {
		name = "(unknown)"
	}
	if c[name] == nil {
		c[name] = map[string]int{}
	}
	c[name][outcome]++
}

func (c coverage) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintln(&b, name)
		for _, outcome := range slices.Sorted(maps.Keys(c[name])) {
			fmt.Fprintf(&b, "    %7d %s\n", c[name][outcome], outcome)
		}
	}
	return b.String()
}

// succeeded reports whether the command did its work at least once.
func (c coverage) succeeded(name string) bool {
	return c[name]["ok"]+c[name]["nil"] > 0
}

// unexercised lists the commands of ours that the streams leave out, with the reason.
var unexercised = map[string]string{
	"QUIT":         "ends the connection; the wire's own tests have it",
	"MONITOR":      "turns the connection into a stream",
	"SHUTDOWN":     "ends the server",
	"LOLWUT":       "shows itself",
	"SAVE":         "writes a file; tests of the whole server have it",
	"BGSAVE":       "as SAVE, and its duration changes later replies",
	"BGREWRITEAOF": "as BGSAVE; tests of the append-only file have it with a real Redis",
	"SUBSCRIBE":    "turns the connection into a stream, as do the three below; Redis's own unit/tracking and tests beside them have them",
	"PSUBSCRIBE":   "as SUBSCRIBE", "UNSUBSCRIBE": "as SUBSCRIBE", "PUNSUBSCRIBE": "as SUBSCRIBE",
	"SSUBSCRIBE": "as SUBSCRIBE; TestSubscribersOfShards has it, and the two below", "SUNSUBSCRIBE": "as SSUBSCRIBE", "SPUBLISH": "as SSUBSCRIBE",
	"BLPOP": "waits; TestClientsThatWait has it, and the seven below",
	"BRPOP": "as BLPOP", "BLMOVE": "as BLPOP", "BRPOPLPUSH": "as BLPOP", "BLMPOP": "as BLPOP",
	"BZPOPMIN": "as BLPOP", "BZPOPMAX": "as BLPOP", "BZMPOP": "as BLPOP",
	"REPLICAOF": "makes the server read-only; tests of the whole server follow a real Redis by it", "SLAVEOF": "as REPLICAOF",
	"INFO":     "its fields are the server's own",
	"INCREX":   "Redis 7.0 does not have it",
	"SENTINEL": "a Redis is no sentinel",
	"GCRA":     "Redis 7.0 does not have it",
	"THROTTLE": "throttlecrab's, not Redis's",
}

// missing lists the commands of ours that never did their work, but should.
func (c coverage) missing(ours []string) []string {
	var out []string
	for _, name := range ours {
		name = strings.ToUpper(name)
		if strings.Contains(name, "|") { // the streams name the parent
			continue
		}
		if strings.HasPrefix(name, "CL.") || unexercised[name] != "" || c.succeeded(name) {
			continue
		}
		if len(c[name]) > 0 && alwaysFails[name] {
			continue
		}
		out = append(out, name)
	}
	return out
}

// alwaysFails lists the commands that Redis refuses without a cluster.
var alwaysFails = map[string]bool{"CLUSTER": true, "READONLY": true, "READWRITE": true, "ASKING": true, "AUTH": true}
