package server_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/limiters/ruleset"
	"cellserver/resp"
	"cellserver/server/servertest"
	"cellserver/store"
	"cellserver/store/hash"
	"cellserver/store/list"
	"cellserver/store/set"

	"github.com/stretchr/testify/require"
)

// pricedCalls are calls of every command with a Cost that take long, and the same on little. Sorted sets, hashes, sets and lists (Z, H, M, Q) have
// 60,000 members, the list Q2 has a million, and the list B has an element of 4 MB, as the string S. Small letters name small values.
var pricedCalls = map[string][2]string{
	"zrange": {"Z 0 -1", "Z 0 99"}, "zrevrange": {"Z 0 -1", "Z 0 99"},
	"zrangebyscore": {"Z -inf +inf", "Z 5 6"}, "zrevrangebyscore": {"Z +inf -inf", "Z 6 5"},
	"zrangebylex": {"Z - +", "Z - + LIMIT 0 5"}, "zrevrangebylex": {"Z + -", "Z + - LIMIT 0 5"},
	"zrangestore": {"y Z 0 -1", "y Z 0 9"}, "zscan": {"Z 0", "z 0"},
	"zremrangebyrank": {"Z 1000 -1", "Z 0 9"}, "zremrangebyscore": {"Z 1000 inf", "Z 0 9"}, "zremrangebylex": {"Z [m +", "Z [m [m"},
	"zpopmin": {"Z 50000", "Z"}, "zpopmax": {"Z 50000", "Z 5"}, "zmpop": {"1 Z MIN COUNT 50000", "1 Z MAX"}, "bzmpop": {"0 1 Z MIN COUNT 50000", "0 1 Z MAX"},
	"zrandmember": {"z -50000", "Z 5"}, "dump": {"S", "s"}, "restore": {"y 0 " + strings.Repeat("x", 20_000), "y 0 x"},
	"hgetall": {"H", "h"}, "hkeys": {"H", "h"}, "hvals": {"H", "h"}, "hscan": {"H 0 COUNT 60000", "H 0 COUNT 5"},
	"hrandfield": {"h -50000 WITHVALUES", "H 5"}, "smembers": {"M", "m"}, "sscan": {"M 0 COUNT 60000", "M 0 COUNT 5"},
	"spop": {"M 50000", "M 5"}, "srandmember": {"m -50000", "M 5"},
	"lpop": {"Q 50000", "Q 5"}, "rpop": {"Q 50000", "Q"}, "lmpop": {"1 Q LEFT COUNT 50000", "1 Q LEFT"}, "blmpop": {"0 1 Q LEFT COUNT 50000", "0 1 Q LEFT"}, "lrange": {"Q 0 -1", "Q 30000 30099"},
	"lindex": {"B 0", "Q 30000"}, "lpos": {"Q m000005 COUNT 0", "Q m000005"}, "linsert": {"Q2 BEFORE m000005 x", "Q BEFORE m000005 x"},
	"lrem": {"Q2 1 m000005", "q 1 m000005"},
	"get":  {"S", "s"}, "mget": {"S s", "s s"}, "getdel": {"S", "s"}, "getex": {"S PERSIST", "s PERSIST"}, "getset": {"S x", "s x"},
	"set": {"S x GET", "s x GET"}, "lcs": {"C C", "s s"}, "copy": {"S y", "s y"},
	"zunion": {"1 Z", "1 z"}, "zunionstore": {"y 1 Z", "y 1 z"}, "zinter": {"1 Z", "1 z"}, "zinterstore": {"y 1 Z", "y 1 z"},
	"zdiff": {"1 Z", "1 z"}, "zdiffstore": {"y 1 Z", "y 1 z"}, "zintercard": {"1 Z", "1 z"},
	"sunion": {"M", "m"}, "sunionstore": {"y M", "y m"}, "sinter": {"M", "m"}, "sinterstore": {"y M", "y m"},
	"sdiff": {"M", "m"}, "sdiffstore": {"y M", "y m"}, "sintercard": {"1 M", "1 m"},
	"hset": {"h" + strings.Repeat(" f v", 4500), "h f v"}, "hmset": {"h" + strings.Repeat(" f v", 4500), "h f v"},
	"hdel": {"h" + strings.Repeat(" f", 9000), "h f f f"}, "sadd": {"m" + strings.Repeat(" x", 6000), "m x x x"},
	"srem": {"m" + strings.Repeat(" x", 6000), "m x x x"}, "smismember": {"", "m x x x"}, // long in a large compact set
	"zadd": {"z" + strings.Repeat(" 1 f", 3000), "z 1 f 2 f"}, "zrem": {"z" + strings.Repeat(" f", 6000), "z f f f"},
	"zmscore": {"", "z f f f"}, // long in a large compact set
	"hget":    {"V large", "V small"}, "hmget": {"V small large", "V small small"},
	"replicaof": {"no one", ""}, "slaveof": {"no one", ""}, // it waits for the command of the master that runs
	"cl.rule|try": {"api CL.WINDOW 5 60", ""},
	"cl.rule|set": {"api JSON " + overrides(1000), "api 5/minute"},
	"cl.rule|get": {"many JSON", "many"}, "cl.rule|list": {"JSON", ""},
	"cl.log":    {"l 100000 60 3000", "l 100000 60 3000 RESOLUTION 1"},
	"cl.check":  {"log a b QUANTITY 2000", "log a b QUANTITY 1000 PEEK"},
	"cl.mcheck": {"2 log@x a log@y b QUANTITY 9999", "2 log@x a log@y b QUANTITY 200"},
	"publish":   {"N x", "n x"}, "spublish": {"N " + strings.Repeat("x", 60_000), "N x"},
	"pubsub|channels": {"*", ""}, "pubsub|shardchannels": {"*", ""},
	"subscribe": {strings.Repeat("c ", 2000), "c"}, "psubscribe": {strings.Repeat("c ", 2000), "c"}, "ssubscribe": {strings.Repeat("c ", 2000), "c"},
	"unsubscribe": {strings.Repeat("c ", 2000), "c"}, "punsubscribe": {strings.Repeat("c ", 2000), "c"}, "sunsubscribe": {strings.Repeat("c ", 2000), "c"},
	"unwatch": {"", ""}, "discard": {"", ""}, "reset": {"", ""}, // see TestLongFarewellsAreOffloaded
	"getrange": {"S 0 -1", "S 5 9"}, "substr": {"S 0 -1", "S 5 9"}, "setrange": {"n 10000000 x", "S 5 x"}, "append": {"L x", "S x"},
}

