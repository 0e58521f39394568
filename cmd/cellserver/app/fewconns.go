package app

import (
	"net"
	"sync"
)

// fewConns is a listener with a bound on its open connections. Further ones wait to be accepted.
type fewConns struct {
	net.Listener
	open chan struct{} // has an element for each open connection
}

func newFewConns(ln net.Listener, most int) *fewConns {
	return &fewConns{ln, make(chan struct{}, most)}
}

// Accept waits until another connection may be open, and for that connection.
func (l *fewConns) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	nc, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &countedConn{Conn: nc, free: func() { <-l.open }}, nil
}

// countedConn frees its place when it is closed.
type countedConn struct {
	net.Conn
	once sync.Once
	free func()
}

// Close closes the connection.
func (c *countedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
