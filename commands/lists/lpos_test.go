package lists

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestLPos(t *testing.T) {
	h := servertest.New(t)
	h.Want("LPOS l a", nil)
	h.Want("LPOS l a COUNT 2", []any{})
	h.Do("RPUSH l a b c 1 2 3 c c")
	for args, want := range map[string]any{
		"c": 2, "1": 3, "x": nil, "c RANK 2": 6, "c RANK 4": nil, "c RANK -1": 7, "c RANK -2": 6, "c RANK -9223372036854775807": nil,
		"c COUNT 0": []any{2, 6, 7}, "c COUNT 2": []any{2, 6}, "c COUNT 2 RANK -1": []any{7, 6}, "c COUNT 0 RANK 3": []any{7},
		"c MAXLEN 2": nil, "c MAXLEN 3": 2, "c RANK -1 MAXLEN 1": 7, "a RANK -1 MAXLEN 7": nil, "c MAXLEN 7 COUNT 0": []any{2, 6}, "c MAXLEN 0": 2,
		"x COUNT 0": []any{},
	} {
		h.Want("LPOS l "+args, want)
	}
}

func TestLPosErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	for args, err := range map[string]error{
		"a RANK 0": errRank, "a RANK x": commands.ErrNotInteger, "a COUNT -1": commands.Error("ERR COUNT can't be negative"),
		"a MAXLEN x": commands.Error("ERR MAXLEN can't be negative"), "a RANK": commands.ErrSyntax, "a NO 1": commands.ErrSyntax, "a": commands.ErrWrongType,
	} {
		h.Want("LPOS n "+args, err)
	}
}
