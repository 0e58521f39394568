package listeners

import (
	"slices"
	"strings"

	"cellserver/commands"
)

// List is a sorted list of names, each with the connections that listen to it. The zero List is
// empty.
type List []Name

// Name is a pattern or a prefix that a connection listens to.
type Name struct {
	Name  string
	Conns []*commands.Conn
}

func (l *List) find(name string) (int, bool) {
	return slices.BinarySearchFunc(*l, name, func(x Name, name string) int { return strings.Compare(x.Name, name) })
}

// Add adds a connection to a name. The connection must not listen to the name already.
func (l *List) Add(c *commands.Conn, name string) {
	i, found := l.find(name)
	if !found {
		*l = slices.Insert(*l, i, Name{Name: name})
	}
	(*l)[i].Conns = append((*l)[i].Conns, c)
}

// Remove removes a connection from a name. The connection must listen to the name.
func (l *List) Remove(c *commands.Conn, name string) {
	i, _ := l.find(name)
	x := &(*l)[i]
	if x.Conns = Without(x.Conns, c); len(x.Conns) == 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// Without removes a connection from a slice, in place. The slice may lack the connection.
func Without(conns []*commands.Conn, c *commands.Conn) []*commands.Conn {
	return slices.DeleteFunc(conns, func(o *commands.Conn) bool { return o == c })
}
