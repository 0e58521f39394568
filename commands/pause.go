package commands

// paused reports whether CLIENT PAUSE holds a command back.
func (s *Server) paused(call *Call) bool { return false }
