package commands

import (
	"fmt"
	"strconv"
)

// DescribeClient returns the line of a client in CLIENT LIST. Fields about buffers that only Redis has are
// 0. fd is -1, because only the transport knows the descriptor.
func (c *Call) DescribeClient(client *ClientInfo) string {
	last := "NULL"
	if client.Last != nil {
		last = client.Last.FullName()
	}
	var request, args int
	if client.ID == c.Conn.ID {
		request, args = requestSize(c.Args)
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s db=%d sub=%d "+
		"psub=%d ssub=0 multi=%d "+
		"qbuf=%d qbuf-free=0 argv-mem=%d multi-mem=%d rbs=0 rbp=0 obl=0 oll=0 omem=%d tot-mem=%d "+
		"events=r cmd=%s user=%s "+
		"redir=%d resp=%d lib-name=%s lib-ver=%s\n",
		client.ID, client.Addr, client.Laddr, client.Identity.Name, secondsSince(c, client.Created), secondsSince(c, client.Active),
		client.Flags, client.DB, client.Channels, client.Patterns, client.Queued, request, args, client.QueuedSize, client.Pending,
		client.Memory+client.QueuedSize+client.Pending, last, client.Identity.User.Name(),
		client.Redirect, client.Proto, client.Identity.Library, client.Identity.LibraryVersion)
}

// secondsSince returns the seconds of logical time since then. The logical clock may have gone
// back; the result is then 0.
func secondsSince(c *Call, then int64) int64 { return max(0, c.Now/1e9-then/1e9) }

// requestSize returns the size of a command in bytes: on the wire, and of its arguments alone.
func requestSize(args [][]byte) (wire, own int) {
	wire = headerSize(len(args))
	for _, a := range args {
		own += len(a)
		wire += headerSize(len(a)) + len(a) + len("\r\n")
	}
	return wire, own
}

// headerSize is the length of a line such as "*2\r\n" in bytes.
func headerSize(n int) int { return len("*\r\n") + len(strconv.Itoa(n)) }
