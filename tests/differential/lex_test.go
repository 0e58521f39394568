package differential

import (
	"slices"
	"strings"
)

// lexKeys hold sorted sets with all scores 0. Redis defines ranges by name only for such sets. In other sets its reply
// depends on the random levels of its skip list, so two Redis servers do not agree.
var lexKeys = []string{"l1", "l2"}

func isLexKey(key string) bool { return slices.Contains(lexKeys, key) }

func (g *generator) lexKey() string {
	if g.chance(0.2) {
		return g.zsetKey()
	}
	return g.pick(lexKeys...)
}

// lexMembers are a ZADD's arguments that keep all scores equal.
func (g *generator) lexMembers() []string {
	args := []string{g.pick(lexKeys...)}
	for range 1 + g.IntN(5) {
		args = append(args, g.pick("0", "0", "-0", "0.0"), g.member())
	}
	return args
}

// undefined reports whether the step is a range by name of a sorted set with different scores. Within a transaction the
// scores may become different.
func (s *session) undefined(st step) (bool, error) {
	key, ok := lexRangeOf(st.args)
	if !ok || isLexKey(key) {
		return false, nil
	}
	if s.inMulti[st.conn] {
		return true, nil
	}
	r, err := s.redis.clients[st.conn].do("ZRANGE", key, "0", "-1", "WITHSCORES")
	if err != nil || r.isError() {
		return false, err
	}
	scores := map[string]bool{}
	for i, e := range r.elems {
		switch {
		case e.kind == '*':
			scores[e.elems[1].text] = true
		case i%2 == 1:
			scores[e.text] = true
		}
	}
	return len(scores) > 1, nil
}

// lexRangeOf returns the key of a range by name, and false for another command.
func lexRangeOf(args []string) (key string, ok bool) {
	byLex := slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "BYLEX") })
	at := 0
	switch name := strings.ToUpper(args[0]); {
	case name == "ZLEXCOUNT" || strings.HasSuffix(name, "RANGEBYLEX"), name == "ZRANGE" && byLex:
		at = 1
	case name == "ZRANGESTORE" && byLex:
		at = 2
	}
	if at == 0 || at >= len(args) {
		return "", false
	}
	return args[at], true
}
