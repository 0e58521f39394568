package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the path in go.mod, which the owner changes when the source is published.
var module = strings.TrimSuffix(reflect.TypeFor[goPackage]().PkgPath(), "/tests")

// mayImport says which of the module's packages each package may import: data flows from the wire to the store
// and never back. A package that is not here has no place yet; a new arrow is a decision, made here.
var mayImport = map[string][]string{
	// Helpers know nothing of ours.
	"internal/exact":      {},
	"internal/decimal":    {},
	"internal/pieces":     {},
	"internal/glob":       {},
	"internal/word":       {},
	"internal/rediserr":   {},
	"internal/topk":       {},
	"internal/quote":      {},
	"internal/longdouble": {},
	// The configuration: its values, its table of directives, and the sources of both.
	"internal/config/value":      {"internal/quote"},
	"internal/config":            {"internal/config/value", "internal/topology", "internal/word"},
	"internal/config/configload": {"internal/config", "internal/config/value", "internal/quote"},
	"internal/buildtest":         {},
	"internal/certtest":          {},
	"internal/processtest":       {},
	"internal/porttest":          {},
	"internal/pausetest":         {},
	"internal/promisetest":       {},
	"internal/randtest":          {},
	"internal/notices":           {},
	"internal/topology":          {},

	// The pure limiters know numbers only.
	"gcra":                {"internal/exact"},
	"limiters/window":     {"internal/exact"},
	"limiters/slidinglog": {"internal/exact"},
	"limiters/pace":       {"internal/exact"},
	"limiters/lease":      {},
	"limiters/adaptive":   {"internal/exact"},
	// The records of reservations are bytes, and a calendar is a time zone.
	"limiters/reservation": {},
	"limiters/calendar":    {},
	// Limits in people's words are texts.
	"limiters/phrase": {"internal/quote", "internal/word"},

	// The wire and the keyspace do not know each other.
	"resp":            {"internal/decimal", "internal/quote"},
	"resp/transport":  {"resp"},
	"resp/resptest":   {},
	"store/value":     {},
	"store/memory":    {},
	"store/packed":    {"internal/decimal"},
	"store/trie":      {"store/packed"},
	"store/hash":      {"store/packed", "store/trie", "store/value"},
	"store/list":      {"store/packed", "store/value"},
	"store/set":       {"internal/decimal", "store/packed", "store/trie", "store/value"},
	"store/sortedset": {"store/packed", "store/value"},
	"store/table":     {"internal/decimal", "internal/exact", "internal/pieces", "store/memory", "store/value"},
	"store":           {"internal/decimal", "internal/pieces", "store/hash", "store/list", "store/memory", "store/set", "store/sortedset", "store/table", "store/value"},

	// Limits live in keys.
	"limiters": {"internal/decimal", "internal/exact", "internal/quote", "internal/rediserr", "internal/word", "gcra", "limiters/window", "limiters/slidinglog",
		"limiters/pace", "limiters/lease", "limiters/calendar", "limiters/reservation", "store"},
	"limiters/flight": {"internal/decimal", "internal/exact", "internal/quote", "internal/rediserr",
		"internal/word", "limiters", "limiters/adaptive", "limiters/flight", "limiters/lease", "store"},
	"limiters/ruleset": {"internal/quote", "internal/rediserr", "internal/word", "limiters", "limiters/phrase", "store", "store/hash"},
	"limiters/rules":   {"internal/exact", "internal/quote", "internal/rediserr", "limiters", "limiters/reservation", "limiters/ruleset", "store"},

	// The engine of scripts knows Lua, and nothing of the server.
	"script/lua51":      {},
	"script/syntax":     {"script/lua51"},
	"script/machine":    {"script/lua51", "script/syntax"},
	"script/stdlib":     {"script/lua51", "script/machine"},
	"script/lib":        {"script/lua51", "script/machine"},
	"script/scripttest": {}, // for tests only
	"script": {"internal/decimal", "internal/quote",
		"script/lib", "script/lua51", "script/machine", "script/stdlib"},

	// The protocol of Redis's replicas knows no keys.
	"replica": {},

	// Users and their rights know commands by name only.
	"acl": {"internal/glob", "internal/quote"},

	// The frame of commands, and the families, which do not know each other.
	"commands": {"acl", "internal/config", "internal/decimal", "internal/glob", "internal/rediserr", "internal/topk", "internal/topology", "internal/word", "limiters", "limiters/adaptive", "limiters/flight", "replica",
		"limiters/rules", "limiters/ruleset", "resp", "store"},
	"commands/admin":        {"acl", "commands", "internal/config", "internal/glob", "resp", "store"},
	"commands/cluster":      {"commands", "internal/topology", "resp", "store"},
	"commands/connection":   {"acl", "commands"},
	"commands/hashes":       {"commands", "internal/decimal", "internal/longdouble", "store", "store/hash"},
	"commands/keys":         {"commands", "internal/config", "internal/glob", "persistence/rdb", "store"}, // DUMP and RESTORE speak the codec's payloads
	"commands/limits":       {"commands", "gcra", "internal/exact", "limiters", "limiters/flight", "limiters/rules", "limiters/ruleset", "store"},
	"commands/multipop":     {"commands", "store"},
	"commands/lists":        {"commands", "commands/multipop", "store", "store/list"},
	"commands/pubsub":       {"commands", "internal/glob", "resp"},
	"commands/scripting":    {"commands", "store"},
	"commands/sets":         {"commands", "store", "store/set"},
	"commands/sortedsets":   {"commands", "commands/multipop", "resp", "store", "store/set", "store/sortedset"},
	"commands/strings":      {"commands", "internal/exact", "internal/longdouble", "store"},
	"commands/transactions": {"commands", "store"},
	"commands/all": {"commands/admin", "commands/cluster", "commands/connection", "commands/hashes", "commands/keys", "commands/limits", "commands/lists", "commands/pubsub",
		"commands/scripting", "commands/sets", "commands/sortedsets", "commands/strings", "commands/transactions"},

	// The concerns of the server implement the interfaces of the frame. The server does not know the families.
	"server/listeners": {"commands"},
	"server/clients":   {"commands", "internal/config"},
	"server/logins":    {"commands", "gcra", "internal/config"},
	"server/meters":    {"limiters/adaptive"},
	"server/monitor":   {"commands", "server/listeners"},
	"server/blocked":   {"commands", "resp", "store"},
	"server/pubsub":    {"commands", "internal/glob", "resp", "server/listeners"},
	"server/rulelog":   {"commands", "gcra", "limiters/ruleset"},
	"server/scripts":   {"acl", "commands", "internal/config", "limiters/adaptive", "resp", "script", "script/machine", "server/rulelog", "store"},
	"server/slowlog":   {"commands", "internal/config"},
	"server/stats":     {"commands", "internal/topk", "server/logins", "server/meters"},
	"server/tracking":  {"commands", "internal/config", "resp", "server/listeners", "store"},
	"server/report": {"replica", "sidecar/account", "commands", "internal/config", "internal/topology", "limiters/adaptive", "limiters/ruleset",
		"server/clients", "server/meters", "server/pubsub", "server/slowlog", "server/stats",
		"server/tracking", "store"},
	"server": {"acl", "commands", "internal/config", "internal/topology", "limiters/ruleset", "resp", "server/blocked", "server/clients", "server/logins", "server/monitor", "server/pubsub", "server/report", "server/rulelog",
		"server/scripts", "server/slowlog", "server/stats", "server/tracking", "store"},
	"server/servertest": {"commands", "internal/config", "internal/config/configload", "internal/quote", "internal/topology", "resp", "resp/resptest", "server", "server/report", "store"}, // for tests only

	"persistence": {"store", "persistence/aof", "persistence/rdb", "persistence/fs"},
	// The manifest quotes names as redis.conf does.
	"persistence/aof/format": {"internal/decimal", "internal/pieces", "internal/quote"},
	"persistence/aof":        {"internal/decimal", "internal/pieces", "store", "persistence/aof/format", "persistence/rdb", "persistence/fs"},
	"persistence/rdb":        {"internal/decimal", "internal/pieces", "store", "persistence/rdb/encoding"},
	// The primitives of the format know no store.
	"persistence/rdb/encoding": {"internal/decimal", "internal/pieces"},
	"persistence/fs":           {},
	"persistence/fs/fstest":    {"persistence/fs"},

	// A cluster: this server as a node of it, the groups that replicate the effects of their leaders, who
	// the nodes are, the network between them, and what they keep on disk.
	"cluster": {"cluster/group", "cluster/peer", "cluster/raftlog", "cluster/roster",
		"internal/topology", "persistence/fs", "router", "store"},
	"cluster/group": {"cluster/entry", "cluster/raftlog", "cluster/roster", "internal/topology", "persistence/aof",
		"store"},
	"cluster/peer":    {"cluster/entry", "cluster/roster", "internal/topology"},
	"cluster/roster":  {"cluster/entry", "internal/topology", "persistence/fs", "store"},
	"cluster/entry":   {"persistence/rdb", "store"},
	"cluster/raftlog": {"persistence/fs"},
	// for tests only
	"cluster/clustertest": {"cluster/group", "cluster/raftlog", "commands/all", "internal/config/configload",
		"internal/topology", "persistence/fs/fstest", "resp", "resp/resptest", "server", "server/servertest",
		"store"},

	// A sidecar decides from units that a hub has granted.
	"sidecar/account": {"internal/exact"},

	"sidecar": {"commands", "internal/decimal", "limiters", "limiters/rules", "resp", "router",
		"sidecar/account"},

	// Commands of clients go on to a hub.
	"router": {"internal/decimal"},

	// Requests over HTTP become commands of the table.
	"httpapi/bounded":    {},
	"httpapi/keysource":  {},
	"httpapi/line":       {"commands", "limiters/rules", "resp"},
	"httpapi/page":       {},
	"httpapi/strictjson": {"internal/quote"},
	"httpapi": {"commands", "httpapi/bounded", "httpapi/keysource", "httpapi/line", "httpapi/page",
		"httpapi/strictjson", "resp",
		"internal/quote", "limiters", "limiters/phrase", "limiters/rules", "limiters/ruleset"},

	// The edge wires everything.
	"cmd/cellserver/clock": {},
	"cmd/cellserver/files": {"internal/config", "persistence/fs"},
	"cmd/cellserver/listen": {"cluster/peer", "cmd/cellserver/files", "commands", "httpapi", "httpapi/bounded",
		"internal/config", "internal/topology"},
	"cmd/cellserver/follow": {"internal/config", "persistence", "persistence/rdb", "replica", "server", "store"},
	"cmd/cellserver/app": {"cmd/cellserver/follow", "router", "sidecar", "sidecar/account", "cmd/cellserver/clock",
		"cmd/cellserver/files", "cmd/cellserver/listen", "acl", "cmd/cellserver/rulefile", "cmd/cellserver/ruleurl", "cluster",
		"cluster/group", "cluster/peer", "internal/topology", "commands", "commands/all", "httpapi",
		"httpapi/line", "httpapi/bounded", "internal/config", "internal/config/configload", "limiters",
		"limiters/ruleset", "persistence", "persistence/aof", "persistence/fs", "resp",
		"resp/transport",
		"server", "server/report", "server/scripts", "store", "cmd/cellserver/logline"},
	"cmd/cellserver/doctor":   {}, // it knows the server by its replies only
	"cmd/cellserver/logline":  {"internal/config"},
	"cmd/cellserver/rulefile": {"limiters/ruleset"},
	"cmd/cellserver/ruleurl":  {"limiters/ruleset"},
	"cmd/cellserver": {"cmd/cellserver/app", "cmd/cellserver/doctor", "internal/config",
		"internal/config/configload", "internal/notices", "internal/word", "cmd/cellserver/logline"},
}

