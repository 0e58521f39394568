package commands

import (
	"fmt"
	"strconv"
)

// DescribeClient returns the line of a client in CLIENT LIST, with its newline. The sizes of buffers that
// only Redis has are 0. fd is -1, because only the transport knows the descriptor. Only the line of the
// client that asks has the sizes of a request.
func (c *Call) DescribeClient(client *ClientInfo) string {
	lastName := "NULL"
	if client.Last != nil {
		lastName = client.Last.FullName()
	}
	var wireBytes, argBytes int
	if client.ID == c.Conn.ID {
		wireBytes, argBytes = requestSize(c.Args)
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d "+
		"ssub=%d multi=%d qbuf=%d qbuf-free=0 argv-mem=%d multi-mem=%d rbs=0 rbp=0 obl=0 oll=0 omem=%d "+
		"tot-mem=%d events=r cmd=%s user=%s redir=%d resp=%d lib-name=%s lib-ver=%s\n",
		client.ID, client.Addr, client.Laddr, client.Identity.Name, secondsSince(c, client.Created),
		secondsSince(c, client.Active), client.Flags, client.DB, client.Subs[Channel], client.Subs[Pattern],
		client.Subs[Shard], client.Queued, wireBytes, argBytes, client.QueuedSize, client.Pending,
		client.Memory+client.QueuedSize+client.Pending, lastName, client.Identity.User.Name(),
		client.Redirect, client.Proto, client.Identity.Library, client.Identity.LibraryVersion)
}

// secondsSince returns the seconds of logical time since a moment, or 0 if the logical clock has gone back.
func secondsSince(c *Call, moment int64) int64 { return max(0, c.Now/1e9-moment/1e9) }

// requestSize returns the size of a request in bytes: on the wire, and of its arguments alone.
func requestSize(args [][]byte) (wireBytes, argBytes int) {
	wireBytes = headerSize(len(args))
	for _, a := range args {
		argBytes += len(a)
		wireBytes += headerSize(len(a)) + len(a) + len("\r\n")
	}
	return wireBytes, argBytes
}

// headerSize returns the size of a line such as "*2\r\n" in bytes.
func headerSize(n int) int { return len("*\r\n") + len(strconv.Itoa(n)) }
