package cluster

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"

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

// Clients that speak TLS get the ports for TLS, if the nodes have such ports. CLUSTER SHARDS has both.
func TestPortsForTLS(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	encrypted := h.NewClient(t)
	encrypted.TLS = true
	for i := range 2 {
		cluster.Now.Nodes[i].TLSPort = 6380
	}
	ports := func(c *servertest.Client) (slots []any, lines string) {
		for _, n := range c.Do("CLUSTER SLOTS").([]any)[0].([]any)[2:] {
			slots = append(slots, n.([]any)[1])
		}
		for line := range strings.Lines(c.Do("CLUSTER NODES").(string)) {
			lines += strings.Fields(line)[1] + " "
		}
		return slots, lines
	}
	slots, lines := ports(h.Client)
	require.Equal(t, []any{int64(6379), int64(6379), int64(6379)}, slots)
	require.Equal(t, "10.0.0.1:6379@16379 10.0.0.2:6379@16379 10.0.0.3:6379@16379 ", lines)
	slots, lines = ports(encrypted)
	require.Equal(t, []any{int64(6380), int64(6380), int64(6379)}, slots)
	require.Equal(t, "10.0.0.1:6380@16379 10.0.0.2:6380@16379 10.0.0.3:6379@16379 ", lines)

	address := "SENTINEL get-master-addr-by-name mymaster"
	require.Equal(t, []any{"10.0.0.2", "6379"}, h.Do(address))
	require.Equal(t, []any{"10.0.0.2", "6380"}, encrypted.Do(address))
	replica := factsOf(encrypted.Do("SENTINEL REPLICAS mymaster").([]any)[0])
	require.Equal(t, []any{"10.0.0.1:6380", "6380", "6380"}, []any{replica["name"], replica["port"], replica["master-port"]})
	require.Equal(t, resptest.Error("MOVED 15495 10.0.0.2:6379"), h.Do("GET a"))
	require.Equal(t, resptest.Error("MOVED 15495 10.0.0.2:6380"), encrypted.Do("GET a"))

	cluster.Now.Nodes[2].Port, cluster.Now.Nodes[2].TLSPort = 6390, 6390 // it has no other port
	for _, c := range []*servertest.Client{h.Client, encrypted} {
		var shown []any
		for _, n := range factsOf(c.Do("CLUSTER SHARDS").([]any)[0])["nodes"].([]any) {
			shown = append(shown, factsOf(n)["port"], factsOf(n)["tls-port"])
		}
		require.Equal(t, []any{int64(6379), int64(6380), int64(6379), int64(6380), nil, int64(6390)}, shown)
	}
}

func TestPortsForTLSOfAServerThatIsAlone(t *testing.T) {
	port := func(c *servertest.Client) any {
		return c.Do("CLUSTER SLOTS").([]any)[0].([]any)[2].([]any)[1]
	}
	h := servertest.New(t, "--cluster-enabled", "yes", "--cluster-announce-port", "7000", "--cluster-announce-tls-port", "7001")
	encrypted := h.NewClient(t)
	encrypted.TLS = true
	require.Equal(t, int64(7000), port(h.Client))
	require.Equal(t, int64(7001), port(encrypted))
	require.Equal(t, []any{"cluster-announce-tls-port", "7001"}, h.Do("CONFIG GET cluster-announce-tls-port"))
}

// A server that is alone, and has only a port for TLS, shows one port: the announced one.
func TestPortsOfAServerWithTLSOnly(t *testing.T) {
	for announced, want := range map[string]int64{"0": 6379, "7001": 7001} {
		h := servertest.New(t, "--cluster-enabled", "yes", "--cluster-announce-ip", "10.0.0.1", "--port", "0", "--tls-port", "6379",
			"--tls-cert-file", "a", "--tls-key-file", "b", "--tls-ca-cert-file", "c", "--cluster-announce-tls-port", announced)
		h.Client.TLS = true
		shard := factsOf(h.Do("CLUSTER SHARDS").([]any)[0])
		node := factsOf(shard["nodes"].([]any)[0])
		require.Equal(t, []any{nil, want}, []any{node["port"], node["tls-port"]})
		require.Equal(t, want, h.Do("CLUSTER SLOTS").([]any)[0].([]any)[2].([]any)[1])
	}
}
