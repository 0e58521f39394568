package follow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStreamDB: a copy that knows no database goes on in database 0.
func TestStreamDB(t *testing.T) {
	for value, want := range map[string]int{"3": 3, "0": 0, "-1": 0, "-9223372036854775809": 0, "": 0, "x": 0} {
		db := 0
		streamDB(&db)("ctime", "7")
		streamDB(&db)("repl-stream-db", value)
		require.Equal(t, want, db, "%q", value)
	}
}
