package replica

// Phase is how far a link is, in the words of ROLE.
type Phase string

// The phases of a link.
const (
	Waiting    Phase = "connect" // for the next try, or for a person
	Connecting Phase = "connecting"
	Greeting   Phase = "handshake"
	Copying    Phase = "sync"
	Connected  Phase = "connected"
)

// Position is where a stream of commands goes on: after the byte Offset of the history ID.
type Position struct {
	ID     string // "" for none
	Offset int64
	DB     int
}

// State is what a link shows. Times are monotonic nanoseconds.
type State struct {
	Host     string
	Port     int
	Phase    Phase
	Position Position
	Read     int64 // the offset of the last byte that has arrived
	LastIO   int64 // when the last byte arrived; 0 for never
	DownFrom int64 // since when the link is down; it counts while the phase is not Connected
	Copies   int64 // how many full copies have begun
	Copy     Progress
	LeftOut  map[string]int64 // what cannot be kept here, by its name
	Failed   string           // why the last session ended; "" if it did not
	Stopped  bool             // the link does not try again: Failed says why
}

// Shown returns the offset that ROLE shows: -1 before the first copy.
func (s *State) Shown() int64 {
	if s.Position.ID == "" {
		return -1
	}
	return s.Position.Offset
}

// Progress is how far a full copy is.
type Progress struct {
	Bytes, Read int64 // Bytes is 0 if the master does not say how many there are
	Keys, Of    int64 // Of is how many keys the master had before; 0 if it did not say
}

// Percent returns how much of the copy is here. Without a number of bytes it counts keys.
func (p *Progress) Percent() float64 {
	part, whole := p.Read, p.Bytes
	if whole == 0 {
		part, whole = min(p.Keys, p.Of), p.Of
	}
	return 100 * float64(part) / float64(max(whole, 1))
}
