package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// library is a client library with its program. The program sends at most sends requests for a call, because some
// libraries send a request again after a lost connection.
type library struct {
	name  string
	argv  []string
	sends int64
}

// libraries are the programs of ../clients, as ../clients/install builds them.
func libraries() []library {
	cache, err := filepath.Abs("../.cache")
	if err != nil {
		panic(err)
	}
	python, goes := []string{cache + "/venv/bin/python", "failover.py"}, []string{cache + "/clients"}
	node, java := []string{"node", "failover.mjs"}, []string{"java", "-cp", cache + "/java/classes:" + cache + "/java/lib/*", "Failover"}
	rust := []string{cache + "/rust/debug/failover"}
	return []library{
		{"go-redis-cluster", goes, 4},
		{"rueidis-cluster", goes, 1},
		{"redis-py-cluster", python, 4},
		{"node-redis-cluster", node, 17},
		{"ioredis-cluster", node, 17},
		{"jedis-cluster", java, 6},
		{"lettuce-cluster", java, 6},
		{"redis-rs-cluster", rust, 2},
		{"redis-rs-async-cluster", rust, 2},
		{"fred-cluster", rust, 4},
		{"go-redis-sentinel", goes, 4},
		{"redis-py-sentinel", python, 4},
		{"ioredis-sentinel", node, 21},
		{"redis-cli", python, 1},
		{"rolling-rate-limiter", node, 1},
	}
}

// chosen reports whether ONLY names a library, or is empty.
func chosen(l library) bool {
	only := os.Getenv("ONLY")
	return only == "" || strings.Contains(" "+only+" ", " "+l.name+" ")
}

// event is what happens to the cluster while the libraries call it. The first node keeps running where the event allows
// it, because plain clients know this node only.
type event struct {
	name string
	run  func(p *processes)
}

var events = []event{
	{"kill -9", func(p *processes) { p.kill(p.leaderBesideFirst()) }},
	{"CLUSTER FAILOVER", func(p *processes) { p.moveLeader() }},
	{"second kill -9", func(p *processes) { p.kill(p.leaderBesideFirst()) }},
	{"planned stop", func(p *processes) { p.stop(p.leaderBesideFirst()) }},
	{"SIGSTOP", func(p *processes) { p.pause(p.leaderBesideFirst(), 3*nodeTimeout) }},
}

// Client libraries go on after each event with documented errors only, and no reply is wrong.
func TestClientLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("the client libraries need Node, Python and Java")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3)
	var all []*program
	for _, l := range libraries() {
		if chosen(l) {
			all = append(all, newProgram(p, l))
		}
	}
	require.NotEmpty(t, all, "ONLY names no library")
	p.awaitProgress(all)
	for _, e := range events {
		// node-redis waits for ever if a leader dies while the client connects to it for the first time.
		p.leaderBesideFirst()
		p.awaitProgress(all)
		for _, one := range all {
			one.mark(e.name)
		}
		e.run(p)
		p.awaitProgress(all)
		p.heal()
		p.awaitProgress(all)
	}
	for _, one := range all {
		one.stop(t)
	}
	p.requireEqual()
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) { one.check(t, p) })
	}
	t.Logf("%d of %d programs were started again: %v", len(p.restarts), len(all), p.restarts)
}

// longestWait is how long a program may wait for a reply. go-redis needs a minute, as docs/cluster.md says.
const longestWait = 90 * time.Second

// restarts are the names of the programs that hung and were started again.
type restarts []string

// mostRestarts is how many programs of a run may hang. A fault of the server makes more of them hang.
const mostRestarts = 2

// add adds a program that hangs. Each program may hang once.
func (r *restarts) add(name string) error {
	if slices.Contains(*r, name) {
		return fmt.Errorf("%s hangs a second time", name)
	}
	if len(*r) == mostRestarts {
		return fmt.Errorf("%s hangs, too, after %s", name, strings.Join(*r, " and "))
	}
	*r = append(*r, name)
	return nil
}

func TestRestarts(t *testing.T) {
	var r restarts
	require.NoError(t, r.add("one"))
	require.EqualError(t, r.add("one"), "one hangs a second time")
	require.NoError(t, r.add("two"))
	require.EqualError(t, r.add("three"), "three hangs, too, after one and two")
	require.Equal(t, restarts{"one", "two"}, r)
}

// awaitProgress waits until each worker of each program has got some more replies. A program that hangs is started again,
// because some libraries wait for ever. load_test.go proves that the server answers each request.
func (p *processes) awaitProgress(all []*program) {
	p.t.Helper()
	for left := stuck(all, longestWait); len(left) > 0; left = stuck(left, longestWait) {
		p.logClients()
		for _, one := range left {
			one.startAgain(p)
		}
	}
}

// logClients logs the connections of each node that runs.
func (p *processes) logClients() {
	for i, n := range p.nodes {
		if n.running != nil {
			reply, err := p.ask(i, "CLIENT", "LIST")
			p.t.Logf("clients of node %d: %v %v", i, reply, err)
		}
	}
}

// leaderBesideFirst returns the leader, which is not the first node.
func (p *processes) leaderBesideFirst() int {
	p.t.Helper()
	if p.awaitLeader() == 0 {
		p.moveLeader()
	}
	return p.awaitLeader()
}

// moveLeader makes another node the leader, but not the first one.
func (p *processes) moveLeader() {
	p.t.Helper()
	next := len(p.nodes) - 1
	if p.awaitLeader() == next {
		next--
	}
	p.lead(next)
}

