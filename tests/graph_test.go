//go:build !race

package tests

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// circles groups the nodes of a graph: nodes that reach each other share a group. A group comes after all groups that it
// reaches (Tarjan, "Depth-first search and linear graph algorithms", 1972). graph[n] lists the nodes that n points to.
func circles(graph [][]int) [][]int {
	s := search{graph: graph, order: make([]int, len(graph)), low: make([]int, len(graph))}
	for node := range graph {
		if s.order[node] == 0 {
			s.visit(node)
		}
	}
	return s.groups
}

// search is the state of Tarjan's algorithm.
type search struct {
	graph  [][]int
	order  []int // when each node was visited, from 1; 0 before the visit
	low    []int // the earliest visited node that a node reaches
	visits int
	stack  []int
	groups [][]int
}

func (s *search) visit(node int) {
	s.visits++
	s.order[node], s.low[node] = s.visits, s.visits
	s.stack = append(s.stack, node)
	for _, to := range s.graph[node] {
		if s.order[to] == 0 {
			s.visit(to)
			s.low[node] = min(s.low[node], s.low[to])
		} else if slices.Contains(s.stack, to) {
			s.low[node] = min(s.low[node], s.order[to])
		}
	}
	if s.low[node] == s.order[node] {
		from := slices.Index(s.stack, node)
		s.groups = append(s.groups, slices.Clone(s.stack[from:]))
		s.stack = s.stack[:from]
	}
}

// longestChain returns the longest list of groups in which each group points to the next one. The groups are those of
// circles.
func longestChain(graph, groups [][]int) [][]int {
	groupOf := make([]int, len(graph))
	for g, nodes := range groups {
		for _, node := range nodes {
			groupOf[node] = g
		}
	}
	height, below := make([]int, len(groups)), make([]int, len(groups))
	top := 0
	for g, nodes := range groups {
		height[g], below[g] = 1, -1
		for _, node := range nodes {
			for _, to := range graph[node] {
				if under := groupOf[to]; under != g && height[under] >= height[g] {
					height[g], below[g] = height[under]+1, under
				}
			}
		}
		if height[g] > height[top] {
			top = g
		}
	}
	var chain [][]int
	for g := top; g >= 0 && g < len(groups); g = below[g] {
		chain = append(chain, groups[g])
	}
	return chain
}

func TestCirclesAndChains(t *testing.T) {
	for _, c := range []struct {
		name           string
		graph          [][]int
		circles, chain int
	}{
		{"nothing", nil, 0, 0},
		{"no arrows", [][]int{{}, {}}, 2, 1},
		{"a line", [][]int{{1}, {2}, {}}, 3, 3},
		{"a line with a shortcut", [][]int{{2, 1}, {2}, {}}, 3, 3},
		{"a circle", [][]int{{1}, {2}, {0}}, 1, 1},
		{"a circle between two nodes", [][]int{{1}, {2}, {1, 3}, {}}, 3, 3},
		{"two circles and an arrow", [][]int{{1}, {0, 2}, {3}, {2}}, 2, 2},
	} {
		groups := circles(c.graph)
		require.Len(t, groups, c.circles, c.name)
		require.Len(t, longestChain(c.graph, groups), c.chain, c.name)
	}
}
