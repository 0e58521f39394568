package value

// Collection is a value with members. The interface has all that the store itself needs of a type.
// The store counts the memory of a collection, copies it for COPY and for snapshots, and names it.
// The methods of the type itself read and change its members.
//
// A Collection is not safe for concurrent use, except as Fork says. The store removes a key
// when its collection becomes empty.
type Collection interface {
	// Kind returns the type's kind.
	Kind() Kind

	// Len returns the number of members.
	Len() int

	// Bytes returns about how much memory the collection takes, in bytes.
	Bytes() int64

	// Encoding returns the name of the present encoding, as OBJECT ENCODING says it.
	Encoding() string

	// Clone returns a copy that changes independently of the receiver, for COPY.
	Clone() Collection

	// Fork returns a copy that takes all further changes, and about how many bytes it has copied. The
	// receiver does not change any more. A snapshot reads the members of the receiver in their order, and
	// nothing else, while another goroutine changes the copy. If the changes are undone, the receiver
	// becomes the key's value again. Then all its methods are called again. The first call may take time to
	// make what Fork has handed over to the copy.
	Fork() (c Collection, copied int64)
}
