package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"time"
)

// sequence sends requests one after the other. The server has come to rest before each write of the client, as it has over
// a network, so that it does the same for each request.
func sequence(o options) (*measurement, error) {
	r := newRecorder()
	c, err := newClient(o, r)
	if err != nil {
		return nil, err
	}
	c.wrap = func(conn net.Conn) net.Conn { return &heldConn{Conn: conn, pause: o.pause} }
	request := append(c.head(o, o.size, o.close), make([]byte, o.size)...)
	if err := r.begin(o.pids); err != nil {
		return nil, err
	}
	var conn net.Conn
	var reader *bufio.Reader
	for i := 0; i < o.requests; i++ {
		start := time.Now()
		if conn == nil {
			if conn, err = c.dial(false); err != nil {
				return nil, err
			}
			reader = bufio.NewReaderSize(conn, 16*1024)
		}
		_ = conn.SetDeadline(time.Now().Add(requestTimeout))
		if _, err = conn.Write(request); err == nil {
			err = receive(reader, o.expected())
		}
		if err == nil && o.close {
			// The server closes first
			_, err = io.Copy(io.Discard, reader)
		}
		if err != nil {
			return nil, err
		}
		r.report(time.Since(start), nil)
		if o.close || i == o.requests-1 {
			_ = conn.Close()
			conn = nil
			time.Sleep(o.pause)
		}
	}
	return r.end(o.pids)
}

// heldConn holds what is written until something is to be read, and writes it at once then, after a pause: the end of a
// handshake leaves together with the request. For one goroutine.
type heldConn struct {
	net.Conn
	pause time.Duration
	held  bytes.Buffer
}

func (c *heldConn) Write(data []byte) (int, error) {
	return c.held.Write(data)
}

func (c *heldConn) Read(data []byte) (int, error) {
	if c.held.Len() > 0 {
		time.Sleep(c.pause)
		if _, err := c.held.WriteTo(c.Conn); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(data)
}

func (c *heldConn) Close() error {
	_, _ = c.held.WriteTo(c.Conn)
	return c.Conn.Close()
}
