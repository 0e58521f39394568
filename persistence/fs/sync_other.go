//go:build !linux

package fs

func (f osFile) sync() error { return f.File.Sync() }
