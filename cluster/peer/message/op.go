package message

// Op is the operation of a frame.
type Op uint8

// The operations. A request has one Reply, one Failed or one Redirect; Publish has no answer.
const (
	Hello    Op = 1 // who are you?
	Join     Op = 2 // add me to the cluster, or let me vote
	Forget   Op = 3 // remove a node from the cluster
	Failover Op = 4 // make me the leader
	State    Op = 5 // how are you?
	Invite   Op = 6 // join this cluster
	Publish  Op = 7 // a message for subscribers

	Reply    Op = 128 // the body is the answer
	Failed   Op = 129 // the body is a sentence
	Redirect Op = 130 // the body is the address of the leader, or empty if none is known
)

// IsRequest reports whether an operation waits for an answer.
func (op Op) IsRequest() bool { return op >= Hello && op <= Invite }

// IsAnswer reports whether an operation answers a request.
func (op Op) IsAnswer() bool { return op >= Reply && op <= Redirect }
