package report

import (
	"fmt"
	"os"
	"time"
)

// Say writes a line of progress to standard error.
func Say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}
