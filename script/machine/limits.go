package machine

// Limits bound a script.
type Limits struct {
	Bytes int // of all strings and tables that it makes
	Steps int // between two calls of check, which says whether the script may go on

	// More asks for memory that scripts share: bytes beyond OwnBytes. If it is nil, Bytes is the only bound.
	More func(bytes int) bool
}

// OwnBytes is what a script may make without a call of More. Each call of More asks for a multiple of
// OwnBytes.
const OwnBytes = 128 << 10

// How much takes about as long as a step.
const (
	bytesPerStep = 512 // of a new text: the system gives the memory page by page
	bytesRead    = 64  // of a text, one after the other
	fieldsPassed = 16  // of a table
)

// DefaultLimits are 256 MiB, and a call of check every 10,000 steps, which take about a millisecond.
var DefaultLimits = Limits{Bytes: 256 << 20, Steps: 10000}

// The rough cost of values in bytes.
const (
	TextCost  = 40
	slotCost  = 24
	ItemCost  = 48
	gapCost   = 64 // of an item that is not set, before one that is: the interpreter fills the gap
	FieldCost = 200
	tableCost = 900 // with the first items, for 32 of which there is room, or with the first fields
	FuncCost  = 400 // of a function of Go that a library function makes
)

// MaxValues is how many values the stack of a library function has in Lua 5.1.
const MaxValues = 8000

// maxArguments is how many variable arguments a function may have. A call exceeds this number only if it
// adds values to its own variable arguments.
const maxArguments = MaxValues + 2*maxDepth
