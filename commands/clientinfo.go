package commands

// ClientInfo is the part of a client that other clients may see: CLIENT LIST shows it.
type ClientInfo struct {
	ID          int64
	Addr, Laddr string // "ip:port", or "path:0" of the unix socket
	Kind        string // "normal" or "pubsub", as in CLIENT LIST TYPE
	Whole       bool   // the client knows no slots
	Created     int64  // logical time, Unix nanoseconds
	Proto       int
	Pending     int    // bytes of replies that are not sent yet
	Memory      int    // bytes of the buffers (an estimate)
	Flags       string // one letter for each flag of CLIENT LIST; "N" without flags
	ClientDetails
}

// ClientDetails is the part of a client's state that the client publishes after each batch.
type ClientDetails struct {
	Identity   Identity
	Last       *Command // the last command; nil if there was none
	Active     int64    // logical time of the last batch, Unix nanoseconds
	DB         int
	Queued     int           // commands in the queue of MULTI; -1 outside MULTI
	QueuedSize int           // bytes of the queued arguments
	Redirect   int64         // the reply of CLIENT GETREDIR
	Subs       [subjects]int // numbers of subscriptions
	Modes      Modes
	Tracking   bool
	Bcast      bool
}
