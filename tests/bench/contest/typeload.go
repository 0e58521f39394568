package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// Types returns the workloads of hashes, sets and lists. Every key has three members before the load, as a limiter has,
// unless the name says otherwise. "one" is a single value with a hundred thousand members.
func Types() []Workload {
	return []Workload{
		typed("HSET", "HSET hash:"+random+" tokens "+random, Hashes.fill, integer),
		typed("HGET", "HGET hash:"+random+" tokens", Hashes.fill, equals("10")),
		typed("HGET, no such field", "HGET hash:"+random+" other", Hashes.fill, null),
		typed("HGET, no such key", "HGET none:"+random+" tokens", Hashes.fill, null),
		typed("HGETALL", "HGETALL hash:"+random, Hashes.fill, items(6)),
		typed("HINCRBY", "HINCRBY hash:"+random+" tokens 1", Hashes.fill, integer),
		typed("HSET, one hash", "HSET one member:"+random+" "+random, fillOne("HSET"), integer),
		typed("HGET, one hash", "HGET one member:"+random, fillOne("HSET"), equals("1")),
		typed("SADD", "SADD set:"+random+" member:"+random, Sets.fill, integer),
		typed("SISMEMBER", "SISMEMBER set:"+random+" 10.0.0.1", Sets.fill, equals(int64(1))),
		typed("SADD, one set", "SADD one member:"+random, fillOne("SADD"), integer),
		typed("SISMEMBER, one set", "SISMEMBER one member:"+random, fillOne("SADD"), equals(int64(1))),
		typed("LPUSH", "LPUSH list:"+random+" 1795000000123", Lists.fill, integer),
		typed("RPUSH", "RPUSH list:"+random+" 1795000000123", Lists.fill, integer),
		typed("LRANGE", "LRANGE list:"+random+" 0 -1", Lists.fill, items(3)),
		popping("LPOP"), popping("RPOP"),
		typed("LPUSH, one list", "LPUSH one 1795000000123", fillList, integer),
		typed("RPUSH, one list", "RPUSH one 1795000000123", fillList, integer),
		typed("LPOP, one list", "LPOP one", fillList, equals(element)),
		typed("RPOP, one list", "RPOP one", fillList, equals(element)),
	}
}

func typed(name, command string, prepare func(context.Context, *server.Server) error, answered func(any) error) Workload {
	return Workload{Name: name, Command: strings.Fields(command), prepare: prepare, answered: answered}
}

// Small is a kind of small values: how a key gets its three members.
type Small struct {
	Name, verb, prefix string
	members            []string
	reply              string
}

// The small values are what limiters keep: a bucket, the addresses of a user, the times of requests.
var (
	Hashes   = Small{"hashes of 3 fields", "HSET", "hash:", []string{"tokens", "10", "last", "1795000000123", "limit", "100"}, ":3\r\n"}
	Sets     = Small{"sets of 3 addresses", "SADD", "set:", []string{"10.0.0.1", "10.0.0.22", "192.168.100.3"}, ":3\r\n"}
	Integers = Small{"sets of 3 integers", "SADD", "set:", []string{"7", "1234", "56789"}, ":3\r\n"}
	Lists    = Small{"lists of 3 times", "RPUSH", "list:", []string{"1795000000123", "1795000000456", "1795000000789"}, ":3\r\n"}
)

// Make appends the command that makes key number i.
func (s Small) Make(b []byte, i int) []byte {
	return load.Command(b, append([]string{s.verb, load.Key(s.prefix, i)}, s.members...)...)
}

// Key is how to make the keys of a Filler.
func (s Small) Key() KeyMaker { return KeyMaker{s.Name, s.Make, s.reply} }

func (s Small) fill(ctx context.Context, to *server.Server) error {
	_, err := load.Drive(ctx, load.Filler(to.Addr, Keyspace, s.Make, s.reply))
	return err
}

// fillOne fills the key "one", a hash or a set.
func fillOne(verb string) func(context.Context, *server.Server) error {
	return func(ctx context.Context, s *server.Server) error {
		_, err := load.Drive(ctx, load.Filler(s.Addr, Keyspace, func(b []byte, i int) []byte {
			if verb == "HSET" {
				return load.Command(b, verb, "one", load.Key("member:", i), "1")
			}
			return load.Command(b, verb, "one", load.Key("member:", i))
		}, ":1\r\n"))
		return err
	}
}

// The loads of pops find full lists: many with a hundred elements, or one with all of these.
const (
	popEach = 100
	element = "1795000000123"
)

// popLists is the number of these lists. A test lowers it.
var popLists = 30_000

// popping is a workload that takes elements of many lists.
func popping(verb string) Workload {
	w := typed(verb, verb+" list:"+random, fillLists, equals(element))
	w.keys = popLists
	return w
}

func fillLists(ctx context.Context, s *server.Server) error {
	return pushHundreds(ctx, s, func(i int) (key string, holds int) { return load.Key("list:", i), popEach })
}

// fillList fills the list "one".
func fillList(ctx context.Context, s *server.Server) error {
	return pushHundreds(ctx, s, func(i int) (key string, holds int) { return "one", (i + 1) * popEach })
}

// pushHundreds pushes popEach elements for each of popLists. push returns the key, and how many elements it holds then.
func pushHundreds(ctx context.Context, s *server.Server, push func(i int) (key string, holds int)) error {
	elements := slices.Repeat([]string{element}, popEach)
	l := load.Filler(s.Addr, popLists, nil, "")
	l.Script = func(int) load.Script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			key, holds := push(i)
			return load.Command(request, append([]string{"RPUSH", key}, elements...)...), fmt.Appendf(reply, ":%d\r\n", holds)
		}
	}
	_, err := load.Drive(ctx, l)
	return err
}

// null checks that a reply is the null of any protocol.
func null(reply any) error {
	if _, ok := reply.(resptest.Nil); !ok {
		return fmt.Errorf("%v is not null", reply)
	}
	return nil
}

// items checks that a reply is an array with at least n items.
func items(n int) func(any) error {
	return func(reply any) error {
		if list, ok := reply.([]any); !ok || len(list) < n {
			return fmt.Errorf("%v are not %d items", reply, n)
		}
		return nil
	}
}
