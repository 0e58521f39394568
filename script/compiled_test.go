package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompiledScriptsAreBounded: an engine keeps few scripts of many functions, and many small ones.
func TestCompiledScriptsAreBounded(t *testing.T) {
	e := New(Options{})
	compile := func(text string) {
		_, err := e.Compile([]byte(text))
		require.NoError(t, err)
	}
	for i := range 20 {
		compile(fmt.Sprintf("return %d,{%s}", i, strings.Repeat("function()end,", 4000)))
		require.LessOrEqual(t, e.bytes, max(maxCompiled, e.recent.Front().Value.(*Script).f.Bytes))
	}
	require.Less(t, e.recent.Len(), 5)
	for i := range 500 {
		compile(fmt.Sprintf("return %d", i))
	}
	require.Greater(t, e.recent.Len(), 500)
	e.Flush()
	require.Zero(t, e.bytes)
}
