//go:build !linux

package transport

// loops has no event loops: on this system a worker serves every connection.
type loops struct{}

func newLoops(int, *host) *loops { return &loops{} }

func (*loops) adopt(*Conn) bool { return false }
func (*loops) stop()            {}
