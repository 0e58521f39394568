package differential

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// normalise removes from a reply what Redis does not define: the order of KEYS, the choice of random elements, times,
// identities and sizes.
func normalise(args []string, r reply, moved bool) reply {
	if r.isError() || r.isOK("QUEUED") {
		return r
	}
	name := strings.ToUpper(args[0])
	if name[:min(1, len(name))] == "Z" {
		r = withoutZeroSigns(r)
	}
	if len(args) > 1 && containerCommands[name] {
		name += " " + strings.ToUpper(args[1])
	}
	switch name {
	case "KEYS", "HKEYS", "HVALS", "SMEMBERS", "SUNION", "SINTER", "SDIFF", "SPOP":
		return sorted(r)
	case "HGETALL":
		return sortedPairs(r)
	case "DUMP":
		return dumped(r)
	case "ZRANDMEMBER", "RANDOMKEY", "HRANDFIELD", "SRANDMEMBER":
		return shape(r)
	case "SCAN", "ZSCAN", "HSCAN", "SSCAN": // within a transaction
		return reply{kind: r.kind}
	case "TIME":
		if !moved {
			return shape(r)
		}
	case "DBSIZE":
		return r
	case "HELLO":
		return withoutFields(r, "id", "version", "modules", "server")
	case "COMMAND INFO":
		return commandInfo(r)
	case "COMMAND COUNT", "CLIENT ID", "CLIENT INFO", "CLIENT LIST", "MEMORY USAGE", "OBJECT IDLETIME",
		"LASTSAVE", "INFO", "SLOWLOG LEN", "SLOWLOG GET", "LATENCY LATEST", "LATENCY DOCTOR":
		return reply{kind: r.kind, null: r.null}
	}
	return r
}

// containerCommands have subcommands. The subcommand decides how the test compares a reply.
var containerCommands = map[string]bool{
	"CLIENT": true, "COMMAND": true, "CONFIG": true, "OBJECT": true, "MEMORY": true, "SLOWLOG": true,
	"LATENCY": true, "CLUSTER": true, "DEBUG": true,
}

func sorted(r reply) reply {
	out := r
	out.elems = slices.Clone(r.elems)
	sort.Slice(out.elems, func(i, j int) bool { return out.elems[i].String() < out.elems[j].String() })
	return out
}

// sortedPairs sorts a flat list of fields and values by field.
func sortedPairs(r reply) reply {
	pairs := slices.Collect(slices.Chunk(r.elems, 2))
	slices.SortFunc(pairs, func(a, b []reply) int { return strings.Compare(a[0].String(), b[0].String()) })
	out := r
	out.elems = slices.Concat(pairs...)
	return out
}

// withoutZeroSigns makes every score -0 a 0. Both servers keep the sign in one encoding and lose it in the other. A
// stored range may change its encoding an item later in Redis.
func withoutZeroSigns(r reply) reply {
	if (r.kind == '$' || r.kind == ',') && r.text == "-0" {
		r.text = "0"
	}
	elems := r.elems
	r.elems = nil
	for _, e := range elems {
		r.elems = append(r.elems, withoutZeroSigns(e))
	}
	return r
}

// shape keeps only the types of a reply.
func shape(r reply) reply {
	out := reply{kind: r.kind, null: r.null}
	for _, e := range r.elems {
		out.elems = append(out.elems, shape(e))
	}
	return out
}

// withoutFields removes fields from a map, which may be a flat array.
func withoutFields(r reply, names ...string) reply {
	out := reply{kind: r.kind}
	for i := 0; i+1 < len(r.elems); i += 2 {
		if !slices.Contains(names, r.elems[i].text) {
			out.elems = append(out.elems, r.elems[i], r.elems[i+1])
		}
	}
	return out
}

// commandInfo keeps the name, arity, flags and key positions of every entry.
func commandInfo(r reply) reply {
	out := reply{kind: r.kind}
	for _, e := range r.elems {
		if len(e.elems) > 6 {
			e.elems = slices.Clone(e.elems[:6])
			e.elems[2] = sorted(e.elems[2])
		}
		out.elems = append(out.elems, e)
	}
	return out
}

// timesAgree reports whether two replies are remaining times that differ by at most the error of the real clocks, which is a second,
// and more after a slow step.
func timesAgree(args []string, want, got reply, slowest time.Duration) bool {
	slack := time.Second + slowest
	tolerance := int64(slack / time.Second)
	switch strings.ToUpper(args[0]) {
	case "PTTL", "PEXPIRETIME":
		tolerance = slack.Milliseconds()
	case "TTL", "EXPIRETIME":
	default:
		return false
	}
	w, err1 := strconv.ParseInt(want.text, 10, 64)
	g, err2 := strconv.ParseInt(got.text, 10, 64)
	return want.kind == ':' && got.kind == ':' && err1 == nil && err2 == nil &&
		w >= 0 && g >= 0 && w-g <= tolerance && g-w <= tolerance
}
