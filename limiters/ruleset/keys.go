package ruleset

import "bytes"

// StateName has the parts of the name of a key that holds a state, without the name that the request asks
// for.
type StateName struct {
	head, tail string // around a key without braces: "@org:{" and "}:throttle"
	tagged     string // after any other key and the asked name: "@org:throttle"
}

// NameState returns the name of a state of a scope. tail begins with "}:".
func NameState(scopeName, tail string) StateName {
	if scopeName != "" {
		scopeName = "@" + scopeName
	}
	return StateName{scopeName + ":{", tail, scopeName + tail[1:]}
}

// CutScopes splits the name that a request asks for: `llm@org,user` is the rule `llm`, with a key for each of
// the scopes after the @. scopes is nil if the request names none.
func CutScopes(name []byte) (rule, scopes []byte) {
	if at := bytes.IndexByte(name, '@'); at >= 0 {
		return name[:at], name[at+1:]
	}
	return name, nil
}

// Reserved names the buckets of reservations. The name of a numbered bucket goes on with a colon and its
// number. A bucket has the slot of the last key.
var Reserved = NameState("", "}:reserved")

// resetTail is the tail of the key that says when a scope was reset.
const resetTail = "}:reset"

// ReleaseTail is the tail of the key that holds the releases of a scope.
const ReleaseTail = "}:release"

// StateKey appends the name of the key that holds the state, such as that of a limit. asked is the name of
// the request: the rule's name, or any other name for the rule [Default]. The name of the state is
// name:{key}:limiter, so it has the slot of key. If key has braces, it may have a hash tag, and the name is
// key:name:limiter. In a scope name@scope takes the place of name. Two different keys or limits never have
// the same name. b is the result of [BracesOf] for key.
func (n *StateName) StateKey(to, asked, key []byte, b Braces) []byte {
	if b == NoBraces {
		to = append(append(to, asked...), n.head...)
		to = append(to, key...)
		return append(to, n.tail...)
	}
	to = append(append(to, key...), ':')
	return append(append(to, asked...), n.tagged...)
}

// Braces says what the braces of a key mean for the names of its states.
type Braces uint8

const (
	NoBraces    Braces = iota // the key is the hash tag of the names
	hashTag                   // the key has a hash tag, and each name begins with the key
	OtherBraces               // each name begins with the key, and may have another slot
)

// BracesOf returns what the braces of a key mean.
func BracesOf(key []byte) Braces {
	open := bytes.IndexByte(key, '{')
	switch {
	case open < 0 && len(key) > 0 && bytes.IndexByte(key, '}') < 0:
		return NoBraces
	case open >= 0 && bytes.IndexByte(key[open+1:], '}') > 0:
		return hashTag
	}
	return OtherBraces
}

// SharesSlot reports whether the states of a key have the slot of the key.
func SharesSlot(key []byte) bool { return BracesOf(key) != OtherBraces }

// HashOf returns the FNV-1a hash of several strings and of their lengths.
func HashOf(parts ...[]byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, p := range parts {
		for _, b := range p {
			h = (h ^ uint64(b)) * prime
		}
		h = (h ^ uint64(len(p))) * prime
	}
	return h
}
