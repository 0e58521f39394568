package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Forward connects to another node for a client of this one, and names the client.
func (d *Dialer) Forward(ctx context.Context, node string, client net.Conn) (net.Conn, error) {
	server, err := d.Dial(ctx, node, kindForward, 0)
	if err != nil {
		return nil, err
	}
	done := context.AfterFunc(ctx, func() { _ = server.Close() })
	_, err = server.Write(proxyLine(client.RemoteAddr(), client.LocalAddr()))
	if !done() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return server, nil
}

// The shortest and the longest PROXY line, version 1, with its line end.
const (
	shortestLine = len("PROXY UNKNOWN\r\n")
	longestLine  = 107
)

// errProxyLine means that a forwarded connection does not begin with a PROXY line.
var errProxyLine = errors.New("a forwarded connection does not begin with a PROXY line")

// proxyLine returns the PROXY line for a client. The line does not name addresses that are not of TCP.
func proxyLine(client, server net.Addr) []byte {
	from, ok1 := client.(*net.TCPAddr)
	to, ok2 := server.(*net.TCPAddr)
	if !ok1 || !ok2 {
		return []byte("PROXY UNKNOWN\r\n")
	}
	a, b := plain(from), plain(to)
	family := "TCP4"
	if a.Addr().Is6() || b.Addr().Is6() {
		family = "TCP6"
	}
	return fmt.Appendf(nil, "PROXY %s %s %s %d %d\r\n", family, a.Addr(), b.Addr(), a.Port(), b.Port())
}

// plain writes an IPv4 address as such, and removes the name of the interface.
func plain(a *net.TCPAddr) netip.AddrPort {
	addr := a.AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
}

// readProxyLine reads a PROXY line and nothing after it. The address is nil if the line names none.
func readProxyLine(in io.Reader) (client *net.TCPAddr, err error) {
	line := make([]byte, shortestLine, longestLine)
	if _, err := io.ReadFull(in, line); err != nil {
		return nil, fmt.Errorf("the PROXY line: %w", err)
	}
	for line[len(line)-1] != '\n' {
		if len(line) == longestLine {
			return nil, errProxyLine
		}
		line = line[:len(line)+1]
		if _, err := io.ReadFull(in, line[len(line)-1:]); err != nil {
			return nil, fmt.Errorf("the PROXY line: %w", unexpected(err))
		}
	}
	return parseProxyLine(string(line))
}

func parseProxyLine(line string) (*net.TCPAddr, error) {
	text, ok := strings.CutSuffix(line, "\r\n")
	words := strings.Split(text, " ")
	switch {
	case !ok || len(words) < 2 || words[0] != "PROXY":
		return nil, errProxyLine
	case words[1] == "UNKNOWN":
		return nil, nil
	case len(words) != 6 || words[1] != "TCP4" && words[1] != "TCP6":
		return nil, errProxyLine
	}
	host, err := netip.ParseAddr(words[2])
	port, errPort := strconv.ParseUint(words[4], 10, 16)
	if err != nil || errPort != nil || host.Zone() != "" {
		return nil, errProxyLine
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(host, uint16(port))), nil
}
