package commands

import (
	"slices"
	"strings"
)

// listeners are the clients that listen to patterns of channels (PSUBSCRIBE) or to
// prefixes of keys (CLIENT TRACKING BCAST), by name. Messages leave in that order.
type listeners []listened

// listened is a pattern or prefix that some client listens to.
type listened struct {
	name    string
	clients []*Client
}

func (l *listeners) find(name string) (int, bool) {
	return slices.BinarySearchFunc(*l, name, func(x listened, name string) int { return strings.Compare(x.name, name) })
}

// add makes a client listen that did not.
func (l *listeners) add(c *Client, name string) {
	i, found := l.find(name)
	if !found {
		*l = slices.Insert(*l, i, listened{name: name})
	}
	(*l)[i].clients = append((*l)[i].clients, c)
}

// remove ends the listening of a client that did.
func (l *listeners) remove(c *Client, name string) {
	i, _ := l.find(name)
	x := &(*l)[i]
	if x.clients = without(x.clients, c); len(x.clients) == 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// without removes a client from a list that it may be in.
func without(clients []*Client, c *Client) []*Client {
	return slices.DeleteFunc(clients, func(o *Client) bool { return o == c })
}
