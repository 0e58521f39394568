package servertest

// MemoryFile is an aclfile in memory.
type MemoryFile struct {
	Text   string
	Broken error // of the next reads and writes
}

// Name implements [commands.UserFile].
func (f *MemoryFile) Name() string { return "/users.acl" }

// Read implements [commands.UserFile].
func (f *MemoryFile) Read() ([]byte, error) { return []byte(f.Text), f.Broken }

// Write implements [commands.UserFile].
func (f *MemoryFile) Write(text []byte) error {
	if f.Broken == nil {
		f.Text = string(text)
	}
	return f.Broken
}
