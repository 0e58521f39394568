package peer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// heard keeps published messages.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) add(channel, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, channel+" "+text)
}

func (h *heard) get() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.all...)
}

func TestPublish(t *testing.T) {
	noLeaks(t)
	var n network
	var atB, atC heard
	b := n.start(t, &fakeService{onPublish: atB.add}, n.dialer(Limits{}))
	c := n.start(t, &fakeService{onPublish: atC.add}, n.dialer(Limits{}))
	p := NewPublisher(n.dialer(Limits{}), noScripts)
	p.Publish(false, []byte("news"), []byte("nobody"))
	p.To([]string{b.addr, c.addr})
	var want []string
	channel, text := []byte("news"), []byte("     ")
	for i := range 10_000 {
		copy(text, fmt.Sprintf("%5d", i))
		p.Publish(i%2 != 0, channel, text)
		want = append(want, []string{"", "shard:"}[i%2]+"news "+string(text))
	}
	requireSoon(t, "the messages", func() bool { return len(atB.get()) == len(want) && len(atC.get()) == len(want) })
	require.Equal(t, want, atB.get(), "in order")
	require.Equal(t, want, atC.get())
	require.Zero(t, p.Dropped())

	p.To([]string{c.addr, c.addr})
	p.Publish(false, []byte("only"), []byte("c"))
	requireSoon(t, "the message", func() bool { return len(atC.get()) == len(want)+1 })
	requireSoon(t, "the end of a link", func() bool { return b.Stats() == portStats{} })
	require.Len(t, atB.get(), len(want))
	requireSoon(t, "the count of the message", func() bool { // the node may hear it first
		return slices.Equal(p.Links(), []linkStats{{c.addr, 0, uint64(len(want)) + 1, 0}})
	})
	p.Close()
	p.To([]string{b.addr})
	require.Empty(t, p.Links())
	p.Publish(false, []byte("after"), []byte("the end"))
}

// The messages to a node that is down are dropped, and counted. A node that is back hears again.
func TestPublishToANodeThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var at heard
		p := NewPublisher(n.dialer(Limits{}), noScripts)
		p.To([]string{"node1:1"})
		for range 10 {
			p.Publish(false, []byte("a"), []byte("lost"))
		}
		time.Sleep(time.Minute)
		require.EqualValues(t, 10, p.Dropped())
		b := n.start(t, &fakeService{onPublish: at.add}, n.dialer(Limits{}))
		require.Equal(t, "node1:1", b.addr)
		time.Sleep(lastRetry)
		synctest.Wait()
		require.Equal(t, 1, b.Stats().Calls, "it connects without a message")
		p.Publish(false, []byte("a"), []byte("heard"))
		synctest.Wait()
		require.Equal(t, []string{"a heard"}, at.get())
		b.Close()
		synctest.Wait()
		p.Publish(false, []byte("a"), []byte("lost"))
		time.Sleep(time.Minute)
		require.EqualValues(t, 11, p.Dropped(), "the end of a connection is noticed without a message")
		p.Publish(false, []byte("a"), []byte("lost at the end"))
		p.Close()
		require.EqualValues(t, 12, p.Dropped())
	})
}

// A node of another cluster may get the address of a lost node. It hears no messages, and its scripts stay its own.
func TestPublishToANodeOfAnotherCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var at heard
		of := func(digit string) *Dialer {
			d := n.dialer(Limits{})
			d.Cluster = func() string { return strings.Repeat(digit, 40) }
			return d
		}
		b := n.start(t, &fakeService{onPublish: at.add}, of("b"))
		p := NewPublisher(of("a"), func(int64) ([][]byte, int64) { return [][]byte{[]byte("return 1")}, 1 })
		p.To([]string{b.addr})
		for range 10 {
			p.Publish(false, []byte("a"), []byte("secret"))
			p.Publish(true, []byte("a"), []byte("secret"))
			time.Sleep(time.Second)
		}
		p.Close()
		synctest.Wait()
		require.Empty(t, at.get())
		require.Equal(t, 1, strings.Count(b.log.String(), "it belongs to another cluster"), b.log.String())
		require.Less(t, b.refused.Load(), uint64(12), "it asks seldom")
	})
}

// A connection may be older than the cluster of the node that got the address.
func TestPublishToANodeThatFindsAnotherCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var at heard
		var found atomic.Bool
		a, d := n.dialer(Limits{}), n.dialer(Limits{})
		a.Cluster = func() string { return strings.Repeat("a", 40) }
		d.Cluster = func() string {
			if found.Load() {
				return strings.Repeat("b", 40)
			}
			return ""
		}
		b := n.start(t, &fakeService{onPublish: at.add}, d)
		p := NewPublisher(a, noScripts)
		defer p.Close()
		p.To([]string{b.addr})
		time.Sleep(time.Second)
		found.Store(true)
		for range 10 {
			p.Publish(false, []byte("a"), []byte("secret"))
			time.Sleep(time.Second)
		}
		require.Empty(t, at.get())
	})
}

