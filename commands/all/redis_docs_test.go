package all_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// docsDiffer are the fields of COMMAND DOCS that differ from those of Redis, each with the reason.
var docsDiffer = map[string]string{
	"client|list arguments":             "Redis nests the repeated id in a block of its own; redis-cli shows both alike",
	"client|no-evict arguments":         "Redis calls the same choice enabled here, and status elsewhere; redis-cli does not show the name",
	"config|get arguments":              "Redis nests the repeated pattern in a block of its own; redis-cli shows both alike",
	"psubscribe arguments":              "Redis nests the repeated pattern in a block of its own; redis-cli shows both alike",
	"command|getkeys arguments":         "Redis does not describe them",
	"command|getkeysandflags arguments": "Redis does not describe them",
	"debug arguments":                   "Redis does not describe them",
	"debug doc_flags":                   "Redis marks the command as one for its developers; here users move the clock with it",
	"hscan complexity":                  "Redis ends the sentence twice",
	"sscan complexity":                  "Redis ends the sentence twice",
	"blmove arguments":                  "as lmove",
	"lmove arguments":                   "Redis gives its two equal choices different names; redis-cli does not show them",
	"replicaof arguments":               "Redis gives its choice a name of its own; redis-cli does not show it",
	"slaveof arguments":                 "as replicaof",
	"zscan complexity":                  "sorted sets have another structure here, so a call may cost more",
}

// TestCommandDocsEqualRedis compares COMMAND DOCS of every command that Redis has. The reply here
// has no history: neither the list of changes, nor the version of a single argument.
func TestCommandDocsEqualRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	redis.Do("HELLO", "3")
	theirs := docsByName(redis.Do("COMMAND", "DOCS").(resptest.Map))
	h := servertest.New(t)
	h.Do("HELLO 3")
	compared, differ := 0, map[string]bool{}
	for name, ours := range docsByName(h.Do("COMMAND DOCS").(resptest.Map)) {
		want, known := theirs[name]
		if !known {
			continue
		}
		for _, field := range []string{"summary", "since", "group", "complexity", "deprecated_since", "replaced_by", "doc_flags", "arguments"} {
			compared++
			if place := name + " " + field; docsDiffer[place] != "" {
				differ[place] = !reflect.DeepEqual(withoutVersions(want[field]), ours[field])
				require.True(t, differ[place], "%s is equal now", place)
				continue
			}
			require.Equal(t, withoutVersions(want[field]), ours[field], "%s %s", name, field)
		}
	}
	require.Greater(t, compared, 8*200)
	for place := range docsDiffer {
		command, _, _ := strings.Cut(place, " ")
		require.Equal(t, commands.Named([]byte(command)) != nil, differ[place], place)
	}
}

// docsByName returns the fields of each command and subcommand.
func docsByName(reply resptest.Map) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, command := range reply {
		fields := map[string]any{}
		for _, f := range command.Value.(resptest.Map) {
			fields[f.Key.(string)] = f.Value
		}
		all[command.Key.(string)] = fields
		if subs, ok := fields["subcommands"].(resptest.Map); ok {
			maps.Copy(all, docsByName(subs))
		}
	}
	return all
}

// withoutVersions returns a value without the fields of arguments that tell their history.
func withoutVersions(value any) any {
	switch v := value.(type) {
	case []any:
		var kept []any
		for _, one := range v {
			kept = append(kept, withoutVersions(one))
		}
		return kept
	case resptest.Map:
		var kept resptest.Map
		for _, pair := range v {
			if pair.Key != "since" && pair.Key != "deprecated_since" {
				kept = append(kept, resptest.Pair{Key: pair.Key, Value: withoutVersions(pair.Value)})
			}
		}
		return kept
	}
	return value
}
