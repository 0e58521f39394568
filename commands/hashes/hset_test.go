package hashes

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"
)

func TestHSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("HSET h a 1 b 2 a 3", 2)
	h.Want("HSET h a 3", 0)
	h.Want("HGETALL h", []string{"a", "3", "b", "2"})
	h.Want("HMSET h c 007 b -5", servertest.OK)
	h.Want("HSETNX h a 9", 0)
	h.Want("HSETNX h d ''", 1)
	h.Want("HGETALL h", []string{"a", "3", "b", "-5", "c", "007", "d", ""})
	h.Want("HSETNX new a 1", 1)
	h.Want("TYPE new", resptest.Simple("hash"))
	h.Want("SET h 1", servertest.OK)
}

func TestHSetErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	for line, err := range map[string]commands.Error{
		"HSET s a":      "ERR wrong number of arguments for 'hset' command",
		"HSET s a 1 b":  "ERR wrong number of arguments for 'hset' command",
		"HMSET s a":     "ERR wrong number of arguments for 'hmset' command",
		"HMSET s a 1 b": "ERR wrong number of arguments for 'hmset' command",
		"HSETNX s a":    "ERR wrong number of arguments for 'hsetnx' command",
		"HSET s a 1":    commands.ErrWrongType,
		"HMSET s a 1":   commands.ErrWrongType,
		"HSETNX s a 1":  commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
	h.Want("GET s", "1")
}

// A hash is compact up to the limits, and keeps the order of its fields so long. It stays large after that.
func TestForms(t *testing.T) {
	h := servertest.New(t)
	h.Store.SetLimits(store.Limits{HashEntries: 3, HashValue: 5})
	h.Do("HSET h z 1 y 2 x 3")
	h.Do("HSET h y 4")
	h.Want("HGETALL h", []string{"z", "1", "y", "4", "x", "3"})
	h.Want("OBJECT ENCODING h", "listpack")
	h.Do("HSET h w 4")
	h.Want("OBJECT ENCODING h", "hashtable")
	h.Do("HDEL h w x y")
	h.Want("OBJECT ENCODING h", "hashtable")
	h.Want("HGETALL h", []string{"z", "1"})
	h.Do("HSET long f 123456")
	h.Want("OBJECT ENCODING long", "hashtable")
	h.Want("HGET long f", "123456")
	h.Do("HSET long " + strings.Repeat("f", 700) + " 1")
	h.Want("HGET long "+strings.Repeat("f", 700), "1")
}
