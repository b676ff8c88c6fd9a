package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	rotationPause = time.Minute
	// A certificate that is replaced counts within 10 seconds, on a machine that is not overloaded
	rotationSettles = 30 * time.Second
	floodPause      = 3 * time.Minute
	floodLasts      = 10 * time.Second
	floodRate       = 60
	// Longer than any timeout of the server
	strangerTimeout = 90 * time.Second
	keptConnections = 20
)

// week has clients and strangers at once, for the duration. Clients report requests and errors, and so does a stranger that
// the server lets wait. What else strangers do is only counted.
func week(o options) (*measurement, error) {
	// As in newClient
	if err := os.Setenv("GODEBUG", "tlsmlkem=1"); err != nil {
		return nil, err
	}
	target, err := url.Parse(o.url)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, err
	}
	names, err := newRotation(o.output, o.names)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in '%s'", o.ca)
	}
	roots.AddCert(names.root)
	if err := names.rotate(); err != nil {
		return nil, err
	}
	time.Sleep(rotationSettles)

	r := newRecorder()
	if err := r.begin(o.pids); err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	at := func(rate float64, do func(due time.Time)) {
		running.Add(1)
		go func() {
			defer running.Done()
			pace(rate, o.duration, func(due time.Time) {
				running.Add(1)
				go func() {
					defer running.Done()
					do(due)
				}()
			})
		}()
	}
	clients := func(rate float64, client *http.Client, name func() string, check func(string, *http.Response) error, size int) {
		at(rate, func(due time.Time) {
			err := request(client, name(), target.Port(), size, check)
			r.report(time.Since(due), err)
		})
	}
	localhost := func() string { return target.Hostname() }
	clients(4, newHTTPClient(roots, false, false, nil, tls.VersionTLS13), localhost, nil, 0)
	clients(4, newHTTPClient(roots, false, false, tls.NewLRUClientSessionCache(1), tls.VersionTLS13), localhost, nil, 0)
	clients(2, newHTTPClient(roots, false, false, nil, tls.VersionTLS12), localhost, nil, 0)
	clients(5, newHTTPClient(roots, false, false, nil, tls.VersionTLS13), names.random, names.check, 0)
	for i := 0; i < keptConnections; i++ {
		clients(0.5, newHTTPClient(roots, true, i%2 == 0, nil, tls.VersionTLS13), localhost, nil, 1024<<(i%7))
	}
	at(1/rotationPause.Seconds(), func(time.Time) {
		if err := names.rotate(); err != nil {
			r.report(0, err)
		}
	})

	s := &strangers{address: "127.0.0.1:" + target.Port(), name: target.Hostname(), hello: clientHello(target.Hostname()),
		patience: strangerTimeout}
	at(4, func(time.Time) { s.reset() })
	at(2, func(time.Time) { s.unknownName() })
	at(1, func(time.Time) { s.distrust() })
	at(1/floodPause.Seconds(), func(time.Time) {
		pace(floodRate, floodLasts, func(time.Time) {
			running.Add(1)
			go func() {
				defer running.Done()
				if err := s.garbage(); err != nil {
					r.report(0, err)
				}
			}()
		})
	})
	running.Wait()
	m, err := r.end(o.pids)
	if err == nil {
		m.Details["strangers"], m.Details["rotations"] = s.counts, names.first
	}
	return m, err
}

// newHTTPClient has one connection that is kept, or a new one for each request.
func newHTTPClient(roots *x509.CertPool, keep, http2 bool, sessions tls.ClientSessionCache, version uint16) *http.Client {
	return &http.Client{Timeout: requestTimeout, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, "tcp4", "127.0.0.1:"+port)
		},
		TLSClientConfig:   &tls.Config{RootCAs: roots, ClientSessionCache: sessions, MaxVersion: version},
		DisableKeepAlives: !keep, ForceAttemptHTTP2: http2,
	}}
}

func request(client *http.Client, host, port string, size int, check func(string, *http.Response) error) error {
	address, response, err := "https://"+net.JoinHostPort(host, port), (*http.Response)(nil), error(nil)
	if size > 0 {
		response, err = client.Post(address+"/echo", "application/octet-stream", bytes.NewReader(make([]byte, size)))
	} else {
		response, err = client.Get(address + "/hello")
	}
	if err != nil {
		// The address has a number that differs
		var urlError *url.Error
		if errors.As(err, &urlError) {
			err = urlError.Err
		}
		return err
	}
	defer response.Body.Close()
	length, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	if err == nil && size > 0 && length != int64(size) {
		err = fmt.Errorf("%d of %d bytes came back", length, size)
	}
	if err == nil && check != nil {
		err = check(host, response)
	}
	return err
}

// rotation has a folder with certificates for a number of names. Each time, all are replaced, the first name goes, and a
// new one comes.
type rotation struct {
	folder       string
	count, first int
	root, issuer *x509.Certificate
	issuerKey    crypto.Signer
	mutex        sync.Mutex
	leaves       map[string][]byte
	at           time.Time
}

