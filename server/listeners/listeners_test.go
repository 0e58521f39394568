package listeners_test

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/listeners"

	"github.com/stretchr/testify/require"
)

// TestNamesAreSorted adds and removes listeners: names stay sorted, and a name without listeners is gone.
func TestNamesAreSorted(t *testing.T) {
	var list listeners.List
	a, b := &commands.Conn{ID: 1}, &commands.Conn{ID: 2}
	for _, step := range []struct {
		add  bool
		c    *commands.Conn
		name string
		want listeners.List
	}{
		{true, a, "m", listeners.List{{Name: "m", Conns: []*commands.Conn{a}}}},
		{true, b, "c", listeners.List{{Name: "c", Conns: []*commands.Conn{b}}, {Name: "m", Conns: []*commands.Conn{a}}}},
		{true, b, "m", listeners.List{{Name: "c", Conns: []*commands.Conn{b}}, {Name: "m", Conns: []*commands.Conn{a, b}}}},
		{true, a, "", listeners.List{{Name: "", Conns: []*commands.Conn{a}}, {Name: "c", Conns: []*commands.Conn{b}}, {Name: "m", Conns: []*commands.Conn{a, b}}}},
		{false, b, "c", listeners.List{{Name: "", Conns: []*commands.Conn{a}}, {Name: "m", Conns: []*commands.Conn{a, b}}}},
		{false, a, "m", listeners.List{{Name: "", Conns: []*commands.Conn{a}}, {Name: "m", Conns: []*commands.Conn{b}}}},
		{false, b, "m", listeners.List{{Name: "", Conns: []*commands.Conn{a}}}},
		{false, a, "", listeners.List{}},
	} {
		if step.add {
			list.Add(step.c, step.name)
		} else {
			list.Remove(step.c, step.name)
		}
		require.Equal(t, step.want, list, "%+v", step)
	}
}

func TestWithout(t *testing.T) {
	a, b := &commands.Conn{ID: 1}, &commands.Conn{ID: 2}
	require.Equal(t, []*commands.Conn{a}, listeners.Without([]*commands.Conn{a, b}, b))
	require.Equal(t, []*commands.Conn{a}, listeners.Without([]*commands.Conn{a}, b))
	require.Empty(t, listeners.Without(nil, b))
}
