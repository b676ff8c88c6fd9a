package main

import (
	"fmt"
	"net"
	"time"
)

// How often to look whether the server listens
const firstPause = 2 * time.Millisecond

// first waits for a server that is starting, and sends it one request. The server's CPU is that of the start only: there
// is nothing to refuse before it listens.
func first(o options) error {
	c, err := newClient(o, newRecorder())
	if err != nil {
		return err
	}
	request := c.head(o, 0, true)
	for end := time.Now().Add(o.duration); ; time.Sleep(firstPause) {
		conn, err := net.Dial("tcp4", "127.0.0.1:"+c.url.Port())
		if err == nil {
			_ = conn.Close()
			return c.once(request, false)
		}
		if time.Now().After(end) {
			return fmt.Errorf("the server does not listen after %s", o.duration)
		}
	}
}
