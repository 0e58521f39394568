package value

// Kind is the type of a key's value. A cell of the store keeps it in three bits, so there are at
// most eight kinds.
type Kind uint8

// The kinds of values. The collections come last.
const (
	None   Kind = iota // no such key
	Int                // a string that is a canonical int64: a counter, or a TAT
	Raw                // any other string
	Sorted             // a sorted set: store/sortedset
	Hash               // a hash: store/hash
	Set                // a set: store/set
	List               // a list: store/list
)

// kinds has a row for each kind: the type's name, as the command TYPE says it.
var kinds = [...]struct{ name string }{
	None:   {"none"},
	Int:    {"string"},
	Raw:    {"string"},
	Sorted: {"zset"},
	Hash:   {"hash"},
	Set:    {"set"},
	List:   {"list"},
}

// Name returns the name of the type, as Redis's TYPE says it.
func (k Kind) Name() string { return kinds[k].name }

// IsCollection reports whether a key of this kind holds a [Collection].
func (k Kind) IsCollection() bool { return k > Raw }
