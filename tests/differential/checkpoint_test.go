package differential

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// checkpoint compares the whole keyspaces: the keys, types, contents and expiries of every database.
func (s *session) checkpoint() (*mismatch, error) {
	w, err := dump(s.redis.admin)
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	g, err := dump(s.ours.admin)
	if err != nil {
		return nil, fmt.Errorf("ours: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if _, ok := g[key]; !ok {
			return checkpointMismatch(key, w[key].String(), "no such key"), nil
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g)) {
		if _, ok := w[key]; !ok {
			return checkpointMismatch(key, "no such key", g[key].String()), nil
		}
		if !s.sameEntry(w[key], g[key]) {
			return checkpointMismatch(key, w[key].String(), g[key].String()), nil
		}
	}
	return nil, nil
}

func checkpointMismatch(key, redis, ours string) *mismatch {
	return &mismatch{redis: redis, ours: ours, note: "checkpoint, key " + key}
}

// An entry is a key with everything that a client can see of it.
type entry struct{ kind, content, expiry string }

func (e entry) String() string { return e.kind + " " + e.content + " PEXPIRETIME " + e.expiry }

func (s *session) sameEntry(a, b entry) bool {
	if s.moved || a.expiry == b.expiry {
		return a == b
	}
	ours, redis := reply{kind: ':', text: a.expiry}, reply{kind: ':', text: b.expiry}
	return a.kind == b.kind && a.content == b.content && timesAgree([]string{"PEXPIRETIME"}, ours, redis, s.slowest)
}

func dump(w *wire) (map[string]entry, error) {
	out := map[string]entry{}
	for db := range databases {
		if _, err := w.do("SELECT", strconv.Itoa(db)); err != nil {
			return nil, err
		}
		keys, err := w.do("KEYS", "*")
		if err != nil {
			return nil, err
		}
		for _, k := range keys.elems {
			e, err := dumpKey(w, k.text)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprintf("%q in database %d", k.text, db)] = e
		}
	}
	return out, nil
}

func dumpKey(w *wire, key string) (entry, error) {
	kind, err := w.do("TYPE", key)
	if err != nil {
		return entry{}, err
	}
	read := []string{"GET", key}
	switch kind.text {
	case "zset":
		read = []string{"ZRANGE", key, "0", "-1", "WITHSCORES"}
	case "list":
		read = []string{"LRANGE", key, "0", "-1"}
	case "set":
		read = []string{"SMEMBERS", key}
	case "hash":
		read = []string{"HGETALL", key}
	}
	content, err := w.do(read...)
	if err != nil {
		return entry{}, err
	}
	content = normalise(read, content, false)
	expiry, err := w.do("PEXPIRETIME", key)
	return entry{kind: kind.text, content: withoutZeroSigns(content).String(), expiry: expiry.text}, err
}
