package sidecar

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"cellserver/commands"

	"github.com/stretchr/testify/require"
)

// peer keeps what is pushed. The test sends it when it likes.
type peer struct {
	commands.Peer
	text, sent    strings.Builder
	woken, closed int
}

func (p *peer) Push(b []byte) { p.text.Write(b) }
func (p *peer) Wake()         { p.woken++ }
func (p *peer) Close()        { p.closed++ }
func (p *peer) Pending() int  { return p.text.Len() - p.sent.Len() }

// TestOrder ends replies in a random order, some of them in pieces. They leave in the order of the commands.
func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		r, p := rand.New(rand.NewPCG(seed, 1)), &peer{}
		o, want, open := order{peer: p}, "", []*slot(nil)
		require.True(t, o.clear())
		for i := range 50 {
			open = append(open, o.add(10))
			want += strconv.Itoa(i) + "a" + strconv.Itoa(i) + "b."
		}
		require.False(t, o.clear())
		all := append([]*slot(nil), open...)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		number := map[*slot]string{}
		for i, s := range open {
			number[s] = strconv.Itoa(i)
		}
		for _, s := range all {
			s.write([]byte(number[s]+"a"), false)
			if r.IntN(2) == 0 {
				other := all[r.IntN(len(all))]
				other.write(nil, false)
			}
			s.write([]byte(number[s]+"b."), true)
			s.write([]byte("late"), true)
		}
		require.Equal(t, want, p.text.String(), seed)
		require.Zero(t, o.asked)
		require.Zero(t, o.bytes)
		require.False(t, o.clear(), "a message waits")
		p.sent.WriteString(want)
		require.True(t, o.clear())
	}
}

// TestOrderIsBounded: a client waits while too many of its commands, or too many bytes of them, have no reply.
func TestOrderIsBounded(t *testing.T) {
	p := &peer{}
	o := order{peer: p}
	var slots []*slot
	fill := func() (all []*slot) {
		for o.room() {
			all = append(all, o.add(1))
		}
		return all
	}
	slots = fill()
	require.Len(t, slots, firstSlots)
	for n := firstSlots; len(slots) < mostSlots; slots = append(slots[1:], fill()...) {
		require.Len(t, slots, n)
		slots[0].write([]byte("x"), true)
		n++
	}
	for i := 0; p.woken == 0; i++ {
		slots[i].write([]byte("x"), true)
	}
	require.Len(t, o.slots, mostSlots/2-1, "then it goes on for a while")
	for _, s := range slots[mostSlots/2+1:] {
		s.write(make([]byte, longReply), true)
	}
	require.Len(t, fill(), 1, "after long replies")

	p = &peer{}
	o = order{peer: p}
	big := o.add(mostAsked + 1)
	require.False(t, o.room())
	big.write([]byte("x"), true)
	require.Equal(t, 1, p.woken)
	require.True(t, o.room())

	o.add(1)
	behind := o.add(1)
	for range mostReplies/(1<<20) + 1 {
		behind.write(make([]byte, 1<<20), false)
	}
	require.Equal(t, 1, p.closed, "replies that wait for others are bounded")
	o.close()
	behind.write([]byte("x"), true)
	require.True(t, o.gone())
}
