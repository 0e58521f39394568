package peer

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	secret = []byte("0123456789abcdef0123456789abcdef")
	other  = []byte("0123456789abcdef0123456789abcdeX")
	any20  = [20]byte{1, 2, 3}
)

func admitAll(purpose) Refusal { return accepted }

// An outcome is what both ends of a handshake have at its end.
type outcome struct {
	dialed, accepted   net.Conn
	preface            purpose
	dialErr, acceptErr error
}

// shake lets two nodes shake hands over a socket.
func shake(t *testing.T, dial, accept *Security, p purpose, admit func(purpose) Refusal) outcome {
	t.Helper()
	a, b := sockets(t)
	return shakeOver(t, a, b, dial, accept, p, admit)
}

// sockets returns the two ends of a connection.
func sockets(t *testing.T) (a, b net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	a, err = net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	b, err = ln.Accept()
	require.NoError(t, err)
	return a, b
}

func shakeOver(t *testing.T, a, b net.Conn, dial, accept *Security, p purpose,
	admit func(purpose) Refusal) (o outcome) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.accepted, o.preface, o.acceptErr = accept.accept(b, admit)
	}()
	var err error
	var conn net.Conn
	conn, err = dial.dial(t.Context(), a, "localhost", p)
	<-done
	o.dialed, o.dialErr = conn, err
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return o
}

// requireOpen requires that bytes pass both ways.
func (o outcome) requireOpen(t *testing.T) {
	t.Helper()
	require.NoError(t, o.dialErr)
	require.NoError(t, o.acceptErr)
	for _, ends := range [][2]net.Conn{{o.dialed, o.accepted}, {o.accepted, o.dialed}} {
		go func() { _, _ = ends[0].Write([]byte("hello")) }()
		got := make([]byte, 5)
		_, err := io.ReadFull(ends[1], got)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got))
	}
}

func TestHandshake(t *testing.T) {
	for name, s := range map[string]*Security{"nothing": {}, "secret": {Secret: secret}} {
		for _, kind := range kinds {
			want := purpose{kind, 7, any20}
			o := shake(t, s, s, want, admitAll)
			require.Equal(t, want, o.preface, name)
			o.requireOpen(t)
		}
	}
}

func TestRefusals(t *testing.T) {
	none, one, two := &Security{}, &Security{Secret: secret}, &Security{Secret: other}
	no := func(r Refusal) func(purpose) Refusal { return func(purpose) Refusal { return r } }
	for name, c := range map[string]struct {
		dial, accept *Security
		kind         connKind
		admit        func(purpose) Refusal
		want         Refusal
	}{
		"the acceptor has a secret":       {none, one, kindRaft, admitAll, wantsSecret},
		"the dialer has a secret":         {one, none, kindRaft, admitAll, hasNoSecret},
		"two secrets":                     {one, two, kindRaft, admitAll, wrongProof},
		"an unknown kind":                 {one, one, 'X', admitAll, unknownKind},
		"too many, with a secret":         {one, one, kindCall, no(tooManyOpen), tooManyOpen},
		"not served, with nothing":        {none, none, kindForward, no(notServed), notServed},
		"another cluster, with a secret":  {one, one, kindRaft, no(otherCluster), otherCluster},
		"another cluster, with nothing":   {none, none, kindRaft, no(otherCluster), otherCluster},
		"an unknown kind, without secret": {none, none, 0, admitAll, unknownKind},
	} {
		t.Run(name, func(t *testing.T) {
			o := shake(t, c.dial, c.accept, purpose{Kind: c.kind}, c.admit)
			require.ErrorIs(t, o.dialErr, c.want)
			var refused *refusedError
			require.ErrorAs(t, o.acceptErr, &refused)
			require.Equal(t, c.want, refused.Refusal)
			require.NotEmpty(t, refused.Error())
			require.Nil(t, o.dialed)
			require.Nil(t, o.accepted)
		})
	}
}

// A node is admitted only after it has proved itself.
func TestAdmitComesAfterTheProof(t *testing.T) {
	o := shake(t, &Security{Secret: other}, &Security{Secret: secret}, purpose{Kind: kindRaft},
		func(purpose) Refusal {
			t.Error("asked before the proof")
			return accepted
		})
	require.ErrorIs(t, o.dialErr, wrongProof)
}

func TestOtherVersionIsRefused(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		preface := purpose{Kind: kindRaft}.wire(0, nonce{})
		preface[len(magic)] = protocol + 1
		_, _ = a.Write(preface[:])
		_, _ = io.Copy(io.Discard, a)
	}()
	_, _, err := (&Security{}).accept(b, admitAll)
	require.EqualError(t, err, "it speaks another version of the peer protocol: run the same release on every node")
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for r := accepted; r < afterRefusals; r++ {
		require.NotEmpty(t, r.Error())
		if r != accepted {
			require.NotEmpty(t, (&refusedError{r}).Error())
		}
	}
	require.Equal(t, "it refuses for a reason that this release does not know (200): run the same release on every node", Refusal(200).Error())
}

