package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"testing"
)

func TestGetRange(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k Hello", ok)
	h.Want("SET n -1234", ok)
	for _, c := range []struct{ at, text, number string }{
		{"0 -1", "Hello", "-1234"}, {"0 0", "H", "-"}, {"-3 -1", "llo", "234"}, {"1 3", "ell", "123"}, {"3 1", "", ""}, {"-1 -3", "", ""},
		{"-100 1", "He", "-1"}, {"4 100", "o", "4"}, {"5 100", "", ""}, {"0 -100", "H", "-"}, {"-100 -100", "H", "-"}, {"-100 -101", "", ""},
		{"-9223372036854775808 9223372036854775807", "Hello", "-1234"}, {"9223372036854775807 -1", "", ""},
	} {
		for _, name := range []string{"GETRANGE", "substr"} {
			h.Want(fmt.Sprintf("%s k %s", name, c.at), c.text)
			h.Want(fmt.Sprintf("%s n %s", name, c.at), c.number)
		}
	}
	h.Want("GETRANGE absent 0 -1", "")
	h.Want("GETRANGE absent 0 x", commands.ErrNotInteger)
	h.Want("GETRANGE absent x 0", commands.ErrNotInteger)
	h.SortedSet("z", "m")
	h.Want("GETRANGE z 0 -1", commands.ErrWrongType)
}