// mustNotKnow says which parts of the world a package is kept away from, as packages of the standard library.
// A limiter knows numbers only; the store no files and no sockets; commands neither.
var mustNotKnow = map[string][]string{
	"internal/decimal":     {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"internal/exact":       {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"acl":                  {"net", "os", "time"},
	"gcra":                 {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/window":      {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/slidinglog":  {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/pace":        {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/adaptive":    {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/lease":       {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"limiters/reservation": {"net", "os", "sync", "sync/atomic", "time"},
	"limiters/calendar":    {"net", "os", "sync/atomic"},
	"limiters/phrase":      {"net", "os", "sync", "sync/atomic", "time"},
	"sidecar/account":      {"bytes", "net", "os", "sync", "sync/atomic", "time"},
	"internal/topk":        {"net", "os", "sync", "sync/atomic", "time"},
	// A session has bytes only: sockets are the business of resp/transport.
	"resp":                     {"net", "os", "sync", "sync/atomic", "time", "syscall"},
	"store/value":              {"net", "os", "sync", "sync/atomic", "time"},
	"store/memory":             {"net", "os", "time"},
	"store/packed":             {"net", "os", "sync", "sync/atomic", "time"},
	"store/trie":               {"net", "os", "sync", "sync/atomic", "time"},
	"store/hash":               {"net", "os", "sync", "sync/atomic", "time"},
	"store/list":               {"net", "os", "sync", "sync/atomic", "time"},
	"store/set":                {"net", "os", "sync", "sync/atomic", "time"},
	"store/sortedset":          {"net", "os", "sync", "sync/atomic", "time"},
	"store/table":              {"net", "os", "time"},
	"store":                    {"net", "os", "time"},
	"limiters":                 {"net", "os", "time"},
	"limiters/flight":          {"net", "os", "time"},
	"limiters/rules":           {"net", "os", "time"},
	"limiters/ruleset":         {"net", "os", "time"},
	"commands":                 {"os"},
	"commands/hashes":          {"net", "os", "time"},
	"commands/lists":           {"net", "os", "time"},
	"commands/multipop":        {"net", "os", "time"},
	"commands/sets":            {"net", "os", "time"},
	"commands/sortedsets":      {"net", "os", "time"},
	"commands/strings":         {"net", "os", "time"},
	"commands/keys":            {"net", "os", "time"},
	"commands/limits":          {"net", "os", "time"},
	"server":                   {"net", "os"},
	"persistence":              {"net"},
	"persistence/aof":          {"net", "time"},
	"persistence/rdb":          {"net", "os", "time"},
	"persistence/fs":           {"net", "time"},
	"cluster/entry":            {"net", "os", "sync", "sync/atomic", "time"},
	"cluster/raftlog":          {"net", "time"},
	"cluster/roster":           {"sync/atomic"},
	"cluster/peer":             {"os"},
	"cmd/cellserver/app":       {"flag", "os/signal"},
	"script/lua51":             {"net", "os", "sync", "sync/atomic", "time"},
	"script/syntax":            {"net", "os", "sync", "sync/atomic", "time"},
	"script/machine":           {"net", "os", "sync", "sync/atomic", "time"},
	"script/stdlib":            {"net", "os", "sync", "sync/atomic", "time"},
	"script/lib":               {"net", "os", "sync", "sync/atomic", "time"},
	"script":                   {"net", "os", "sync", "sync/atomic", "time"},
	"persistence/aof/format":   {"net", "os", "sync", "sync/atomic", "time"},
	"persistence/rdb/encoding": {"net", "os", "sync", "sync/atomic", "time"},
}

// listed is what `go list` says about a package, without its tests.
type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists the module's packages.
func packages(t *testing.T) []listed {
	t.Helper()
	list := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Imports", "./...")
	list.Dir = root(t)
	out, err := list.Output()
	require.NoError(t, err)
	var all []listed
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == "tests" || strings.HasPrefix(name, "tests/") {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s is missing in mayImport: list there what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			own, isOwn := strings.CutPrefix(imported, module+"/")
			if isOwn && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, but may only import %q: pass what it needs from above, or decide to add the arrow to mayImport",
					name, own, allowed)
			}
			if slices.Contains(mustNotKnow[name], imported) {
				t.Errorf("%s imports %q, which it must not import: move this code into a package nearer the edge", name, imported)
			}
		}
	}
}

// A misspelled name in a table would test nothing.
func TestArchitectureNamesRealOrPlannedPackages(t *testing.T) {
	for name, allowed := range mayImport {
		for _, other := range allowed {
			require.Contains(t, mayImport, other, "%s may import %s, which mayImport does not name", name, other)
		}
	}
	for name := range mustNotKnow {
		require.Contains(t, mayImport, name, "mustNotKnow names a package that mayImport does not")
	}
}
