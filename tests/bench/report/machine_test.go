package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMachine(t *testing.T) {
	require.Equal(t, "Some CPU @ 2.50GHz", cpuModel("processor\t: 0\nmodel name\t: Some  CPU @ 2.50GHz\nprocessor\t: 1\nmodel name\t: Other\n"))
	require.Contains(t, cpuModel("processor\t: 0\n"), "processor")
	require.Equal(t, "7.0.15", redisVersion("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64\n"))
}
