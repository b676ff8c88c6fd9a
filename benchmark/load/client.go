package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
)

const (
	requestTimeout = 10 * time.Second
	cipherSuite    = tls.TLS_AES_128_GCM_SHA256
)

// By their numbers in IANA's registry, which older versions of Go have no name for
var groups = map[string]tls.CurveID{"x25519": 0x001d, "x25519mlkem768": 0x11ec}

type client struct {
	url      *url.URL
	tls      *tls.Config
	sessions *sessions
	recorder *recorder
	// How many names to ask for at random, or 0
	names int
	// What is between TLS and the socket, if anything
	wrap func(net.Conn) net.Conn
}

// sessions keeps the last ticket of the server. Tickets are used again: no early data is sent.
type sessions struct {
	mutex sync.Mutex
	last  *tls.ClientSessionState
	count int
}

func (s *sessions) Get(string) (*tls.ClientSessionState, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.last, s.last != nil
}

func (s *sessions) Put(_ string, state *tls.ClientSessionState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if state != nil {
		s.last = state
		s.count++
	}
}

// noSessions takes tickets and forgets them. Without a cache, Go does not say that it takes any (psk_key_exchange_modes),
// which browsers and Java do, and servers other than OpenSSL then make none.
type noSessions struct{}

func (noSessions) Get(string) (*tls.ClientSessionState, bool) { return nil, false }

func (noSessions) Put(string, *tls.ClientSessionState) {}

func newClient(o options, r *recorder) (*client, error) {
	target, err := url.Parse(o.url)
	if err != nil {
		return nil, err
	}
	c := &client{url: target, recorder: r, names: o.names}
	if target.Scheme != "https" {
		return c, nil
	}
	pem, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in '%s'", o.ca)
	}
	group, known := groups[o.group]
	if !known {
		return nil, fmt.Errorf("unknown group '%s'", o.group)
	}
	// What go.mod names is older than the hybrid group, which Go then leaves out
	if err := os.Setenv("GODEBUG", "tlsmlkem=1"); err != nil {
		return nil, err
	}
	c.tls = &tls.Config{RootCAs: roots, ServerName: target.Hostname(), MinVersion: tls.VersionTLS13,
		CurvePreferences: []tls.CurveID{group}, NextProtos: []string{"http/1.1"}, ClientSessionCache: noSessions{}}
	if o.cert != "" {
		certificate, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, err
		}
		c.tls.Certificates = []tls.Certificate{certificate}
	}
	if o.resume {
		c.sessions = &sessions{}
		c.tls.ClientSessionCache = c.sessions
	}
	return c, nil
}

// as a browser's, which a proxy hands on
const browserHeaders = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n" +
	"Accept: application/json, text/plain, */*\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\n" +
	"Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiZW5jaG1hcmsifQ.c2lnbmF0dXJlLW9mLXRoZS1iZW5jaG1hcms\r\n" +
	"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n" +
	"Origin: https://localhost\r\n" +
	"Referer: https://localhost/orders\r\n" +
	"X-Request-Id: 0af76519-16cd-43dd-8448-eb211c80319c\r\n" +
	"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n" +
	"Sec-Fetch-Mode: cors\r\n"

// dial connects and, with TLS, has the handshake done and checked.
func (c *client) dial(expectResumed bool) (net.Conn, error) {
	conn, err := net.DialTimeout("tcp4", "127.0.0.1:"+c.url.Port(), requestTimeout)
	if err == nil && c.wrap != nil {
		conn = c.wrap(conn)
	}
	if err != nil || c.tls == nil {
		return conn, err
	}
	config := c.tls
	if c.names > 0 {
		config = config.Clone()
		config.ServerName = hostName(rand.Intn(c.names))
	}
	secure := tls.Client(conn, config)
	_ = secure.SetDeadline(time.Now().Add(requestTimeout))
	if err := secure.Handshake(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	state := secure.ConnectionState()
	c.recorder.connected(tls.CipherSuiteName(state.CipherSuite), state.DidResume)
	if state.CipherSuite != cipherSuite {
		err = fmt.Errorf("the cipher suite is %s", tls.CipherSuiteName(state.CipherSuite))
	} else if state.DidResume != expectResumed {
		err = fmt.Errorf("resumed is %v instead of %v", state.DidResume, expectResumed)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// head is the request without its body.
func (c *client) head(o options, size int, close bool) []byte {
	var b bytes.Buffer
	method := "GET"
	if size > 0 {
		method = "POST"
	}
	if c.names > 0 {
		// A request with HTTP/1.0 is for the name of its connection
		fmt.Fprintf(&b, "%s %s HTTP/1.0\r\n", method, c.url.RequestURI())
	} else {
		fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, c.url.RequestURI(), c.url.Host)
	}
	if o.headers {
		b.WriteString(browserHeaders)
	}
	if size > 0 {
		fmt.Fprintf(&b, "Content-Type: application/octet-stream\r\nContent-Length: %d\r\n", size)
	}
	if close {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// exchange sends a request and reads the response. A large body is written while the response is read:
// an echo would otherwise block both sides.
func exchange(conn net.Conn, reader *bufio.Reader, request []byte, size int) error {
	_ = conn.SetDeadline(time.Now().Add(requestTimeout))
	written := make(chan error, 1)
	if len(request) > 16*1024 {
		go func() {
			_, err := conn.Write(request)
			written <- err
		}()
	} else {
		_, err := conn.Write(request)
		written <- err
	}
	if err := receive(reader, size); err != nil {
		return err
	}
	return <-written
}

// receive reads a response.
func receive(reader *bufio.Reader, size int) error {
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err
	}
	length, err := io.Copy(io.Discard, response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	if size > 0 && length != int64(size) {
		return fmt.Errorf("%d of %d bytes came back", length, size)
	}
	return nil
}
