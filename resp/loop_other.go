//go:build !linux

package resp

// loop and loops stand for the event loops that only Linux has: elsewhere every connection has a
// goroutine.
type (
	loop  struct{}
	loops struct{}
)

func (*loops) stop()             {}
func (*loop) post(*Conn)         {}
func (*Server) adopt(*Conn) bool { return false }
func cutOff(int)                 {}