func newRotation(folder string, count int) (*rotation, error) {
	root, rootKey, err := issue("root", nil, nil, nil, newKey(false))
	if err != nil {
		return nil, err
	}
	issuer, issuerKey, err := issue("issuer", nil, root, rootKey, newKey(false))
	return &rotation{folder: folder, count: count, root: root, issuer: issuer, issuerKey: issuerKey}, err
}

func (n *rotation) rotate() error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.leaves != nil {
		if err := os.Remove(n.file(hostName(n.first))); err != nil {
			return err
		}
		n.first++
	}
	n.leaves, n.at = map[string][]byte{}, time.Now()
	for i := n.first; i < n.first+n.count; i++ {
		name := hostName(i)
		leaf, key, err := issue(name, []string{name}, n.issuer, n.issuerKey, newKey(false))
		if err != nil {
			return err
		}
		if err := writePem(n.file("."+name), key, leaf.Raw, n.issuer.Raw); err != nil {
			return err
		}
		if err := os.Rename(n.file("."+name), n.file(name)); err != nil {
			return err
		}
		n.leaves[name] = leaf.Raw
	}
	return nil
}

func (n *rotation) file(name string) string {
	return filepath.Join(n.folder, name+".pem")
}

// random is a name that was there before the last rotation too.
func (n *rotation) random() string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return hostName(n.first + mathrand.Intn(n.count-1))
}

// check tells whether a certificate that was replaced is still served.
func (n *rotation) check(name string, response *http.Response) error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if time.Since(n.at) > rotationSettles && !bytes.Equal(n.leaves[name], response.TLS.PeerCertificates[0].Raw) {
		return fmt.Errorf("a certificate that was replaced %s ago is served", rotationSettles)
	}
	return nil
}

// strangers are clients that do not behave.
type strangers struct {
	address, name string
	hello         []byte
	patience      time.Duration
	mutex         sync.Mutex
	counts        map[string]int
}

func (s *strangers) dial(kind string) net.Conn {
	conn, err := net.DialTimeout("tcp4", s.address, requestTimeout)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	if err != nil {
		s.counts[kind+", not connected"]++
		return nil
	}
	s.counts[kind]++
	_ = conn.SetDeadline(time.Now().Add(s.patience))
	return conn
}

// talk sends a request, if the handshake succeeds, and reads what comes until the end.
func talk(conn net.Conn, config *tls.Config, host string, body int) {
	defer conn.Close()
	secure := tls.Client(conn, config)
	_, _ = fmt.Fprintf(secure, "POST /echo HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", host, body)
	_, _ = secure.Write(make([]byte, body))
	_, _ = io.Copy(io.Discard, secure)
}

// reset ends a connection anywhere: in the handshake, in the request, or in the response.
func (s *strangers) reset() {
	if conn := s.dial("resets"); conn != nil {
		talk(&cutConn{conn, mathrand.Intn(8000)}, &tls.Config{InsecureSkipVerify: true, ServerName: s.name}, s.name, 2000)
	}
}

// unknownName asks for a name that nobody has, in the handshake or in the request only.
func (s *strangers) unknownName() {
	if conn := s.dial("unknown names"); conn != nil {
		unknown := fmt.Sprintf("unknown-%d.test", mathrand.Int63())
		name := unknown
		if mathrand.Intn(2) == 0 {
			name = s.name
		}
		talk(conn, &tls.Config{InsecureSkipVerify: true, ServerName: name}, unknown, 10)
	}
}

// distrust ends the handshake with an alert.
func (s *strangers) distrust() {
	if conn := s.dial("distrust"); conn != nil {
		talk(conn, &tls.Config{RootCAs: x509.NewCertPool(), ServerName: s.name}, s.name, 10)
	}
}

// garbage sends what is no TLS, or a part of a ClientHello or all of it, and nothing more. The server has to end it.
func (s *strangers) garbage() error {
	data := s.hello[:1+mathrand.Intn(len(s.hello))]
	if mathrand.Intn(2) == 0 {
		data = make([]byte, 1+mathrand.Intn(600))
		_, _ = rand.Read(data)
	}
	conn := s.dial("garbage")
	if conn == nil {
		return nil
	}
	defer conn.Close()
	_, _ = conn.Write(data)
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("half a handshake is not ended within %s", s.patience)
	}
	return nil
}

// cutConn resets the connection after so many bytes in both directions. For one goroutine.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(c.allowed(data))
	return n, c.passed(n, err)
}

func (c *cutConn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(c.allowed(data))
	return n, c.passed(n, err)
}

func (c *cutConn) allowed(data []byte) []byte {
	if len(data) > c.left {
		return data[:c.left]
	}
	return data
}

func (c *cutConn) passed(n int, err error) error {
	if c.left -= n; c.left > 0 || err != nil {
		return err
	}
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	_ = c.Conn.Close()
	return net.ErrClosed
}

// clientHello is the first record of a client.
func clientHello(name string) []byte {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	go func() { _ = tls.Client(client, &tls.Config{ServerName: name}).Handshake() }()
	header := make([]byte, 5)
	_, _ = io.ReadFull(server, header)
	body := make([]byte, int(header[3])<<8|int(header[4]))
	_, _ = io.ReadFull(server, body)
	return append(header, body...)
}