// A node that does not read fills its own queue only, and is cut after a while.
func TestPublishToASlowNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var quick heard
		block := make(chan struct{})
		slow := n.start(t, &fakeService{onPublish: func(string, string) { <-block }}, n.dialer(Limits{}))
		other := n.start(t, &fakeService{onPublish: quick.add}, n.dialer(Limits{}))
		p := NewPublisher(n.dialer(Limits{QueueCount: 100, QueueBytes: 50_000}), noScripts)
		p.To([]string{slow.addr, other.addr})
		synctest.Wait()
		text := []byte(strings.Repeat("x", 20_000))
		for i := range 10 {
			p.Publish(false, []byte("large"), text)
			synctest.Wait()
			require.Len(t, quick.get(), i+1)
		}
		links := p.Links()
		require.LessOrEqual(t, links[0].Queued, 2)
		require.Zero(t, links[1].Dropped)
		require.NotZero(t, links[0].Dropped)
		time.Sleep(defaultLimits.Step + firstRetry)
		close(block)
		synctest.Wait()
		time.Sleep(time.Second)
		for range 3 {
			p.Publish(false, []byte("small"), nil)
		}
		synctest.Wait()
		require.EqualValues(t, 13, p.Links()[0].Sent+p.Links()[0].Dropped)
		require.GreaterOrEqual(t, p.Links()[0].Sent, uint64(3), "it hears again")
		p.Close()
		slow.Close()
		other.Close()
	})
}

// A node gets all scripts when it connects, also after a new start, and then each new one. A full queue drops none.
func TestScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var mu sync.Mutex
		var all [][]byte
		load := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, []byte(text))
		}
		load("return 1")
		load(strings.Repeat("x", 101))
		p := NewPublisher(n.dialer(Limits{Message: 100, QueueCount: 1}), func(after int64) ([][]byte, int64) {
			mu.Lock()
			defer mu.Unlock()
			return all[after:], int64(len(all))
		})
		p.To([]string{"node1:1"})
		p.Publish(false, []byte("a"), []byte("lost"))
		p.Publish(false, []byte("a"), []byte("no room"))
		load("return 2")
		p.NewScripts()
		time.Sleep(time.Minute)
		for range 2 {
			var at heard
			n.next = 0 // its address is the same
			b := n.start(t, &fakeService{onPublish: at.add}, n.dialer(Limits{Message: 100}))
			time.Sleep(lastRetry)
			synctest.Wait()
			require.Equal(t, []string{"script return 1", "script return 2"}, at.get())
			load("return 3")
			p.NewScripts()
			synctest.Wait()
			require.Equal(t, "script return 3", at.get()[2])
			p.Publish(false, []byte("a"), []byte("after"))
			synctest.Wait()
			require.Equal(t, "a after", at.get()[3])
			b.Close()
			all = all[:3]
			time.Sleep(time.Minute)
		}
		require.EqualValues(t, 2+2, p.Dropped(), "two messages, and twice the script that is too large")
		p.Close()
	})
}

func TestPublishIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := network{pipes: true}
		var at heard
		b := n.start(t, &fakeService{onPublish: at.add}, n.dialer(Limits{Message: 100}))
		p := NewPublisher(n.dialer(Limits{Message: 100, QueueCount: 5}), noScripts)
		p.To([]string{b.addr})
		synctest.Wait()
		p.Publish(false, []byte("1234567890"), make([]byte, 91))
		require.EqualValues(t, 1, p.Dropped())
		p.Publish(false, []byte("1234567890"), make([]byte, 90))
		synctest.Wait()
		require.Len(t, at.get(), 1)
		b.Close()
		p.To([]string{"nowhere:1"})
		for range 20 {
			p.Publish(false, []byte("a"), nil)
		}
		require.GreaterOrEqual(t, p.Dropped(), uint64(16))
		require.LessOrEqual(t, p.Links()[0].Queued, 5)
		p.Close()
	})
}

// A publish does not wait and makes one copy for all nodes.
func BenchmarkPublish(b *testing.B) {
	p := NewPublisher((&network{}).dialer(Limits{}), noScripts)
	p.To([]string{"127.0.0.1:1", "127.0.0.1:2"})
	channel, text := []byte("news"), make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		p.Publish(false, channel, text)
	}
	p.Close()
}
