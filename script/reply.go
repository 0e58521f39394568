package script

// A Kind is the kind of a reply: one of the types of RESP.
type Kind byte

// The kinds of replies. In RESP2 there are only those up to Array.
const (
	Null Kind = iota
	Status
	Error // Text begins with a code, such as "ERR "
	Int
	Bulk
	Array
	Map // Items are key, value, key, value, …
	Set
	Double
	Bool      // Int is 1 or 0
	BigNumber // Text has the digits
	Verbatim  // Text begins with the format, such as "txt:"
)

// A Reply is what a script answers to its client.
type Reply struct {
	Kind   Kind
	Text   []byte
	Int    int64
	Double float64
	Items  []Reply

	// Counted is true for the error of a command that a script passes on. The statistics have counted it
	// already.
	Counted bool
}

// Failed makes an error reply of a text with its code.
func Failed(text string) Reply { return Reply{Kind: Error, Text: []byte(text)} }
