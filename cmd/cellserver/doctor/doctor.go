package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Timeout bounds the connect and each command.
const Timeout = 5 * time.Second

// Login is the user who asks. Without a password nobody logs in, and "" is the user default.
type Login struct{ User, Password string }

// Examine asks the server at an address, and returns a page of text. Without over it speaks no TLS.
func Examine(address string, as Login, over *TLS) (string, error) {
	nc, err := dial(address, over)
	if err != nil {
		return "", err
	}
	defer nc.Close()
	c := &conn{Conn: nc, in: bufio.NewReader(nc), timeout: Timeout}
	if err := c.logIn(as); err != nil {
		return "", explain(address, err)
	}
	f, err := c.ask()
	if err != nil {
		return "", explain(address, err)
	}
	return f.page(address), nil
}

// logIn sends AUTH if there is a password or a user.
func (c *conn) logIn(as Login) (err error) {
	switch {
	case as.User != "":
		_, err = c.do("AUTH", as.User, as.Password)
	case as.Password != "":
		_, err = c.do("AUTH", as.Password)
	}
	return err
}

// explain says what to do about an error of the server.
func explain(address string, err error) error {
	if known := explainTLS(address, err); known != nil {
		return known
	}
	refused, is := errors.AsType[refusal](err)
	switch {
	case is && strings.HasPrefix(string(refused), "NOAUTH"):
		return fmt.Errorf("%s asks for a password: add --requirepass and the password after the address",
			address)
	case is:
		return fmt.Errorf("%s refuses: %.200q", address, string(refused))
	case isLate(err):
		return fmt.Errorf("%s does not answer within %s: the process hangs, or the machine is overloaded",
			address, Timeout)
	case errors.Is(err, errReply):
		return fmt.Errorf("%s: %w", address, err)
	}
	return fmt.Errorf("%s closed the connection (%w): check the port, add --tls if it is the one for TLS, and read the log", address, err)
}