// documented are the errors that a client may get: the codes of the server that docs/cluster.md names, and the words of the
// libraries for a connection that ended, that was refused or that did not answer. redis-rs and redis-py have their own words
// for the codes.
var documented = regexp.MustCompile(`CLUSTERDOWN|MASTERDOWN|The cluster is down|MOVED|LOADING|MovedError|Moved: |MISCONF|READONLY|` +
	`ClusterDown: |MasterDown: |BusyLoading: |ReadOnly: |is loading the dataset|against a read only replica|Errors writing to the AOF|` +
	`EOF|unexpected end of file|[Uu]nexpected end of stream|[Rr]efused|ECONNREFUSED|[Rr]eset by peer|ECONNRESET|Connection reset|` +
	`[Bb]roken pipe|EPIPE|[Cc]los(ed|ing)|[Dd]isconnect|[Nn]ot connected|[Tt]imed? ?out|ETIMEDOUT|temporarily unavailable|` +
	`The previous master is now a slave|` + withoutNode)

// otherCode is a code of the server for a fault of the request, also if the rest has a word that is documented.
var otherCode = regexp.MustCompile(`\b(ERR|WRONGTYPE|WRONGPASS|NOAUTH|NOPERM|NOSCRIPT|CROSSSLOT|EXECABORT|BUSY\w*|OOM|TRYAGAIN)\b`)

// mayGet reports whether a client may get an error.
func mayGet(text string) bool { return documented.MatchString(text) && !otherCode.MatchString(text) }

// withoutNode are the words of the libraries for a cluster of which they reach no node, or do not know who has a slot. The
// sources of the libraries have them.
const withoutNode = `cluster has no nodes|connection is not usable|pool exhausted|no free turn|` + // go-redis
	`[Cc]onnection not (available|ready)|[Ss]entinels (specified in configuration )?are unreachable|` + // with redis-py, ioredis
	`the slot has no redis node|no available connection|no alive address|` + // rueidis
	`not covered by the cluster|slots are not covered|has no redis_connection|agree on a valid slots cache|` + // redis-py
	`Redis Cluster cannot be connected|exist in the cluster|No targets were found|No connection available|` +
	`root nodes are unavailable|client is offline|Cannot find node|Too many Cluster redirections|` + // node-redis, ioredis
	`startup nodes is available|Failed to refresh slots cache|isn't (ready|writeable)|max retries per request|` + // ioredis
	`Could not initialize cluster slots|broken connection|` +
	`No reachable node|No cluster nodes available|slots (list is empty|have holes)|No more (cluster )?attempts left|` + // Jedis
	`Cluster retry deadline exceeded|resource from the pool|[Ff]ailed (connecting|to connect|to create connection)|` +
	`Unable to connect|Cannot connect|No partition for slot|Cannot (determine|retrieve)|is not active|` + // Lettuce
	`point is not known|Partitions not initialized|` +
	`No connections found|ind a(ny)? connection|ind connection|node in cluster not found|to create initial connections|` + // redis-rs
	`check startup nodes|Missing slot coverage|get any slots|Requested connection not found|connection (task were )?dropped|` +
	`due to internal failure|respond to connection check|` +
	`No master found|hash slot owner|missing cluster state|Missing expected connection|Max attempts|Unresponsive|` + // fred
	`Unable to route|Failed to route|Too many (failed write attempts|redirections)|Max re(connection|direction)|` +
	`find cluster (owner|hash slot)|command to router|cluster routing state|Canceled|Failed to resolve`

// TestDocumented: each library may say that it reaches no node. A reply that nobody documents is found.
func TestDocumented(t *testing.T) {
	for _, text := range []string{
		"CLUSTERDOWN the cluster has no leader", "No connections found - ClusterConnectionNotFound",
		"redis: cluster has no nodes", "dial tcp N.N.N.N:N: connect: connection refused", "read tcp: i/o timeout",
		"Slot \"N\" is not covered by the cluster.", "None of startup nodes is available", "Cluster slots list is empty.",
		"All the root nodes are unavailable", "Failed to find cluster hash slot owner.", "Command timed out after N second(s)",
		"redis: all sentinels specified in configuration are unreachable", "All sentinels are unreachable and retry is disabled.",
		"redis: connection pool exhausted", "no alive address in InitAddress", "ConnectionError Connection not ready", "connect ETIMEDOUT",
		"Could not initialize cluster slots cache.", "Attempting to write to a broken connection.", "connection dropped - Io",
		"request wasn't handled due to internal failure", "Node failed to respond to connection check,", "Canceled Error: Canceled.",
		"BusyLoading: Redis is loading the dataset in memory", "You can't write against a read only replica.",
		"Failed to find cluster owner.", "Failed to send command to router.", "Missing cluster routing state.",
	} {
		require.True(t, mayGet(text), text)
	}
	for _, bait := range []string{
		"ERR unknown command", "ERR wrong number of arguments", "WRONGTYPE Operation against a key", "NOAUTH Authentication required.",
		"NOPERM no permissions", "CROSSSLOT Keys in request don't hash to the same slot", "NOSCRIPT No matching script", "BUSY Redis is busy",
		"OOM command not allowed when used memory > 'maxmemory'.", "EXECABORT Transaction discarded", "Protocol error, got \"N\"",
		"Invalid CLUSTER SLOTS response.", "redis: connection unusable (reply stream desynchronized)", "rueidis: parse error", "",
		"ERR timeout is out of range", "ResponseError: ERR the client has closed the connection before the end of the script",
		"NOAUTH Authentication required, connection closed", "BUSYKEY Target key name already exists: CLUSTERDOWN",
	} {
		require.False(t, mayGet(bait), bait)
	}
}
