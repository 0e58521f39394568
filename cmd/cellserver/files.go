package main

import (
	"io"
	"os"
)

// fileReader reads configuration files, and standard input for "-". It remembers the name of the first file.
type fileReader struct{ first string }

func (r *fileReader) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	if r.first == "" {
		r.first = name
	}
	return os.ReadFile(name)
}
