package peer

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeaders(t *testing.T) {
	tcp := func(text string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", text)
		require.NoError(t, err)
		return a
	}
	for want, c := range map[string][2]net.Addr{
		"PROXY TCP4 10.0.0.1 10.0.0.2 1234 6379\r\n":         {tcp("10.0.0.1:1234"), tcp("10.0.0.2:6379")},
		"PROXY TCP6 2001:db8::1 ::1 1 2\r\n":                 {tcp("[2001:db8::1]:1"), tcp("[::1]:2")},
		"PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n":               {tcp("[::ffff:10.0.0.1]:1"), tcp("10.0.0.2:2")},
		"PROXY TCP6 fe80::1 fe80::2 1 2\r\n":                 {&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 1}, tcp("[fe80::2]:2")},
		"PROXY UNKNOWN\r\n":                                  {&net.UnixAddr{Name: "/tmp/x"}, tcp("10.0.0.2:2")},
		"PROXY TCP4 255.255.255.255 255.255.255.255 1 2\r\n": {tcp("255.255.255.255:1"), tcp("255.255.255.255:2")},
	} {
		line := proxyLine(c[0], c[1])
		require.Equal(t, want, string(line))
		in := bytes.NewReader(append(line, "*1\r\n$4\r\nPING\r\n"...))
		client, err := readProxyLine(in)
		require.NoError(t, err, want)
		require.Equal(t, 14, in.Len(), "nothing after the line is read")
		if from, ok := c[0].(*net.TCPAddr); ok {
			require.Equal(t, plain(from), client.AddrPort())
		} else {
			require.Nil(t, client)
		}
	}
}

func TestWrongHeaders(t *testing.T) {
	for _, line := range []string{
		"*1\r\n$4\r\nPING\r\n*1\r\n", "PROXY UNKNOWN\n\n", "PROXYUNKNOWN\r\n\r\n", "PROXY TCP4 10.0.0.1 10.0.0.2 1234\r\n",
		"PROXY TCP4 10.0.0 10.0.0.2 1 2\r\n", "PROXY TCP4 10.0.0.1 10.0.0.2 70000 2\r\n", "PROXY TCP9 10.0.0.1 10.0.0.2 1 2\r\n",
		"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", "PROXY " + strings.Repeat("x", 200) + "\r\n",
	} {
		_, err := readProxyLine(strings.NewReader(line))
		require.ErrorIs(t, err, errProxyLine, line)
	}
	_, err := readProxyLine(strings.NewReader("PROXY TCP4 10.0.0.1"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = readProxyLine(strings.NewReader("PROXY TCP4 10.0"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = readProxyLine(strings.NewReader(""))
	require.ErrorIs(t, err, io.EOF)
}

func FuzzReadHeader(f *testing.F) {
	f.Add([]byte("PROXY TCP4 10.0.0.1 10.0.0.2 1234 6379\r\nrest"))
	f.Add([]byte("PROXY UNKNOWN\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		in := bytes.NewReader(line)
		client, err := readProxyLine(in)
		if read := len(line) - in.Len(); read > longestLine || err == nil &&
			!bytes.HasSuffix(line[:read], []byte("\r\n")) {
			t.Fatalf("read %d of %q, error %v", read, line, err)
		}
		if err == nil && client != nil && !client.AddrPort().IsValid() {
			t.Fatalf("%v from %q", client, line)
		}
	})
}