// overrides returns a rule in JSON with some overrides.
func overrides(n int) string {
	text := `'{"limits":["5/minute"],"overrides":{"a":"6/minute"`
	for i := range n - 1 {
		text += fmt.Sprintf(`,"k%d":"6/minute"`, i)
	}
	return text + "}}'"
}

// TestLongCommandsAreOffloaded: each command with a Cost is offloaded exactly if it is about to take long, alone and in EXEC.
// Its reply and its changes are the same.
func TestLongCommandsAreOffloaded(t *testing.T) {
	for _, cmd := range commands.ByName() {
		if cmd.Cost == nil || cmd.Name == "exec" {
			continue
		}
		calls, known := pricedCalls[cmd.FullName()]
		require.True(t, known, cmd.FullName())
		name := strings.ReplaceAll(cmd.FullName(), "|", " ") + " "
		for i, args := range calls {
			if args != "" {
				require.Equal(t, i == 0, offloaded(t, name+args), name+args)
			}
		}
		require.True(t, offloaded(t, "multi", "get S", name+calls[1], "exec") || calls[1] == "", name)
	}
	require.False(t, offloaded(t, "multi", "get s", "zrange z 0 -1", "zremrangebyscore z 0 0", "exec"))
	require.True(t, offloaded(t, "multi", "select 0", "zrange z 0 -1", "exec"))
	for _, wrong := range []string{"setrange n -100000000000000 x", "lpop q -100000000000000", "spop m -100000000000000"} {
		require.True(t, offloaded(t, "multi", wrong, "lrange Q 0 45000", "lrange Q 0 45000", "exec"), "a wrong number makes nothing cheaper")
	}
	require.False(t, offloaded(t, "rpop Q2 -9223372036854775808"))
	require.True(t, offloaded(t, "restore y 0 \x12"+strings.Repeat("x", 600)), "a list may have many equal elements")
	require.False(t, offloaded(t, "multi", "get S", "watch S s"), "only EXEC runs the queue")
	require.False(t, offloaded(t, "watch s", "multi", "get S", "discard"))
}

