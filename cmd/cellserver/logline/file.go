package logline

import "os"

// File is the path of a file. Each write opens the file, so that log rotation can rename it without a
// signal.
type File string

// Write appends p.
func (f File) Write(p []byte) (int, error) {
	file, err := os.OpenFile(string(f), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(p)
	if failed := file.Close(); err == nil {
		err = failed
	}
	return n, err
}