// The acceptor must prove itself too.
func TestAnAcceptorWithoutTheSecretIsFound(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		_, _ = io.CopyN(io.Discard, b, int64(prefaceSize))
		_, _ = b.Write(append([]byte{byte(accepted)}, make([]byte, nonceSize)...))
		_, _ = io.CopyN(io.Discard, b, 32)
		_, _ = b.Write(append([]byte{byte(accepted)}, make([]byte, 32)...))
	}()
	_, err := (&Security{Secret: secret}).dial(t.Context(), a, "b", purpose{Kind: kindRaft})
	require.ErrorIs(t, err, wrongProof)
}

// No proof can be used for another purpose: each byte of the preface, the role and the nonce are part of it.
func TestProofsAreBound(t *testing.T) {
	base := prover{secret: secret, preface: purpose{Kind: kindRaft, Group: 1, Cluster: any20}.wire(hasSecret,
		nonce{9}), nonce: nonce{4}}
	proof := base.proof(dialerRole)
	require.True(t, base.holds(dialerRole, proof))
	require.False(t, base.holds(acceptorRole, proof), "nobody can send a proof back")
	for i := range base.preface {
		changed := base
		changed.preface[i] ^= 1
		require.False(t, changed.holds(dialerRole, proof), "byte %d", i)
	}
	changed := base
	changed.nonce[31] ^= 1
	require.False(t, changed.holds(dialerRole, proof))
	changed = base
	changed.secret = other
	require.False(t, changed.holds(dialerRole, proof))
	changed = base
	changed.binding = []byte{1}
	require.False(t, changed.holds(dialerRole, proof))
	for n := range proof {
		require.False(t, base.holds(dialerRole, proof[:n]))
	}
}

// A recorded handshake opens no second connection.
func TestAReplayIsRefused(t *testing.T) {
	s := &Security{Secret: secret}
	a, b := net.Pipe()
	var sent bytes.Buffer
	shakeOver(t, recorder{a, &sent}, b, s, s, purpose{Kind: kindCall}, admitAll).requireOpen(t)
	recorded := sent.Bytes()[:prefaceSize+32]
	c, d := net.Pipe()
	go func() {
		_, _ = c.Write(recorded[:prefaceSize])
		_, _ = io.CopyN(io.Discard, c, 1+nonceSize)
		_, _ = c.Write(recorded[prefaceSize:])
		_, _ = io.Copy(io.Discard, c)
	}()
	_, _, err := s.accept(d, admitAll)
	require.EqualError(t, err, (&refusedError{wrongProof}).Error())
}

// recorder keeps what is written.
type recorder struct {
	net.Conn
	sent *bytes.Buffer
}

func (r recorder) Write(p []byte) (int, error) {
	r.sent.Write(p)
	return r.Conn.Write(p)
}

// A silent end is cut after the time that a handshake may take.
func TestHandshakesTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Security{Secret: secret}
		for name, shake := range map[string]func(net.Conn) error{
			"accept": func(c net.Conn) error { _, _, err := s.accept(c, admitAll); return err },
			"dial": func(c net.Conn) error {
				_,
					err := s.dial(t.Context(), c, "b", purpose{Kind: kindRaft})
				return err
			},
		} {
			a, b := net.Pipe()
			began := time.Now()
			require.EqualError(t, shake(a), "it did not answer within 5s", name)
			require.Equal(t, handshakeTimeout, time.Since(began))
			_, err := b.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF, "the connection is closed")
		}
	})
}

func TestAContextEndsADial(t *testing.T) {
	a, b := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.CopyN(io.Discard, b, int64(prefaceSize))
		cancel()
	}()
	_, err := (&Security{Secret: secret}).dial(ctx, a, "b", purpose{Kind: kindRaft})
	require.Error(t, err)
	_, err = a.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestStrangersAreRefused(t *testing.T) {
	for name, sent := range map[string]string{
		"HTTP":  "GET / HTTP/1.1\r\nHost: a\r\n" + string(make([]byte, 100)),
		"RESP":  "*1\r\n$4\r\nPING\r\n" + string(make([]byte, 100)),
		"TLS":   "\x16\x03\x01" + string(make([]byte, 100)),
		"short": "cell",
		"none":  "",
	} {
		a, b := net.Pipe()
		go func() {
			_, _ = a.Write([]byte(sent))
			_ = a.Close()
		}()
		_, _, err := (&Security{Secret: secret}).accept(b,
			func(purpose) Refusal { t.Error("asked"); return accepted })
		require.Error(t, err, name)
		if len(sent) > prefaceSize {
			require.ErrorIs(t, err, errMagic, name)
		}
	}
}