// TestLongFarewellsAreOffloaded: what ends very many subscriptions, or unwatches very many keys, is offloaded. So is a
// scan that compares long elements with a long pattern.
func TestLongFarewellsAreOffloaded(t *testing.T) {
	many := ""
	for i := range 2000 {
		many += fmt.Sprint(" ", i)
	}
	for _, lines := range [][]string{
		{"subscribe", "unsubscribe"}, {"psubscribe", "punsubscribe"}, {"ssubscribe", "sunsubscribe"}, {"subscribe", "reset"},
		{"watch", "unwatch"}, {"watch", "multi", "discard"}, {"watch", "multi", "exec"}, {"watch", "reset"},
	} {
		first := lines[0]
		for _, names := range []string{" 1 2", many} {
			lines[0] = first + names
			require.Equal(t, names == many, offloaded(t, lines...), lines)
		}
	}
	require.True(t, offloaded(t, "cl.log SHARED 1000000 1 RESOLUTION 1"), "it counts all entries")
	require.False(t, offloaded(t, "cl.log SHARED 1000000 1"), "a look would cost each of them")
	member := strings.Repeat("a", 30_000)
	require.False(t, offloaded(t, "sadd k "+member, "sscan k 0 match *"))
	require.True(t, offloaded(t, "sadd k "+member, "sscan k 0 match *"+strings.Repeat("a?", 10_000)+"b"))
}

// offloaded reports whether the last line is offloaded. It requires that the replies are those of a server that offloads
// nothing.
func offloaded(t *testing.T, lines ...string) bool {
	var replies [2]string
	var last resp.Status
	for i, may := range []bool{false, true} {
		h := servertest.New(t)
		big(t, h, strings.Join(lines, " "))
		for _, line := range lines {
			h.Session.SetMayOffload(may)
			h.Send([]byte(line + "\r\n"))
			if last = h.Status; last == resp.Offload {
				h.Session.SetMayOffload(false)
				require.Equal(t, resp.Continue, settled(h), line)
				last = resp.Offload
			}
		}
		replies[i] = fmt.Sprintf("%x", sha256.Sum256(h.Session.Output()))
		h.Session.Sent()
	}
	require.Equal(t, replies[0], replies[1], lines)
	return last == resp.Offload
}

// TestAFullLogHoldsChanges: while too much waits for the log, a command that changes keys is offloaded, and writes what
// waits before it runs. Other commands run at once.
func TestAFullLogHoldsChanges(t *testing.T) {
	h := servertest.New(t)
	h.Session.SetMayOffload(true)
	for _, changes := range []string{"set k 1", "incr k", "cl.throttle u 15 30 60", "multi\r\nset k 2\r\nexec", "eval \"return 1\" 0"} {
		h.Disk.IsFull = true
		h.Send([]byte(changes + "\r\n"))
		require.Equal(t, resp.Offload, h.Status, changes)
		require.True(t, h.Disk.IsFull, "the event loop does not wait")
		h.Session.SetMayOffload(false)
		require.Equal(t, resp.Continue, settled(h), changes)
		require.False(t, h.Disk.IsFull, changes)
		h.Session.SetMayOffload(true)
	}
	h.Disk.IsFull = true
	for _, line := range []string{"ping", "get k", "multi\r\nget k\r\nexec", "multi\r\nset k 3\r\ndiscard", "nosuch"} {
		h.Send([]byte(line + "\r\n"))
		require.Equal(t, resp.Continue, h.Status, line)
	}
	require.True(t, h.Disk.IsFull)
}

