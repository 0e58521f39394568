package script

// Made returns how many bytes the running script has made.
func (e *Engine) Made() int { return e.m.Made() }
