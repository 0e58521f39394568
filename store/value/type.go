package value

// Type describes a type of collections. The store, the log, snapshots and transactions that are undone know a
// type by its description only.
type Type struct {
	Kind Kind

	// Changes are all ways to change a collection of the type. Whole is the one that adds members: the log
	// writes a whole value as changes of this kind. Each calls f with the operands of these changes, in
	// order, until f returns false.
	Changes []*Change
	Whole   *Change
	Each    func(c Collection, f func(*Operands) bool)

	// Once: a change says how the collection changes, so it must be applied exactly once. Otherwise it says
	// what the collection holds, and applying it again changes nothing.
	Once bool
}

// Change is a way to change a collection: a Redis command on one key.
type Change struct {
	Verb string // the command in upper case
	// Args are the arguments after the key, one letter each, in terms of [Operands]: v Value, m More, i Int,
	// s Score, e End. w is a word: BEFORE if Int is negative, otherwise AFTER.
	Args string
	// Repeats: the command takes several groups of these arguments, and means the same as one command for
	// each.
	Repeats bool
	// Makes: it makes the collection if the key is absent. Otherwise it does nothing then.
	Makes bool
	// Apply changes a collection, nil if the key is absent. It returns the collection, which may be another
	// one now.
	Apply func(c Collection, o *Operands, l *Limits) (Collection, Outcome)
}

// Operands are the arguments of a change. Its slices are borrowed.
type Operands struct {
	Value []byte // a member, or an element
	More  []byte // what belongs to the member
	Int   int64
	End   int64
	Score float64
}

// Outcome is what a change has done.
type Outcome struct {
	Changed bool // the collection is another one than before
	Added   bool // it has one more member
}

// Limits bound the compact forms of collections. Their fields are the directives of Redis of nearly the same
// names.
type Limits struct {
	ZSetEntries, ZSetValue int // of sorted sets
	HashEntries, HashValue int // of hashes
	SetIntEntries          int // of sets of integers
	ListEntries, ListBytes int // of each block of a list
}

// MostEntries is the maximum number of entries of a compact form, even if a directive allows more. A command
// may read or move all of them while other clients wait.
const MostEntries = 2048

// Bounded returns the limits with at most MostEntries.
func (l Limits) Bounded() Limits {
	l.ZSetEntries, l.HashEntries = min(l.ZSetEntries, MostEntries), min(l.HashEntries, MostEntries)
	l.SetIntEntries = min(l.SetIntEntries, MostEntries)
	return l
}

// DefaultLimits are those of Redis.
var DefaultLimits = Limits{ZSetEntries: 128, ZSetValue: 64, HashEntries: 512, HashValue: 64, SetIntEntries: 512, ListEntries: 128, ListBytes: 1024}
