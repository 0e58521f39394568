package forward

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// The shortest and the longest PROXY line, version 1, with its line end.
const (
	shortest = len("PROXY UNKNOWN\r\n")
	longest  = 107
)

// errHeader means that a forwarded connection does not begin with a PROXY line.
var errHeader = errors.New("a forwarded connection does not begin with a PROXY line")

// Header returns the PROXY line for a client. The line does not name addresses that are not of TCP.
func Header(client, server net.Addr) []byte {
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
	at := a.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// ReadHeader reads a PROXY line and nothing after it. The address is nil if the line names none.
func ReadHeader(in io.Reader) (client *net.TCPAddr, err error) {
	line := make([]byte, shortest, longest)
	if _, err := io.ReadFull(in, line); err != nil {
		return nil, fmt.Errorf("the PROXY line: %w", err)
	}
	for line[len(line)-1] != '\n' {
		if len(line) == longest {
			return nil, errHeader
		}
		line = line[:len(line)+1]
		if _, err := io.ReadFull(in, line[len(line)-1:]); err != nil {
			return nil, fmt.Errorf("the PROXY line: %w", unexpected(err))
		}
	}
	return parseHeader(string(line))
}

// unexpected makes the end of the bytes inside a line an error of its own.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func parseHeader(line string) (*net.TCPAddr, error) {
	text, ok := strings.CutSuffix(line, "\r\n")
	words := strings.Split(text, " ")
	switch {
	case !ok || len(words) < 2 || words[0] != "PROXY":
		return nil, errHeader
	case words[1] == "UNKNOWN":
		return nil, nil
	case len(words) != 6 || words[1] != "TCP4" && words[1] != "TCP6":
		return nil, errHeader
	}
	host, err := netip.ParseAddr(words[2])
	port, errPort := strconv.ParseUint(words[4], 10, 16)
	if err != nil || errPort != nil || host.Zone() != "" {
		return nil, errHeader
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(host, uint16(port))), nil
}
