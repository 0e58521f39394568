package differential

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// compareScan iterates both servers to the end, each by its own cursor, and compares the results. For a small value
// it compares the order too.
func (s *session) compareScan(st step, want, got reply) *mismatch {
	at := 2
	if name := strings.ToUpper(st.args[0]); name == "SCAN" || name == "SSCAN" {
		at = 1
	}
	if n, err := strconv.ParseUint(st.args[at], 10, 64); err != nil || n != 0 {
		return nil // a cursor of another server is undefined
	}
	ordered := at == 2 && s.isListpack(st)
	w, err := scanAll(s.redis.clients[st.conn], st.args, at, want, ordered)
	if err != nil {
		return &mismatch{step: st, redis: err.Error()}
	}
	g, err := scanAll(s.ours.clients[st.conn], st.args, at, got, ordered)
	if err != nil {
		return &mismatch{step: st, ours: err.Error()}
	}
	if slices.Equal(w, g) {
		return nil
	}
	return &mismatch{step: st, redis: fmt.Sprintf("%q", w), ours: fmt.Sprintf("%q", g), note: "iterated to the end"}
}

func (s *session) isListpack(st step) bool {
	r, err := s.redis.clients[st.conn].do("OBJECT", "ENCODING", st.args[1])
	return err == nil && r.text == "listpack"
}

// scanAll continues an iteration after its first reply. args[at] is the cursor.
func scanAll(w *wire, args []string, at int, first reply, ordered bool) ([]string, error) {
	var all []string
	args = slices.Clone(args)
	for range 10_000 {
		if len(first.elems) != 2 || first.elems[1].kind != '*' || first.elems[0].kind != '$' {
			return nil, fmt.Errorf("no cursor and items: %s", first)
		}
		items := first.elems[1].elems
		for i := 0; i < len(items); i += at {
			pair := items[i:min(i+at, len(items))]
			all = append(all, withoutZeroSigns(reply{kind: '*', elems: pair}).String())
		}
		if args[at] = first.elems[0].text; args[at] == "0" {
			if !ordered {
				slices.Sort(all)
				all = slices.Compact(all)
			}
			return all, nil
		}
		var err error
		if first, err = w.do(args...); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the iteration does not end")
}

// memberProbes have the command that knows a member that another command has chosen.
var memberProbes = map[string]string{"ZRANDMEMBER": "ZSCORE", "HRANDFIELD": "HEXISTS", "SRANDMEMBER": "SISMEMBER"}

// compareRandom asks each server for the choice of the other server. Both hold the same keys and members, so each must
// know the other's choice.
func (s *session) compareRandom(st step, want, got reply) *mismatch {
	for _, side := range []struct {
		other  *peer
		picked reply
	}{{s.ours, want}, {s.redis, got}} {
		for _, name := range bulks(side.picked, st.args) {
			probe := []string{"EXISTS", name}
			if len(st.args) > 1 {
				probe = []string{memberProbes[strings.ToUpper(st.args[0])], st.args[1], name}
			}
			r, err := side.other.clients[st.conn].do(probe...)
			if err != nil || r.null || r.isError() || r.text == "0" && probe[0] != "ZSCORE" {
				return &mismatch{step: st, redis: want.String(), ours: got.String(),
					note: fmt.Sprintf("%s does not know %q: %s", side.other.name, name, r)}
			}
		}
	}
	return nil
}

// bulks lists the names in a RANDOMKEY or ZRANDMEMBER reply, without scores.
func bulks(r reply, args []string) []string {
	if r.null {
		return nil
	}
	if r.kind == '$' {
		return []string{r.text}
	}
	withScores := len(args) == 4
	var names []string
	for i, e := range r.elems {
		switch {
		case e.kind == '*' && len(e.elems) > 0:
			names = append(names, e.elems[0].text)
		case e.kind == '$' && !(withScores && i%2 == 1):
			names = append(names, e.text)
		}
	}
	return names
}
