package commands

import "net"

// Peer is the transport's side of a connection. Any goroutine may call its methods.
type Peer interface {
	Push(p []byte)    // sends the message p between two replies
	Close()           // closes the connection at once
	Wake()            // runs a waiting command (TryAgain) again; also counts if the command is about to wait
	CloseAfterReply() // closes the connection after the replies of the running batch
	Pending() int     // bytes of replies that are not sent yet
	Memory() int      // bytes of its buffers (an estimate)
	RemoteAddr() net.Addr
	LocalAddr() net.Addr
	Encrypted() bool // the client speaks TLS
	// Gone reports whether the client has closed its side, or the connection is lost. It costs a system call.
	Gone() bool
}