// settled resumes the session until it needs more bytes.
func settled(h *servertest.Harness) resp.Status {
	h.Send(nil)
	st := h.Session.Resume()
	for st == resp.Flush {
		st = h.Session.Resume()
	}
	return st
}

// big makes the keys of pricedCalls that the lines name.
func big(t *testing.T, h *servertest.Harness, lines string) {
	h.Do("CL.RULE SET log SCOPE x CL.LOG 90000 60 AND SCOPE y CL.LOG 90000 60")
	named := func(key string) bool { return strings.Contains(lines+" ", " "+key+" ") }
	for i := 0; named("N") && i < 60; i++ {
		listener := h.NewClient(t)
		listener.Do("SSUBSCRIBE", "N")
		listener.Do("PSUBSCRIBE", fmt.Sprint(strings.Repeat("?", 60_000), i))
	}
	if named("many") || named("list") {
		h.Do("CL.RULE SET many JSON " + overrides(ruleset.MaxOverrides))
	}
	for key, members := range map[string]int{"Z": 60_000, "z": 10, "SHARED": 160_000} {
		if !named(key) {
			continue
		}
		h.Transact(key, func(tx *store.Tx, _ int64) {
			items := make([]store.Item, members)
			for i := range items {
				items[i] = store.Item{Member: fmt.Sprintf("m%06d", i), Score: float64(i)}
				if key == "SHARED" { // entries of a log with a resolution
					items[i].Member = fmt.Sprintf("%d000x1", i)
				}
			}
			e := tx.Write([]byte(key))
			e.ZStore(items)
		})
	}
	for key, members := range map[string]int{"H": 60_000, "h": 10, "M": 60_000, "m": 10} {
		if !named(key) {
			continue
		}
		of := set.Type
		if key == "H" || key == "h" {
			of = hash.Type
		}
		h.Transact(key, func(tx *store.Tx, _ int64) {
			e := tx.Write([]byte(key))
			e.StoreAll(of, store.NoExpiry, func(add func(store.Operands)) {
				for i := range members {
					add(store.Operands{Value: fmt.Appendf(nil, "m%06d", i), More: fmt.Append(nil, i)})
				}
			})
		})
	}
	if named("V") {
		h.Transact("V", func(tx *store.Tx, _ int64) {
			e := tx.Write([]byte("V"))
			e.Change(hash.Set, store.Operands{Value: []byte("large"), More: make([]byte, 4<<20)})
			e.Change(hash.Set, store.Operands{Value: []byte("small"), More: []byte("v")})
		})
	}
	for key, elements := range map[string]int{"Q": 60_000, "q": 10, "Q2": 1_000_000, "B": 1} {
		if !named(key) {
			continue
		}
		h.Transact(key, func(tx *store.Tx, _ int64) {
			e := tx.Write([]byte(key))
			e.StoreAll(list.Type, store.NoExpiry, func(add func(store.Operands)) {
				for i := range elements {
					add(store.Operands{Value: fmt.Appendf(nil, "m%06d", i)})
				}
			})
			if key == "B" {
				e.Change(list.Set, store.Operands{Value: make([]byte, 4<<20)})
			}
		})
	}
	for key, size := range map[string]int{"S": 4 << 20, "s": 10, "L": 28 << 20, "C": 2000} {
		if !named(key) {
			continue
		}
		h.Transact(key, func(tx *store.Tx, _ int64) {
			e := tx.Write([]byte(key))
			e.SetBytes(make([]byte, size), store.NoExpiry)
		})
	}
}