// A dialer explains the end of a connection, because the other node cannot.
func TestACutDialIsExplained(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		_, _ = io.CopyN(io.Discard, b, int64(prefaceSize))
		_ = b.Close()
	}()
	_, err := (&Security{}).dial(t.Context(), a, "b", purpose{Kind: kindRaft})
	require.ErrorContains(t, err, "it closed the connection during the handshake: compare tls-cluster on both nodes, and read its log")
}

func TestMayListen(t *testing.T) {
	open := []string{"", "0.0.0.0", "::", "10.0.0.1", "node-a", "::ffff:10.0.0.1", "128.0.0.1"}
	loopback := []string{"127.0.0.1", "127.9.9.9", "::1", "localhost", "::ffff:127.0.0.1"}
	for _, host := range open {
		require.ErrorContains(t, (&Security{}).MayListen(host), "without cluster-secret and tls-cluster it listens on loopback addresses only", host)
		require.NoError(t, (&Security{Secret: secret}).MayListen(host))
	}
	for _, host := range loopback {
		require.NoError(t, (&Security{}).MayListen(host), host)
	}
	require.EqualError(t, (&Security{}).MayListen(""), "the peer port may not listen on every address: without cluster-secret and tls-cluster "+
		"it listens on loopback addresses only. Set cluster-secret to the same 32 random characters on every node")
	require.Error(t, (&Security{}).mayServe(&net.TCPAddr{IP: net.IPv4zero, Port: 1}))
	require.Error(t, (&Security{}).mayServe(&net.TCPAddr{Port: 1}))
	require.NoError(t, (&Security{}).mayServe(&net.TCPAddr{IP: net.IPv6loopback, Port: 1}))
}

func TestCheckSecret(t *testing.T) {
	require.NoError(t, (&Security{}).Check())
	require.NoError(t, (&Security{Secret: secret[:16]}).Check())
	require.EqualError(t, (&Security{Secret: secret[:15]}).Check(), "cluster-secret has 15 bytes, fewer than 16: use 32 random characters")
}

// script is a connection whose other end has said everything already.
type script struct {
	net.Conn
	in   io.Reader
	sent bytes.Buffer
	read int
}

func (s *script) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.read += n
	return n, err
}
func (s *script) Write(p []byte) (int, error) { return s.sent.Write(p) }
func (s *script) Close() error                { return nil }

// No bytes open a port that has a secret, and the port reads no more than the handshake has.
func FuzzAccept(f *testing.F) {
	good := purpose{Kind: kindRaft}.wire(hasSecret, nonce{})
	f.Add(append(good[:], make([]byte, 32)...))
	f.Add([]byte("cell"))
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	for _, kind := range kinds {
		preface := purpose{Kind: kind, Group: 3}.wire(0, nonce{1})
		f.Add(preface[:])
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		s := &script{in: bytes.NewReader(sent)}
		_, _, err := (&Security{Secret: secret}).accept(s,
			func(purpose) Refusal { t.Fatal("admitted"); return accepted })
		if err == nil || s.read > prefaceSize+32 || s.sent.Len() > 2+nonceSize {
			t.Fatalf("read %d, wrote %d, error %v", s.read, s.sent.Len(), err)
		}
		s = &script{in: bytes.NewReader(sent)}
		_, p, err := (&Security{}).accept(s, admitAll)
		if err == nil && p.wire(sent[8], nonce(sent[29:61])) != wired(sent[:prefaceSize]) {
			t.Fatalf("%+v is not what %x says", p, sent)
		}
	})
}

// No bytes of an acceptor make a dialer with a secret believe it.
func FuzzDial(f *testing.F) {
	f.Add(make([]byte, 66))
	f.Add([]byte{byte(wantsSecret)})
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, answer []byte) {
		s := &script{in: bytes.NewReader(answer)}
		if _, err := (&Security{Secret: secret}).dial(t.Context(), s, "b",
			purpose{Kind: kindRaft}); err == nil || s.read > 66 {
			t.Fatalf("read %d, error %v", s.read, err)
		}
	})
}

// A handshake costs a few microseconds, so a stranger cannot keep a processor busy with little traffic.
func BenchmarkHandshake(b *testing.B) {
	s := &Security{Secret: make([]byte, 32)}
	_, _ = rand.Read(s.Secret)
	for b.Loop() {
		x, y := net.Pipe()
		done := make(chan error, 1)
		go func() { _, _, err := s.accept(y, admitAll); done <- err }()
		_, err := s.dial(context.Background(), x, "b", purpose{Kind: kindRaft})
		if err := errors.Join(err, <-done); err != nil {
			b.Fatal(err)
		}
		_, _ = x.Close(), y.Close()
	}
}
