package listeners

import (
	"slices"
	"strings"

	"cellserver/commands"
)

// List holds names in order, each with the connections that listen to it.
type List []Name

// Name is a pattern or a prefix that a connection listens to.
type Name struct {
	Name  string
	Conns []*commands.Conn
}

func (l *List) find(name string) (int, bool) {
	return slices.BinarySearchFunc(*l, name, func(x Name, name string) int { return strings.Compare(x.Name, name) })
}

// Add makes a connection listen. The connection does not listen to the name yet.
func (l *List) Add(c *commands.Conn, name string) {
	i, found := l.find(name)
	if !found {
		*l = slices.Insert(*l, i, Name{Name: name})
	}
	(*l)[i].Conns = append((*l)[i].Conns, c)
}

// Remove ends the listening of a connection that listens to the name.
func (l *List) Remove(c *commands.Conn, name string) {
	i, _ := l.find(name)
	x := &(*l)[i]
	if x.Conns = Without(x.Conns, c); len(x.Conns) == 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// Without removes a connection from a list that may contain it.
func Without(conns []*commands.Conn, c *commands.Conn) []*commands.Conn {
	return slices.DeleteFunc(conns, func(o *commands.Conn) bool { return o == c })
}
