package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"cellserver/commands"
	"cellserver/httpapi"
	"cellserver/httpapi/bounded"
	"cellserver/internal/config"
)

// WebDoor has the listeners of a handler of HTTP: one without TLS, and one with TLS. Its directives are
// NAME-port, NAME-tls-port and NAME-bind.
type WebDoor struct {
	name          string
	Plain, Secure bounded.Listener
}

// Init sets the handler, and the bounds of each listener.
func (d *WebDoor) Init(
	name string, h http.Handler, bounds bounded.Bounds, log *slog.Logger, c *Certificates,
) {
	d.name, d.Secure.TLS = name, c.Current
	listeners := map[string]*bounded.Listener{name + "-port": &d.Plain, name + "-tls-port": &d.Secure}
	for port, l := range listeners {
		l.Handler, l.Bounds, l.Log = h, bounds, log
		l.Failed = func(addr net.Addr, err error) {
			log.Error("a listener of HTTP failed: set "+port+" to 0 and back to open it again",
				"address", addr, "error", err)
		}
	}
	d.Secure.Handler = certified(h, c)
}

// certified refuses requests with TLS of clients that have shown no certificate, if they must show one now. A
// connection may be older than this directive.
func certified(h http.Handler, c *Certificates) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && len(r.TLS.VerifiedChains) == 0 &&
			c.Current().ClientAuth == tls.RequireAndVerifyClientCert {
			httpapi.Forbidden(out, "tls-auth-clients is yes: connect again, and show a certificate of "+
				"tls-ca-cert-file")
			return
		}
		h.ServeHTTP(out, r)
	})
}

// Configure listens where a configuration says; port 0 means no address. If one listener cannot, both keep
// their previous addresses. The listener with TLS closes first if the other one takes its port.
func (d *WebDoor) Configure(web config.Web) error {
	plain, secure := d.Plain.Address(), d.Secure.Address()
	if strings.HasSuffix(secure, ":"+strconv.Itoa(web.Port)) {
		_ = d.Secure.Listen("") // closing has no error
	}
	err := d.listen(&d.Plain, web.Bind, web.Port, "-port")
	if err == nil {
		err = d.listen(&d.Secure, web.Bind, web.TLSPort, "-tls-port")
	}
	if err != nil {
		err = errors.Join(err, d.Plain.Listen(plain), d.Secure.Listen(secure))
	}
	return err
}

// listen moves a listener to an address. suffix is the end of the name of its port.
func (d *WebDoor) listen(l *bounded.Listener, bind string, port int, suffix string) error {
	address := ""
	if port != 0 {
		address = net.JoinHostPort(bind, strconv.Itoa(port))
	}
	if err := l.Listen(address); err != nil {
		return cannotListen(address, err,
			"stop what listens there, or choose another port with --"+d.name+suffix,
			"name an address of this machine with --"+d.name+"-bind")
	}
	return nil
}

// Refuse names the directive that asks for an address on which a listener cannot listen.
func (d *WebDoor) Refuse(old, next config.Web, err error) error {
	directive := d.name + "-tls-port"
	switch {
	case old.Bind != next.Bind:
		directive = d.name + "-bind"
	case old.Port != next.Port:
		directive = d.name + "-port"
	}
	return &commands.Refusal{Directive: directive, Reason: fmt.Errorf("Unable to listen there: %w", err)}
}

// OpenBy makes the listeners open their addresses in another way than net.Listen.
func (d *WebDoor) OpenBy(open func(string) (net.Listener, error)) {
	d.Plain.Open, d.Secure.Open = open, open
}

// Stop closes the listeners for good. Replies leave until ctx ends.
func (d *WebDoor) Stop(ctx context.Context) {
	d.Plain.Stop(ctx)
	d.Secure.Stop(ctx)
}

// Close closes the listeners and their connections at once.
func (d *WebDoor) Close() {
	d.Plain.Close()
	d.Secure.Close()
}
