package commands

import (
	"fmt"
	"testing"
)

func TestGetRange(t *testing.T) {
	h := newHarness(t)
	h.want("SET k Hello", ok)
	h.want("SET n -1234", ok)
	for _, c := range []struct{ at, text, number string }{
		{"0 -1", "Hello", "-1234"}, {"0 0", "H", "-"}, {"-3 -1", "llo", "234"}, {"1 3", "ell", "123"}, {"3 1", "", ""}, {"-1 -3", "", ""},
		{"-100 1", "He", "-1"}, {"4 100", "o", "4"}, {"5 100", "", ""}, {"0 -100", "H", "-"}, {"-100 -100", "H", "-"}, {"-100 -101", "", ""},
		{"-9223372036854775808 9223372036854775807", "Hello", "-1234"}, {"9223372036854775807 -1", "", ""},
	} {
		for _, name := range []string{"GETRANGE", "substr"} {
			h.want(fmt.Sprintf("%s k %s", name, c.at), c.text)
			h.want(fmt.Sprintf("%s n %s", name, c.at), c.number)
		}
	}
	h.want("GETRANGE absent 0 -1", "")
	h.want("GETRANGE absent 0 x", errNotInteger)
	h.want("GETRANGE absent x 0", errNotInteger)
	h.sortedSet("z", "m")
	h.want("GETRANGE z 0 -1", errWrongType)
}
