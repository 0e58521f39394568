package listen

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"cellserver/cmd/cellserver/files"
)

// Inherited are the listening sockets that another process opened for this one, such as systemd (socket
// activation). The server uses such a socket for the address that it has, and opens all other addresses
// itself. The sockets stay open until the end of Run, so CONFIG SET can leave an address and return to it.
// There are no locks: the list never changes.
type Inherited []*inheritedSocket

// inheritedSocket is a socket that listens already.
type inheritedSocket struct {
	file    *os.File
	network string // tcp or unix
	address string
	used    atomic.Bool // the configuration has asked for its address
}

// Inherit takes sockets over. Each of them must listen.
func Inherit(sockets []*os.File) (all Inherited, err error) {
	for _, file := range sockets {
		ln, err := net.FileListener(file)
		if err != nil {
			return nil, fmt.Errorf("the socket %s of systemd cannot be used: %w: use ListenStream=",
				file.Name(), files.Cause(err))
		}
		addr := ln.Addr()
		ln.Close()
		if !listens(file) {
			return nil, fmt.Errorf("the socket %s of systemd is a connection: use Accept=no", file.Name())
		}
		all = append(all, &inheritedSocket{file: file, network: addr.Network(), address: addr.String()})
	}
	return all, nil
}

// listen returns a listener for an address if there is a socket with this address, and nil if there is none.
func (all Inherited) listen(network, address string) (net.Listener, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if network == "unix" {
		address = filepath.Clean(address)
	} else if addr, err := net.ResolveTCPAddr(network, address); err == nil {
		network, address = "tcp", addr.String()
	}
	for _, s := range all {
		if s.network == network && s.address == address {
			s.used.Store(true)
			return net.FileListener(s.file)
		}
	}
	return nil, nil
}

// listenTCP listens on an address with the socket for it. Without one it opens the address.
func (all Inherited) listenTCP(network, address string) (net.Listener, error) {
	if ln, err := all.listen(network, address); ln != nil || err != nil {
		return ln, err
	}
	return net.Listen(network, address)
}

// ListenHTTP is listenTCP for a listener of HTTP.
func (all Inherited) ListenHTTP(address string) (net.Listener, error) {
	return all.listenTCP("tcp", address)
}

// Unused returns an error if the configuration does not ask for some of the sockets: their clients would
// wait forever.
func (all Inherited) Unused() error {
	var names []string
	for _, s := range all {
		if !s.used.Load() {
			names = append(names, s.address+" ("+s.file.Name()+")")
		}
	}
	if names == nil {
		return nil
	}
	return errors.New("systemd listens on " + strings.Join(names, " and ") + ", but the configuration does not: " +
		"give ListenStream= and bind, port, unixsocket or http-port the same addresses")
}

// Close closes the sockets. The process that opened them still listens.
func (all Inherited) Close() {
	for _, s := range all {
		s.file.Close()
	}
}
