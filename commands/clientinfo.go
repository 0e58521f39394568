package commands

// ClientInfo is what a client has published of itself, for CLIENT LIST.
type ClientInfo struct {
	ID          int64
	Addr, Laddr string // "ip:port", or "path:0" of the unix socket
	Kind        string // of CLIENT LIST TYPE: normal or pubsub
	Created     int64  // logical time, Unix nanoseconds
	Proto       int
	Pending     int    // bytes that wait to be sent
	Memory      int    // bytes of the buffers, about
	Flags       string // letters, "N" for none
	ClientDetails
}

// ClientDetails is the part of a client's state that the client publishes after a batch.
type ClientDetails struct {
	Identity   Identity
	Last       *Command // the last command; nil if there was none
	Active     int64    // logical time of the last batch, Unix nanoseconds
	DB         int
	Queued     int // commands in MULTI, -1 outside
	QueuedSize int // bytes of their arguments
	Redirect   int64
	Channels   int // subscribed to
	Patterns   int
	Modes      Modes
	Tracking   bool
	Bcast      bool
}
