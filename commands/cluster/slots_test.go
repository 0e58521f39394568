package cluster

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// shownSlots reads CLUSTER SLOTS as client libraries do, and returns "first-last leader replicas…"
// for each range. A node is the first letter of its id.
func shownSlots(t *testing.T, reply any) string {
	var ranges []string
	for _, r := range reply.([]any) {
		fields := r.([]any)
		shown := fmt.Sprintf("%d-%d", fields[0].(int64), fields[1].(int64))
		for _, n := range fields[2:] {
			node := n.([]any)
			require.Len(t, node, 4, "host, port, id, further facts")
			id := node[2].(string)
			require.Len(t, id, 40)
			require.Equal(t, fmt.Sprintf("10.0.0.%d", id[0]-'a'+1), node[0])
			require.Equal(t, int64(6379), node[1])
			require.Empty(t, node[3])
			shown += " " + id[:1]
		}
		ranges = append(ranges, shown)
	}
	return strings.Join(ranges, "; ")
}

// shownShards reads CLUSTER SHARDS as client libraries do, and returns "first-last node role offset
// health, …" for each shard.
func shownShards(t *testing.T, reply any) string {
	var shards []string
	for _, s := range reply.([]any) {
		shard := factsOf(s)
		slots := shard["slots"].([]any)
		var nodes []string
		for _, n := range shard["nodes"].([]any) {
			node := factsOf(n)
			require.Len(t, node, 7)
			id := node["id"].(string)
			require.Equal(t, int64(6379), node["port"])
			require.Equal(t, fmt.Sprintf("10.0.0.%d", id[0]-'a'+1), node["ip"])
			require.Equal(t, node["ip"], node["endpoint"])
			nodes = append(nodes, fmt.Sprintf("%s %s %d %s", id[:1], node["role"], node["replication-offset"], node["health"]))
		}
		shards = append(shards, fmt.Sprintf("%d-%d %s", slots[0], slots[1], strings.Join(nodes, ", ")))
	}
	return strings.Join(shards, "; ")
}

// shownLinks returns the nodes of CLUSTER LINKS.
func shownLinks(reply any) string {
	var nodes []string
	for _, l := range reply.([]any) {
		nodes = append(nodes, factsOf(l)["node"].(string)[:1])
	}
	return strings.Join(nodes, " ")
}

// factsOf returns a map of RESP3, or an array of names and values of RESP2.
func factsOf(reply any) map[string]any {
	all := map[string]any{}
	if pairs, ok := reply.(resptest.Map); ok {
		for _, p := range pairs {
			all[p.Key.(string)] = p.Value
		}
		return all
	}
	flat := reply.([]any)
	for i := 0; i < len(flat); i += 2 {
		all[flat[i].(string)] = flat[i+1]
	}
	return all
}
